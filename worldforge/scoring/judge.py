"""A judge decides what rules cannot: whether two names mean the same thing. A model stands behind it, or a rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol


class Judge(Protocol):
    """What the benchmark asks a model: one call for the column names, one a key column, one a judged column."""

    def match(self, names: Sequence[str], gold_names: Sequence[str]) -> Mapping[str, str]:
        """Map the answer's names (of columns, or the cells of a key column) to the gold names that mean the same."""

    def grade(self, cells: Sequence[str], gold_cells: Sequence[str], criterion: str) -> Sequence[float]:
        """Give each of `cells` 1 where it says the same as the gold cell at its place, by `criterion`, else 0."""
