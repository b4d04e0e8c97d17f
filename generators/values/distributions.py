"""Distributions of drawn values between their bounds, each given as its inverse cumulative function.

| distribution | density between the bounds                                                                  |
|--------------|---------------------------------------------------------------------------------------------|
| uniform      | even                                                                                        |
| log_uniform  | even in the logarithm: as many from 10 to 100 as from 100 to 1000; bounds above 0           |
| normal       | a bell around the middle, cut off at the bounds, which lie three standard deviations away   |
| geometric    | falls from the low bound, to 1/e with every fifth of the range, cut off at the high bound   |

Cutting off is exact: shares are drawn inside the kept part (inverse transform sampling: Devroye 1986, II.2).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from worldforge.core.chance import Rows, Stream
from worldforge.core.errors import InputError, RowsError

Distribution = Literal["uniform", "log_uniform", "normal", "geometric"]
_DEVIATIONS = 3.0
_DECAY = 5.0
_DIGITS = 6  # places of a step that count, so that no last bit of a logarithm decides between two values


def draw_whole(stream: Stream, rows: Rows, low: Wholes, high: Wholes, step: int, distribution: Distribution) -> Wholes:
    """Draw `low`, `low + step`, … up to `high`, one a row: int64, bounds included and always held.

    Raises RowsError where low lies above high, or where a log_uniform begins at or below 0.
    """
    if distribution not in get_args(Distribution):
        raise InputError(f"unknown distribution `{distribution}`", f"choose among {', '.join(get_args(Distribution))}")
    check_whole(step, "step")
    refuse_crossed(low, high)
    n_steps = ((high - low) // step + 1).astype(np.float64)
    share = stream.uniform(rows)
    if distribution == "log_uniform":
        refuse(low <= 0, "a log_uniform needs `low` above 0, which does not hold", "raise `low` to 1")
        place = low * (np.power((low + n_steps * step) / low, share) - 1) / step
    else:
        place = _place(share, distribution) * n_steps
    offset = np.clip(np.floor(np.round(place, _DIGITS)), 0, n_steps - 1)
    drawn: Wholes = low + step * offset.astype(np.int64)
    return drawn


def _place(share: Reals, distribution: Distribution) -> Reals:
    """Turn shares in [0, 1) into places in [0, 1), by the inverse of the distribution on the unit range."""
    if distribution == "normal":
        below = math.erfc(_DEVIATIONS / math.sqrt(2)) / 2
        deviations = map(NormalDist().inv_cdf, (below + share * (1 - 2 * below)).tolist())
        return 0.5 + np.fromiter(deviations, np.float64, len(share)) / (2 * _DEVIATIONS)
    if distribution == "geometric":
        falling: Reals = -np.log1p(share * np.expm1(-_DECAY)) / _DECAY
        return falling
    return share


Bound: TypeAlias = int | float | pa.Array
Reals: TypeAlias = npt.NDArray[np.float64]
Wholes: TypeAlias = npt.NDArray[np.int64]
_SHOWN = 5
_LARGEST = 2.0**53  # beyond it, neighbouring whole numbers are no longer distinct as float64


def check_whole(value: object, name: str, least: int = 1, most: int | None = None) -> None:
    """Raise InputError where a parameter is no whole number, or lies outside its bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least or (most is not None and value > most):
        bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise InputError(f"`{name}` must be a whole number {bounds}, not {value!r}")


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
