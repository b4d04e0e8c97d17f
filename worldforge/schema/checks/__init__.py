"""Check a tree read from YAML, one file a subject."""
