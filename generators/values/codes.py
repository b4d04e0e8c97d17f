"""Generate codes from a pattern, version numbers, and times of day."""

from __future__ import annotations

import math
import re
import string

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from generators.values.distributions import check_whole, refuse_crossed
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Texts
from worldforge.core.errors import InputError

_DRAWN = {"A": string.ascii_uppercase, "a": string.ascii_lowercase, "0": string.digits}
_TIME = re.compile(r"([01]\d|2[0-3]):([0-5]\d)")


def code(stream: Stream, rows: Rows, *, pattern: str) -> Texts:
    r"""Make codes, no two the same: `AA-000` gives `QD-417`, `\IS\O 0000` gives `ISO 5310`.

    `A` stands for a capital, `a` for a small letter, `0` for a digit; all else, and what follows a `\`, for itself.
    Raises InputError where the pattern does not make as many as `rows` asks for.
    """
    pools = [_DRAWN.get(part, part[-1]) for part in re.findall(r"\\.|.", pattern)]
    size = math.prod(map(len, pools))
    n_needed = int(rows.max(initial=-1)) + 1
    if n_needed > size or size > 2**62:
        message = f"`{pattern}` makes {size:,} codes, and {n_needed:,} are asked for"
        raise InputError(message, "lengthen the pattern" if n_needed > size else "shorten the pattern")
    places = np.unravel_index(stream.permutation(rows, size), [len(pool) for pool in pools])
    columns = [pa.array(list(pool)).take(pa.array(place)) for pool, place in zip(pools, places, strict=True)]
    return pc.binary_join_element_wise(*columns, "") if len(rows) else pa.array([], pa.string())


def version(stream: Stream, rows: Rows, *, major: int = 9, minor: int = 20, patch: int = 30) -> Texts:
    """Draw version numbers, each part from 0 up to what is given: `4.12.3`; never 0.0.0. Raises InputError below 1."""
    parts = {"major": major, "minor": minor, "patch": patch}
    for name, most in parts.items():
        check_whole(most, name)
    drawn = stream.integers(rows, 1, math.prod(most + 1 for most in parts.values()) - 1)
    columns = np.unravel_index(drawn, [most + 1 for most in parts.values()])
    return pc.binary_join_element_wise(*(pa.array(column).cast(pa.string()) for column in columns), ".")


def time(stream: Stream, rows: Rows, *, low: str = "00:00", high: str = "23:59", step: int = 1) -> Texts:
    """Draw times of day from `low` to `high`, both included, in steps of minutes: `14:35`, so written that they sort.

    Raises InputError for what is no time, or bounds that leave none.
    """
    check_whole(step, "step")
    first, last = _minutes(low, "low"), _minutes(high, "high")
    refuse_crossed(np.array([first]), np.array([last]), lambda minutes: "{:02}:{:02}".format(*divmod(minutes, 60)))
    minutes = first + step * stream.integers(rows, 0, (last - first) // step)
    parts = [pc.utf8_lpad(pa.array(part).cast(pa.string()), 2, "0") for part in np.divmod(minutes, 60)]
    return pc.binary_join_element_wise(*parts, ":")


def _minutes(text: str, name: str) -> int:
    """Read a time of day as minutes since midnight."""
    read = _TIME.fullmatch(str(text))
    if read is None:
        raise InputError(f"`{name}` must be a time such as 06:30, not {text!r}")
    return int(read[1]) * 60 + int(read[2])
