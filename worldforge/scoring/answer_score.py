"""A score: precision, recall and F1 by item and by row, as both scorers give them."""

from __future__ import annotations

from dataclasses import dataclass

_NOTHING = 1e-9  # below this sum of precision and recall the benchmark gives an F1 of 0
MEASURES = ("item_f1", "item_precision", "item_recall", "row_f1", "row_precision", "row_recall")
Matches = tuple[float, int, int]
"""How many items (cells) or rows are right, were given, and are gold's."""


@dataclass(frozen=True, slots=True)
class Score:
    """The score of an answer. `success`: the table is perfect. `version` names the scorer, `reason` says why it is 0.

    `row_order`, by the strict scorer alone, is the share of pairs of gold rows that an answer has in gold's order; 1
    where the order of rows does not count, 0 where no row was found. Nothing else depends on it.
    """

    item_precision: float
    item_recall: float
    item_f1: float
    row_precision: float
    row_recall: float
    row_f1: float
    success: bool
    version: str
    reason: str = ""
    row_order: float = 0.0

    def columns(self, prefix: str) -> dict[str, float]:
        """Return the measures and the success by name, as columns of a table."""
        return {f"{prefix}{name}": getattr(self, name) for name in (*MEASURES, "success")}


class UnscorableError(Exception):
    """Raised for an answer that scores 0; the message says why."""


def score_of(
    items: Matches, rows: Matches, version: str, *, same: bool = False, reason: str = "", row_order: float = 0.0
) -> Score:
    """Make a score of counts. It is a success where nothing is wrong or missing, or the tables are the `same`."""
    measures = (*_rates(*items), *_rates(*rows))
    success = same or all(measure == 1 for measure in measures)
    return Score(*measures, success, version, reason, row_order)


def zero(version: str, reason: str) -> Score:
    """Return a score of 0 with the reason."""
    return score_of((0, 0, 0), (0, 0, 0), version, reason=reason)


def _rates(right: float, given: int, wanted: int) -> tuple[float, float, float]:
    """Return precision, recall and F1; 0 where there is nothing."""
    precision = right / given if given else 0.0
    recall = right / wanted if wanted else 0.0
    total = precision + recall
    return precision, recall, 2 * precision * recall / total if total > _NOTHING else 0.0
