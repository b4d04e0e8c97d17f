"""Draws and derives the tables of a world; takes a spec, gives an Arrow table a type and a relation."""
