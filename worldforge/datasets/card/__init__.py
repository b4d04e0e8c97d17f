"""The dataset card: contents, provenance, how to load it, and limits."""
