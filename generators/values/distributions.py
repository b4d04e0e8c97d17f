"""How draws spread between their bounds: each distribution is its inverse, from a share in [0, 1) to a place.

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
from typing import Literal, get_args

import numpy as np

from generators.values.draw_bounds import Reals, Wholes, refuse, refuse_crossed
from generators.values.normal_quantiles import deviations
from worldforge.core.chance import Rows, Stream
from worldforge.core.errors import InputError

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
    if isinstance(step, bool) or not isinstance(step, int) or step < 1:
        raise InputError(f"`step` must be a whole number of at least 1, not {step!r}")
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
        return 0.5 + deviations(below + share * (1 - 2 * below)) / (2 * _DEVIATIONS)
    if distribution == "geometric":
        falling: Reals = -np.log1p(share * np.expm1(-_DECAY)) / _DECAY
        return falling
    return share
