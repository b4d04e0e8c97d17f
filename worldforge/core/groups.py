"""Groups in a column of integers: which place each row takes in its own group. Knows nothing of what is grouped."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]


def rank_in_group(groups: Indices) -> Indices:
    """Count, for each row, the earlier rows of its group: `[7, 9, 7, 7]` gives `[0, 0, 1, 2]`."""
    order, starts, sizes = _runs(groups)
    rank = np.empty(len(groups), np.int64)
    rank[order] = np.arange(len(groups)) - np.repeat(starts, sizes)
    return rank


def first_in_group(groups: Indices) -> Indices:
    """Tell, for each row, which row is the first of its group: `[7, 9, 7, 7]` gives `[0, 1, 0, 0]`."""
    order, starts, sizes = _runs(groups)
    first = np.empty(len(groups), np.int64)
    first[order] = np.repeat(order[starts], sizes)
    return first


def _runs(groups: Indices) -> tuple[Indices, Indices, Indices]:
    """Sort rows by group, earlier rows first; tell where in that order each group starts, and its size."""
    order = np.argsort(groups, kind="stable")
    ordered = groups[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]][: len(groups)])
    return order, starts, np.diff(np.r_[starts, len(groups)])
