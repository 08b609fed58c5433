"""Profile facts: what is always, or by its keywords, worth knowing about a subject."""
