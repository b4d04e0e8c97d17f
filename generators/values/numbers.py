"""Draw whole numbers, years, numbers with decimals, and days of the calendar."""

from __future__ import annotations

import datetime
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from generators.values.distributions import (
    Bound,
    Distribution,
    Wholes,
    check_whole,
    draw_whole,
    real_column,
    refuse_crossed,
    whole_column,
)
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Dates, Integers, Numbers, Years
from worldforge.core.errors import InputError


def integer(
    stream: Stream, rows: Rows, *, low: Bound, high: Bound, step: int = 1, distribution: Distribution = "uniform"
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


_MOST_DECIMALS = 6  # what a page writes out


def number(
    stream: Stream, rows: Rows, *, low: Bound, high: Bound, decimals: int = 2, distribution: Distribution = "uniform"
) -> Numbers:
    """Draw numbers of `decimals` decimals from `low` to `high`, both included: float64.

    Each is a whole number of units of 10^-decimals, divided once: the float64 next to its decimal notation.
    Raises RowsError for the rows whose bounds leave no such number.
    """
    check_whole(decimals, "decimals", 0, _MOST_DECIMALS)
    units = 10.0**decimals
    lowest = whole_column(_in_units(low, "low", len(rows), units), "low", len(rows), upwards=True)
    highest = whole_column(_in_units(high, "high", len(rows), units), "high", len(rows), upwards=False)
    refuse_crossed(lowest, highest, lambda bound: f"{bound / units:g}")
    return pa.array(draw_whole(stream, rows, lowest, highest, 1, distribution) / units, pa.float64())


def _in_units(bound: Bound, name: str, n_rows: int, units: float) -> pa.Array:
    """Count a bound in units; 0.1 + 0.2 counts as 0.3, so a bound that is meant to be included is."""
    return pa.array(np.round(real_column(bound, name, n_rows) * units, 9))


Day: TypeAlias = str | datetime.date | pa.Array


def date(stream: Stream, rows: Rows, *, low: Day, high: Day, distribution: Distribution = "uniform") -> Dates:
    """Draw days from `low` to `high`, both included: date32.

    A bound is a day as `1992-01-31`, or a column of such texts, dates or timestamps (cut to their day).
    Raises RowsError for the rows whose bounds leave no day, InputError for what is no day.
    """
    if distribution == "log_uniform":
        raise InputError("days have no logarithm", "choose uniform, normal or geometric")
    lowest, highest = _days(low, "low", len(rows)), _days(high, "high", len(rows))
    refuse_crossed(lowest, highest, lambda day: str(datetime.date(1970, 1, 1) + datetime.timedelta(int(day))))
    drawn = draw_whole(stream, rows, lowest, highest, 1, distribution)
    return pa.array(drawn.astype(np.int32), pa.date32())


def _days(day: Day, name: str, n_rows: int) -> Wholes:
    """Read days as numbers of days since 1970-01-01, one a row."""
    try:
        column = day if isinstance(day, pa.Array | pa.ChunkedArray) else pa.array([str(day)])
        numbers = column.cast(pa.date32(), safe=False).cast(pa.int32())
    except pa.ArrowException as error:
        raise InputError(f"`{name}` must be a day such as 1992-01-31, not {day!r}") from error
    return np.broadcast_to(np.asarray(numbers, np.int64), n_rows)
