"""A reprint: another page nearly word for word, as papers print what agencies send."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from generators.pages.banks.reprints import REPRINTS
from generators.pages.layout import dated, draw, draw_filled, later
from worldforge.core.chance import Stream
from worldforge.world.page_draft import Layout, OriginalPages, PageDraft
from worldforge.world.passage_reordering import cut, reordered
from worldforge.world.passages import Passages, Positions, concat, gather, plain

_MOST_DAYS_LATER = 30
_WAYS = 3  # of owning up to it: a prefix to the headline, a credit after the first paragraph, a credit at the end
_DROPPED = 0.15  # of the paragraphs that are neither first nor last
_MOVED = 0.3  # of the reprints in which one of those has changed places with the next


def reprint(
    stream: Stream, originals: OriginalPages
) -> Annotated[PageDraft, Layout(path="/{kind}/{name}", site="Digest")]:
    """Write each original again, some days later: credited, a paragraph dropped or moved here and there."""
    rows, bank = originals.rows, REPRINTS[originals.language]
    days = stream.child("published").integers(rows, 1, _MOST_DAYS_LATER)
    published = later(originals.published, days, originals.as_of)
    first, rest = _rearranged(stream, originals)
    way = stream.child("way").integers(rows, 0, _WAYS - 1)
    titled = pc.starts_with(originals.text.text, "# ").to_numpy(zero_copy_only=False) & (way == 0)
    prefixes = concat(draw(stream.child("prefix"), rows, bank.prefixes), "").keep(titled)
    date = dated(originals.published, originals.language)
    credit = draw_filled(stream.child("credit"), rows, bank.credits, site=originals.first_site, date=date)
    early = rest.said & (way == 1)
    text = concat(
        _prefixed(first, prefixes, titled),
        concat(credit, "\n").keep(early),
        rest,
        concat(_line_end(originals.text), credit).keep(~titled & ~early),
    )
    return PageDraft(concat(prefixes, plain(originals.titles)).text, text, published)


def _prefixed(texts: Passages, prefixes: Passages, chosen: npt.NDArray[np.bool_]) -> Passages:
    """Put a prefix after the sign of the heading that a chosen text begins with."""
    rows = np.flatnonzero(chosen)
    pieces, offsets = cut(texts, rows, np.full(len(rows), len("# ")))
    signs = reordered(pieces, offsets[:-1]).keep(chosen)
    others = reordered(pieces, offsets[1:] - 1)
    return concat(signs, prefixes, others)


def _line_end(texts: Passages) -> Passages:
    """End a line where a text does not end with an empty one."""
    return plain(pc.if_else(pc.ends_with(texts.text, "\n\n"), "", "\n"))


def _rearranged(stream: Stream, originals: OriginalPages) -> tuple[Passages, Passages]:
    """Return each text's beginning, and the rest of it: some blocks dropped, some moved, the last where it was."""
    pieces, offsets = cut(originals.text, *_block_ends(originals.text))
    count = np.diff(offsets)
    text = np.repeat(np.arange(len(count)), count)
    place = np.arange(len(text)) - offsets[text]
    inner = (place > 0) & (place < count[text] - 1)
    dropped = _drawn(stream.child("dropped"), originals.rows, text, place) < _DROPPED
    kept = np.flatnonzero((place > 0) & ~(inner & dropped))
    moves = stream.child("moved").uniform(originals.rows) < _MOVED
    whom = 1 + np.floor(stream.child("whom").uniform(originals.rows) * np.maximum(count - 3, 1)).astype(np.int64)
    behind = np.where(moves[text] & inner & (place + 1 < count[text] - 1) & (place == whom[text]), 1.5, 0.0)
    order = kept[np.lexsort((place[kept] + behind[kept], text[kept]))]
    runs = np.concatenate([[0], np.cumsum(np.bincount(text[kept], minlength=len(count)))])
    return reordered(pieces, offsets[:-1]), gather(reordered(pieces, order), runs)


def _drawn(stream: Stream, rows: Positions, text: Positions, place: Positions) -> npt.NDArray[np.float64]:
    """Draw a number in [0, 1) for each block, by its text's row and its place in the text."""
    drawn = np.empty(len(text))
    for one in range(int(place.max(initial=-1)) + 1):
        here = np.flatnonzero(place == one)
        drawn[here] = stream.child(one).uniform(rows[text[here]])
    return drawn


def _block_ends(texts: Passages) -> tuple[Positions, Positions]:
    """Find where a text's blocks end, but for the last: the text's number, and the character after the empty line.

    A block is a paragraph, a list or a table, with the headings, rules and announcements right before it.
    """
    paragraphs = pc.split_pattern(texts.text, "\n\n")
    words = pc.list_flatten(paragraphs)
    text = pc.list_parent_indices(paragraphs).to_numpy()
    announces = pc.match_substring_regex(words, r"\A#|[:：]\z|\A---\z").to_numpy(zero_copy_only=False)
    size = pc.utf8_length(words).to_numpy().astype(np.int64) + len("\n\n")
    ends = np.cumsum(size)
    begin = ends - size
    first = np.searchsorted(text, np.arange(len(texts)))
    place = ends - begin[first][text]
    last = np.append(text[1:] != text[:-1], True)
    chosen = ~announces & ~last
    return text[chosen].astype(np.int64), place[chosen]
