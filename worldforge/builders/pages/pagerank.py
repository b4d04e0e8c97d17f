"""How much weight a page carries: its PageRank over the links between pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from worldforge.core.thread_pool import thread_pool as executor

DAMPING = 0.85
"""The share of a page's authority that its links hand on: the value of Brin and Page."""

_DECIMALS = 6
_MANY = 3_000_000  # links, from which on a sparse matrix is worth the 0.2 s that it takes to import
_MOST_THREADS = 4  # each of them walks all sources
_BLOCK = 1 << 14  # pages that are summed up together, whoever does it
_PAGE_WEIGHT = 3  # links that take as long, each round, as what is done of a page besides
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
    threads = min(threads, _MOST_THREADS) if len(source) >= _MANY else 1
    out_degree = np.bincount(source, minlength=n)
    dangling = np.flatnonzero(out_degree == 0)
    share = 1.0 / np.maximum(out_degree, 1)
    rank, given, given_next = np.ones(n), share.copy(), np.empty(n)
    with executor(threads) as pool:  # a product lets go of the interpreter's lock, counting does not
        links = pool.map(lambda pages: _links_to(source, target, out_degree, pages), _even(target, n, threads))
        stretches = [_Stretch(pages, handed_on, rank[pages], share[pages]) for pages, handed_on in links]
        for _ in range(max_rounds):
            evenly = damping * rank[dangling].sum() / max(n, 1) + 1 - damping
            settle = partial(_Stretch.settle, given=given, damping=damping, evenly=evenly, given_next=given_next)
            changes = np.concatenate(list(pool.map(settle, stretches)))
            given, given_next = given_next, given
            if changes.sum() < tolerance * n:
                break
    return np.round(rank, _DECIMALS)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Pages that one thread settles, round by round: what links bring them, their ranks, the share of each own link."""

    pages: slice
    handed_on: Callable[[Weights], Weights]
    rank: Weights
    share: Weights

    def settle(self, given: Weights, damping: float, evenly: float, given_next: Weights) -> Weights:
        """Rank the pages by what all pages have `given` to each link, and put down what these give in the next round.

        `evenly` comes to every page. Returns how much ranks have changed, added up by blocks.
        """
        fresh = self.handed_on(given)
        fresh *= damping
        fresh += evenly
        np.multiply(fresh, self.share, out=given_next[self.pages])
        change = np.abs(np.subtract(self.rank, fresh, out=self.rank), out=self.rank)
        changes: Weights = np.add.reduceat(change, np.arange(0, len(change), _BLOCK))
        self.rank[:] = fresh
        return changes


def _even(target: Numbers, n: int, parts: int) -> list[slice]:
    """Cut the pages into stretches, of whole blocks, that take about as long to settle."""
    if parts == 1:
        return [slice(0, n)]
    before = np.cumsum(np.bincount(target, minlength=n) + _PAGE_WEIGHT)
    cuts = np.searchsorted(before, [before[-1] * part // parts for part in range(1, parts)]) // _BLOCK * _BLOCK
    return [slice(*bounds) for bounds in pairwise(sorted({0, *cuts.tolist(), n}))]


def _links_to(
    source: Numbers, target: Numbers, out_degree: Numbers, pages: slice
) -> tuple[slice, Callable[[Weights], Weights]]:
    """Give what adds up at each of the `pages`, in the order of links, what links bring: so much each, by source."""
    n = len(out_degree)
    if len(source) < _MANY:
        wide = target.astype(np.intp)  # once, or each round would convert it
        return pages, lambda given: np.bincount(wide, weights=np.repeat(given, out_degree), minlength=n).astype(
            np.float64, copy=False
        )
    from scipy.sparse import csc_array  # late: see `_MANY`

    own = (target >= pages.start) & (target < pages.stop)
    begins = np.concatenate([[0], np.cumsum(np.bincount(source[own], minlength=n))])
    entries = np.ones(begins[-1]), target[own] - pages.start, begins
    matrix = csc_array(entries, shape=(pages.stop - pages.start, n))  # a column a source, an entry a link, in order
    return pages, lambda given: matrix @ given
