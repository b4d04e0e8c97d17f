"""A check on the authority of pages: it is what the links on file give them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from worldforge.builders.audit.finding import MOST_SHOWN, CheckCounter, Finding
from worldforge.builders.pages.pagerank import DAMPING
from worldforge.world.parquet_reader import Table, parts
from worldforge.world.passages import Positions
from worldforge.world.stable_ids import rows_of

_ENDS = ["source", "target"]
_CLOSE = 1e-4  # authority is rounded, and rounds end when pages change little in the mean


def check_authority(pages: Table, links: Table, authority: pa.Table) -> Finding:
    """What pages hand on along the links on file comes back to each as its authority: PageRank's own equation.

    However the authority was found, only one satisfies it.
    """
    tally = CheckCounter("authority")
    n = pages.num_rows
    tally.checked(n)
    if not authority["page"].combine_chunks().equals(pages["id"].combine_chunks()):
        tally.failed(["authority.parquet does not list the pages of pages.parquet, in their order"], n)
        return tally.finding()
    source, target = _followed(links, n)
    rank = authority["authority"].to_numpy()
    n_led = np.bincount(source, minlength=n)
    flow = np.bincount(target, weights=(rank / np.maximum(n_led, 1))[source], minlength=n)
    given = 1 - DAMPING + DAMPING * (flow + rank[n_led == 0].sum() / max(n, 1))
    wrong = np.flatnonzero(~np.isclose(given, rank, rtol=_CLOSE, atol=_CLOSE))
    shown = wrong[:MOST_SHOWN].tolist()
    tally.failed(
        [f"page/{p:06d} has authority {rank[p]:.6f}, its links give {given[p]:.6f}" for p in shown], len(wrong)
    )
    return tally.finding()


def _followed(links: Table, n_pages: int) -> tuple[Positions, Positions]:
    """Return from which page to which each link leads that leads to a page."""
    ends = [np.stack([rows_of(part[end]) for end in _ENDS]) for part in parts(links, _ENDS)]
    source, target = np.concatenate([np.empty((2, 0), np.int64), *ends], axis=1)
    there = (source >= 0) & (source < n_pages) & (target >= 0) & (target < n_pages)
    return source[there], target[there]
