"""Whole numbers and years."""

from __future__ import annotations

import pyarrow as pa

from generators.values.distributions import Distribution, draw_whole
from generators.values.draw_bounds import Bound, whole_column
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Integers, Years


def integer(
    stream: Stream,
    rows: Rows,
    *,
    low: Bound,
    high: Bound,
    step: int = 1,
    distribution: Distribution = "uniform",
) -> Integers:
    """Draw whole numbers from `low` to `high`, both included, in steps of `step` from `low` on: int64.

    Raises RowsError for the rows whose bounds leave no number.
    """
    lowest = whole_column(low, "low", len(rows), upwards=True)
    highest = whole_column(high, "high", len(rows), upwards=False)
    return pa.array(draw_whole(stream, rows, lowest, highest, step, distribution), pa.int64())


def year(stream: Stream, rows: Rows, *, low: Bound, high: Bound, distribution: Distribution = "uniform") -> Years:
    """Draw years from `low` to `high`, both included: int32. Raises RowsError as `integer` does."""
    return integer(stream, rows, low=low, high=high, distribution=distribution).cast(pa.int32())


def sequence(stream: Stream, rows: Rows, *, start: int = 1, step: int = 1) -> Integers:
    """Count on from `start` by `step`, row by row: int64. Nothing is drawn."""
    return pa.array(start + step * rows, pa.int64())


def year_sequence(stream: Stream, rows: Rows, *, start: int, step: int = 1) -> Years:
    """Give years one after another, from `start` on: int32. Nothing is drawn."""
    return sequence(stream, rows, start=start, step=step).cast(pa.int32())
