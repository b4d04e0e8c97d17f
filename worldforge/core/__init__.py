"""Errors, keyed chance, digests, atomic files, imports by name. Takes nothing, knows nothing of worlds."""
