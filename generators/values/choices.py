"""One of several options, and yes or no."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from generators.values.draw_bounds import Bound, real_column, refuse
from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import Booleans, Texts
from worldforge.core.errors import InputError


def choice(stream: Stream, rows: Rows, *, options: Sequence[str], weights: Sequence[float] | None = None) -> Texts:
    """Choose one of `options` a row, evenly or in proportion to `weights`.

    Raises InputError for no options, and for weights that are not one an option, are negative, or are all 0.
    """
    if not options or isinstance(options, str):
        raise InputError("`options` must list at least one option")
    shares = np.ones(len(options)) if weights is None else np.asarray(weights, np.float64)
    if len(shares) != len(options):
        raise InputError(f"{len(shares)} weights for {len(options)} options", "give one weight an option")
    if not np.all(np.isfinite(shares) & (shares >= 0)) or shares.sum() <= 0:
        raise InputError(f"weights must be at least 0, and not all 0: {shares.tolist()}")
    edges = np.cumsum(shares)
    chosen = np.searchsorted(edges, stream.uniform(rows) * edges[-1], side="right")
    last = int(np.flatnonzero(shares)[-1])
    return pa.array([str(option) for option in options]).take(pa.array(np.minimum(chosen, last)))


def boolean(stream: Stream, rows: Rows, *, share: Bound = 0.5) -> Booleans:
    """Draw true for `share` of the rows (0 to 1, for all rows or one a row)."""
    shares = real_column(share, "share", len(rows))
    refuse(~((shares >= 0) & (shares <= 1)), "`share` is not between 0 and 1")
    return pa.array(stream.uniform(rows) < shares)
