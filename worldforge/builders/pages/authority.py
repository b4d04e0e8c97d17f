"""How much weight a page carries: its PageRank over the links between pages."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

DAMPING = 0.85
"""The share of a page's authority that its links hand on: the value of Brin and Page."""

_DECIMALS = 6


def page_rank(
    source: npt.NDArray[np.integer[Any]],
    target: npt.NDArray[np.integer[Any]],
    n: int,
    *,
    damping: float = DAMPING,
    tolerance: float = 1e-8,
    max_rounds: int = 200,
) -> npt.NDArray[np.float64]:
    """Return the authority of `n` pages, with mean 1, from links given as page numbers, in the order of their sources.

    Brin and Page, "The anatomy of a large-scale hypertextual Web search engine" (1998), by power iteration until the
    mean change of a page is below `tolerance`. A page without links passes its weight on to all pages evenly. Rounded,
    so that the last bits of a sum decide nothing.
    """
    target = target.astype(np.intp)  # once, or each round would convert it
    out_degree = np.bincount(source, minlength=n)
    dangling = np.flatnonzero(out_degree == 0)
    share = 1.0 / np.maximum(out_degree, 1)
    rank = np.ones(n)
    for _ in range(max_rounds):
        flow = np.bincount(target, weights=np.repeat(rank * share, out_degree), minlength=n)
        fresh = 1 - damping + damping * (flow + rank[dangling].sum() / max(n, 1))
        change = np.abs(fresh - rank).sum()
        rank = fresh
        if change < tolerance * n:
            break
    return np.round(rank, _DECIMALS)
