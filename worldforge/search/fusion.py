"""Several rankings made into one: reciprocal-rank fusion.

Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods"
(2009): a page's score is the sum over rankings of weight / (K + its rank there), ranks from 1. K is theirs; the weight
of a ranking, 1 in the paper, is ours.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

K = 60

Rows = npt.NDArray[np.int64]


def fuse(rankings: Sequence[tuple[Rows, float]]) -> tuple[Rows, npt.NDArray[np.float64]]:
    """Return the pages of all rankings (rows, best first, and a weight each), in order of rows, and their scores."""
    pages = np.unique(np.concatenate([np.empty(0, np.int64), *(rows for rows, _ in rankings)]))
    scores = np.zeros(len(pages))
    for rows, weight in rankings:
        scores[np.searchsorted(pages, rows)] += weight / (K + np.arange(1, len(rows) + 1))
    return pages, scores
