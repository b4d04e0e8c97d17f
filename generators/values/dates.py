"""Days of the calendar."""

from __future__ import annotations

import datetime
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from generators.values.distributions import Distribution, draw_whole
from generators.values.draw_bounds import Wholes, refuse_crossed
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Dates
from worldforge.core.errors import InputError

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
