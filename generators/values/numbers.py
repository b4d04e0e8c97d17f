"""Numbers with decimals."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from generators.values.distributions import Distribution, draw_whole
from generators.values.draw_bounds import Bound, real_column, whole_column
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Numbers
from worldforge.core.errors import InputError

_MOST_DECIMALS = 6  # what a page writes out


def number(
    stream: Stream,
    rows: Rows,
    *,
    low: Bound,
    high: Bound,
    decimals: int = 2,
    distribution: Distribution = "uniform",
) -> Numbers:
    """Draw numbers of `decimals` decimals from `low` to `high`, both included: float64.

    Each is a whole number of units of 10^-decimals, divided once: the float64 next to its decimal notation.
    Raises RowsError for the rows whose bounds leave no such number.
    """
    if isinstance(decimals, bool) or not isinstance(decimals, int) or not 0 <= decimals <= _MOST_DECIMALS:
        raise InputError(f"`decimals` must be a whole number from 0 to {_MOST_DECIMALS}, not {decimals!r}")
    units = 10.0**decimals
    lowest = whole_column(_in_units(low, "low", len(rows), units), "low", len(rows), upwards=True)
    highest = whole_column(_in_units(high, "high", len(rows), units), "high", len(rows), upwards=False)
    return pa.array(draw_whole(stream, rows, lowest, highest, 1, distribution) / units, pa.float64())


def _in_units(bound: Bound, name: str, n_rows: int, units: float) -> pa.Array:
    """Count a bound in units; 0.1 + 0.2 counts as 0.3, so a bound that is meant to be included is."""
    return pa.array(np.round(real_column(bound, name, n_rows) * units, 9))
