"""Spec and phrasebook -> what the book lacks, and more entries for it by a model, checked, for a person to review."""
