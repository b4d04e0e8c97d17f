"""How much weight a page carries: its PageRank over the links between pages."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

DAMPING = 0.85
"""The share of a page's authority that its links hand on: the value of Brin and Page."""

_DECIMALS = 6
Numbers = npt.NDArray[np.integer[Any]]
Weights = npt.NDArray[np.float64]


def page_rank(
    source: Numbers,
    target: Numbers,
    n: int,
    *,
    damping: float = DAMPING,
    tolerance: float = 1e-8,
    max_rounds: int = 200,
) -> Weights:
    """Return the authority of `n` pages, with mean 1, from links given as page numbers, in the order of their sources.

    Brin and Page, "The anatomy of a large-scale hypertextual Web search engine" (1998), by power iteration until the
    mean change of a page is below `tolerance`. A page without links passes its weight on to all pages evenly. Rounded,
    so that the last bits of a sum decide nothing.
    """
    out_degree = np.bincount(source, minlength=n)
    dangling = np.flatnonzero(out_degree == 0)
    share = 1.0 / np.maximum(out_degree, 1)
    target = target.astype(np.intp)  # once, or each round would convert it
    rank = np.ones(n)
    for _ in range(max_rounds):
        evenly = damping * rank[dangling].sum() / max(n, 1) + 1 - damping
        fresh = damping * np.bincount(target, np.repeat(rank * share, out_degree), n) + evenly
        change, rank = np.abs(fresh - rank).sum(), fresh
        if change < tolerance * n:
            break
    return np.round(rank, _DECIMALS)
