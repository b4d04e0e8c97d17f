"""A score: precision, recall and F1 by item and by row, as both scorers give them."""

from __future__ import annotations

from dataclasses import dataclass

_NOTHING = 1e-9  # below this sum of precision and recall the benchmark gives an F1 of 0


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


class UnscorableError(Exception):
    """Raised for an answer that scores 0; the message says why."""


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """Counts of right, given and gold items (cells) or rows."""

    right: float
    given: int
    asked: int

    @property
    def precision(self) -> float:
        """Right items as a share of those given; 0 if none were given."""
        return self.right / self.given if self.given else 0.0

    @property
    def recall(self) -> float:
        """Right items as a share of gold's; 0 if gold has none."""
        return self.right / self.asked if self.asked else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 where both are 0."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total > _NOTHING else 0.0

    @property
    def perfect(self) -> bool:
        """Whether precision and recall are both exactly 1."""
        return self.precision == self.recall == 1.0


def score_of(
    items: MatchCounts, rows: MatchCounts, version: str, *, success: bool, reason: str = "", row_order: float = 0.0
) -> Score:
    """Put a table's two tallies together."""
    return Score(
        items.precision,
        items.recall,
        items.f1,
        rows.precision,
        rows.recall,
        rows.f1,
        success,
        version,
        reason,
        row_order,
    )


def zero(version: str, reason: str) -> Score:
    """Return a score of 0 with the reason."""
    return score_of(MatchCounts(0, 0, 0), MatchCounts(0, 0, 0), version, success=False, reason=reason)
