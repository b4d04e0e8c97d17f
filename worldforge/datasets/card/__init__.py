"""The dataset card: what a dataset is, how it came about, how to load it, where its limits are.

Written from records and counts alone: the same dataset has the same card. Words of a world's author are shown, and do
nothing: neither Markdown nor YAML is read in them.
"""

from worldforge.datasets.card.card import CARD, Subject, write_card
from worldforge.datasets.card.yaml_header import size_category

__all__ = ["CARD", "Subject", "size_category", "write_card"]
