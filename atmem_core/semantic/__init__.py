"""Life of a semantic profile."""
