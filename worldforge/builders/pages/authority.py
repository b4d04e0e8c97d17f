"""How much weight a page carries: its PageRank over the links between pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

DAMPING = 0.85
"""The share of a page's authority that its links hand on: the value of Brin and Page."""

_DECIMALS = 6
_MANY = 3_000_000  # links, from which on a sparse matrix is worth the 0.2 s that it takes to import
_MOST_THREADS = 4  # each of them walks all sources
Numbers = npt.NDArray[np.integer[Any]]
Weights = npt.NDArray[np.float64]


def page_rank(
    source: Numbers,
    target: Numbers,
    n: int,
    *,
    threads: int = 1,
    damping: float = DAMPING,
    tolerance: float = 1e-8,
    max_rounds: int = 200,
) -> Weights:
    """Return the authority of `n` pages, with mean 1, from links given as page numbers, in the order of their sources.

    Brin and Page, "The anatomy of a large-scale hypertextual Web search engine" (1998), by power iteration until the
    mean change of a page is below `tolerance`. A page without links passes its weight on to all pages evenly. Rounded,
    so that the last bits of a sum decide nothing; for any number of `threads` they are the same.
    """
    out_degree = np.bincount(source, minlength=n)
    dangling = np.flatnonzero(out_degree == 0)
    share = 1.0 / np.maximum(out_degree, 1)
    rank = np.ones(n)
    with _handed_on(source, target, out_degree, threads) as handed_on:
        for _ in range(max_rounds):
            fresh = handed_on(rank * share)
            fresh += rank[dangling].sum() / max(n, 1)
            fresh *= damping
            fresh += 1 - damping
            rank -= fresh
            change = np.abs(rank, out=rank).sum()
            rank = fresh
            if change < tolerance * n:
                break
    return np.round(rank, _DECIMALS)


@contextmanager
def _handed_on(
    source: Numbers, target: Numbers, out_degree: Numbers, threads: int
) -> Iterator[Callable[[Weights], Weights]]:
    """Give what adds up at each page, in the order of links, what links to it bring: a weight a page they come from."""
    n = len(out_degree)
    if len(source) < _MANY:
        wide = target.astype(np.intp)  # once, or each round would convert it
        yield lambda weight: np.bincount(wide, weights=np.repeat(weight, out_degree), minlength=n).astype(
            np.float64, copy=False
        )
        return
    stretches = _even(target, n, min(threads, _MOST_THREADS))
    with ThreadPoolExecutor(len(stretches)) as pool:  # a product lets go of the interpreter's lock, counting does not
        matrices = list(pool.map(lambda stretch: _matrix(source, target, n, *stretch), stretches))
        yield lambda weight: np.concatenate(list(pool.map(lambda matrix: matrix @ weight, matrices)))


def _even(target: Numbers, n: int, parts: int) -> list[tuple[int, int]]:
    """Cut the pages into stretches to which about as many links lead."""
    before = np.cumsum(np.bincount(target, minlength=n))
    cuts = np.searchsorted(before, [before[-1] * part // parts for part in range(1, parts)])
    bounds = [0, *cuts.tolist(), n]
    return list(pairwise(bounds))


def _matrix(source: Numbers, target: Numbers, n: int, first: int, end: int) -> Any:
    """Make the links to the pages from `first` to `end` a matrix, a column a source and an entry a link, in order."""
    from scipy.sparse import csc_array  # late: see `_MANY`

    own = (target >= first) & (target < end)
    begins = np.concatenate([[0], np.cumsum(np.bincount(source[own], minlength=n))])
    return csc_array((np.ones(begins[-1]), target[own] - first, begins), shape=(end - first, n))
