"""The ladder of table sizes of a family with `cells`: how many cells each of its tasks is to have.

    ladder(Cells(low=20, high=4000), 5)             [34, 98, 283, 816, 2355]: at equal ratios
    ladder(Cells(low=20, high=4000, mean=1500), 5)  the same bounds, steps drawn together towards the top

A step at which no task is found is lowered, down to the least that the spec allows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from worldforge.schema.spec_section import Range
from worldforge.schema.task_section import Cells, TaskFamily

_STEEPEST = 8.0  # of the exponents that are tried
_HALVINGS = 50
_ROOM = 0.2  # how far rows may be from the step, either way
_COLUMNS_GROW = 0.3  # columns grow by this power of the cells
_WIDER = 0.1  # of the columns of a narrow table, with each try in vain
_TRIES = 2  # at one height
_LOWER = 0.75
MOST_TRIES = 60
"""Tries of one step before it is given up: at least as many as lead from the highest to the lowest."""


@dataclass(frozen=True, slots=True)
class LadderStep:
    """One task that is wanted: its place on the ladder, its cells, and how often it was tried in vain."""

    place: int
    cells: int
    n_tries: int = 0

    def further(self, cells: Cells) -> LadderStep | None:
        """Return the step to try after this one has failed: with fewer cells after every few failures.

        Returns None after `MOST_TRIES`.
        """
        n = self.n_tries + 1
        if n == MOST_TRIES:
            return None
        lower = n % _TRIES == 0
        return replace(self, n_tries=n, cells=max(cells.low, round(self.cells * _LOWER)) if lower else self.cells)


def ladder(cells: Cells, n: int) -> list[int]:
    """Return the sizes of `n` tasks, from the least to the greatest, in the midst of `n` equal parts of the scale."""
    parts = [(place + 0.5) / n for place in range(n)]
    if cells.mean is None or cells.low == cells.high or n == 0:
        return [_at(cells, part, 1.0) for part in parts]
    low, high = -_STEEPEST, _STEEPEST  # a step at part u of the scale is put at u ** (2 ** bend)
    for _ in range(_HALVINGS):
        bend = (low + high) / 2
        if sum(_at(cells, part, 2.0**bend) for part in parts) > cells.mean * n:
            low = bend
        else:
            high = bend
    return [_at(cells, part, 2.0**low) for part in parts]


def lowered(step: int, cells: Cells, most: int) -> int:
    """Return a step of a ladder where the world has tables of at most so many cells: at the same part of the scale."""
    high = min(cells.high, max(most, cells.low))
    if high == cells.high:
        return step
    part = math.log(step / cells.low) / math.log(cells.high / cells.low)
    return round(cells.low * math.exp(part * math.log(high / cells.low)))


def _at(cells: Cells, part: float, power: float) -> int:
    return round(cells.low * math.exp(part**power * math.log(cells.high / cells.low)))


def table_size(family: TaskFamily, step: LadderStep, share: float) -> tuple[Range, Range]:
    """Return the columns and rows of a table of about as many cells as a step has; `share` draws how its columns vary.

    The more tries were in vain, the more columns it may have, and the fewer rows.
    """
    assert family.cells is not None
    n = round(step.cells**_COLUMNS_GROW * (0.8 + (0.4 + _WIDER * step.n_tries) * share))
    n = min(max(n, family.columns.low), family.columns.high)
    least, most = -(-family.cells.low // n), max(family.cells.high // n, 1)
    rows = step.cells / n
    low, high = max(least, math.ceil(rows * (1 - _ROOM))), min(most, math.floor(rows * (1 + _ROOM)))
    return Range(low=n, high=n), Range(low=min(low, most), high=max(min(low, most), high))
