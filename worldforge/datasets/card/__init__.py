"""The dataset card: what a dataset is, how it came about, how to load it, where its limits are.

Written from records and counts alone: the same dataset has the same card. Words of a world's author are shown, and do
nothing: neither Markdown nor YAML is read in them.
"""
