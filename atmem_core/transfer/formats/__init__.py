"""What other programs write: one module a format, each a reader that turns JSON into texts to store."""
