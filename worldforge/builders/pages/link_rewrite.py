"""Gives some links of finished texts other addresses: see `detours`. Marks say where each link stands."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.pages.outline import Outline
from worldforge.builders.pages.page_links import are_steady, read_links
from worldforge.builders.pages.redirects import ways_of
from worldforge.world.passage_reordering import cut, replaced
from worldforge.world.passages import Passages, Positions, gather

_OPENS = len("](")  # between the words that a link stands on and its address


def rewrite_links(outline: Outline, text: Passages, sources: Positions) -> tuple[Passages, npt.NDArray[np.bool_]]:
    """Write links by old addresses, and to pages that are gone; say of each link, in order, whether its page is gone.

    Text i is that of the page numbered `sources[i]`.
    """
    web, leading = outline.spec.web, ~text.marks.below(outline.written.n_codes)
    if not (web.redirects or web.dead_links) or not leading.any():
        return text, np.zeros(np.count_nonzero(leading), np.bool_)
    links = text.marks.where(leading)
    targets, _ = read_links(outline, links)
    ways, steady = ways_of(outline.spec, outline.detours, sources[links.row], targets), are_steady(outline, links)
    changed = np.flatnonzero((ways.gone | ways.old) & ~steady)
    start = links.start[changed] + links.length[changed] + _OPENS
    length = pc.utf8_length(outline.urls.take(pa.array(targets[changed]))).to_numpy()
    written = _rewritten(text, links.row[changed], start, start + length, ways.urls.take(pa.array(changed)))
    return written, ways.gone & ~steady


def _rewritten(text: Passages, rows: Positions, starts: Positions, ends: Positions, urls: pa.Array) -> Passages:
    """Write `urls` in the place of the characters [start, end) of the texts `rows`, which are in order."""
    pieces, offsets = cut(text, np.repeat(rows, 2), np.column_stack([starts, ends]).ravel())
    nth = np.arange(len(rows)) - np.searchsorted(rows, rows)  # of the links that change in its text
    return gather(replaced(pieces, offsets[rows] + 1 + 2 * nth, urls), offsets)
