"""Links between pages: how a passage comes to hold them, and how its marks are read back.

A link's mark has a code above those of columns: one a type, whose item is the entity whose article it leads to; then
one for each of `ANCHORS`, whose item is the page it leads to.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import pyarrow as pa

from worldforge.builders.outline import Outline
from worldforge.builders.written import n_codes
from worldforge.world.passages import Passages, Positions, choose, fill, plain

Anchor = Literal["heading", "Next page", "Previous page"]
ANCHORS: tuple[Anchor, ...] = ("heading", "Next page", "Previous page")
"""What a link to a page is called: the page's heading, or these words."""


def link_entities(outline: Outline, passages: Passages, type_name: str, rows: Positions) -> Passages:
    """Link each passage to the article of the entity in `rows` (-1 for none), where it has one."""
    pages = np.where(rows >= 0, outline.articles[type_name][rows], -1)
    code = n_codes(outline.written) + list(outline.spec.types).index(type_name)

    def linked(own: Positions) -> Passages:
        return _linked(outline, passages.select(own).marked(code, rows[own]), pages[own])

    return choose((pages >= 0).astype(np.int64), [passages.select, linked])


def link_pages(outline: Outline, anchor: Anchor, pages: Positions) -> Passages:
    """Link to each of `pages`, by page number; nothing is said where that is -1."""
    code = n_codes(outline.written) + len(outline.spec.types) + ANCHORS.index(anchor)
    words = outline.headings if anchor == "heading" else pa.repeat(anchor, len(outline))
    texts = plain(words.take(pa.array(pages, mask=pages < 0)))
    return _linked(outline, texts.marked(code, pages), pages)


def read_link(outline: Outline, code: int, items: Positions) -> tuple[Positions, pa.Array]:
    """Say where the links of one code lead: page numbers, and the words they stand on."""
    place = code - n_codes(outline.written)
    types = list(outline.spec.types)
    if place < len(types):
        names = outline.written[types[place]].names.text
        return outline.articles[types[place]][items], names.take(pa.array(items))
    anchor = ANCHORS[place - len(types)]
    words = outline.headings.take(pa.array(items)) if anchor == "heading" else pa.repeat(anchor, len(items))
    return items, words


def _linked(outline: Outline, passages: Passages, pages: Positions) -> Passages:
    url = outline.urls.take(pa.array(pages, mask=pages < 0))
    return fill("[{text}]({url})", text=passages, url=plain(url))
