"""Groups in a column of integers: the place of each row in its group, and the first row of it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]


def rank_in_group(groups: Indices) -> Indices:
    """Count, for each row, the earlier rows of its group: `[7, 9, 7, 7]` gives `[0, 0, 1, 2]`."""
    order = np.argsort(groups, kind="stable")
    ordered = groups[order]
    rank = np.empty(len(groups), np.int64)
    rank[order] = np.arange(len(groups)) - np.searchsorted(ordered, ordered)
    return rank


def first_in_group(groups: Indices) -> Indices:
    """Return, for each row, the first row of its group: `[7, 9, 7, 7]` gives `[0, 1, 0, 0]`."""
    _, first, group = np.unique(groups, return_index=True, return_inverse=True)
    return first[group]
