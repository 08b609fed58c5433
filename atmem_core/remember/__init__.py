"""Write path, in order: ingest, index."""
