"""The dataset card: contents, provenance, how to load it, and limits.

Written from records and counts alone: the same dataset has the same card. Words of a world's author are shown, and do
nothing: neither Markdown nor YAML is read in them.
"""
