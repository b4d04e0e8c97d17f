"""Bounds of a draw: one for all rows, or one a row. Read into numpy; refused where low lies above high."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from worldforge.core.chance import Rows
from worldforge.core.errors import InputError, RowsError

Bound: TypeAlias = int | float | pa.Array
Reals: TypeAlias = npt.NDArray[np.float64]
Wholes: TypeAlias = npt.NDArray[np.int64]
_SHOWN = 5
_LARGEST = 2.0**53  # beyond it, neighbouring whole numbers are no longer distinct as float64


def real_column(bound: Bound, name: str, n_rows: int) -> Reals:
    """Read a bound as float64, one a row. Raises InputError where it is no number, or not one a row."""
    try:
        if isinstance(bound, pa.Array | pa.ChunkedArray):
            values = np.asarray(bound.cast(pa.float64()), np.float64)
        elif isinstance(bound, bool | str):
            raise TypeError
        else:
            values = np.asarray(bound, np.float64)
    except (TypeError, ValueError, pa.ArrowException) as error:
        raise InputError(f"`{name}` must be a number, not {bound!r}") from error
    if values.ndim and len(values) != n_rows:
        raise InputError(f"`{name}` has {len(values)} values for {n_rows} rows")
    return np.broadcast_to(values, n_rows)


def whole_column(bound: Bound, name: str, n_rows: int, *, upwards: bool) -> Wholes:
    """Read a bound as int64, one a row, broken numbers rounded inwards: `upwards` where it is a low bound."""
    values = real_column(bound, name, n_rows)
    refuse(~np.isfinite(values) | (np.abs(values) > _LARGEST), f"`{name}` is beyond what can be drawn")
    return (np.ceil(values) if upwards else np.floor(values)).astype(np.int64)


def refuse(wrong: npt.NDArray[np.bool_], message: str, hint: str = "") -> None:
    """Raise RowsError, naming the first rows, where any of the rows is wrong."""
    failing: Rows = np.flatnonzero(wrong)
    if len(failing):
        raise RowsError(f"{message} in {len(failing)} of {len(wrong)} rows", hint, failing)


def refuse_crossed(low: Wholes | Reals, high: Wholes | Reals, written: Callable[[Any], str] = str) -> None:
    """Raise RowsError where low lies above high, with the bounds of the first such rows as they are `written`."""
    crossed = np.flatnonzero(low > high)
    if len(crossed):
        pairs = list(dict.fromkeys(f"{written(low[row])} > {written(high[row])}" for row in crossed))
        more = ", …" if len(pairs) > _SHOWN else ""
        shown = ", ".join(pairs[:_SHOWN]) + more
        refuse(low > high, f"`low` is above `high` ({shown})", "let the bounds leave room in every row")
