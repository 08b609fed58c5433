"""Rules of the house: what a reader or a newcomer counts on, held by tests."""
