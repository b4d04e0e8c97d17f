"""Writes the pages of a world, with the facts they state and the links between them; takes a spec and its tables."""
