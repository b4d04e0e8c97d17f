"""Tables in which a value stands once for several rows: in the first row of each group, and the others carry it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.core.chance import Stream
from worldforge.core.errors import InputError
from worldforge.world.page_draft import ListingPages, PageColumn
from worldforge.world.passage_reordering import merge_cells, reordered
from worldforge.world.passages import Passages, Positions

_CARRIED = ("〃", "")  # what stands in the place of a value that is the one above

Column = tuple[str, bool, Passages]
"""A column of a table, as `layout.table` takes it."""


def merged_by(listing: ListingPages, key: str) -> PageColumn:
    """Return the column that rows are to be grouped by. Raises InputError where the pages do not state it."""
    columns = {column.key: column for column in listing.items.columns}
    if key not in columns:
        raise InputError(f"`merge: {key}` is no column that the table states", f"it states {', '.join(columns)}")
    return columns[key]


def merged(
    stream: Stream, listing: ListingPages, columns: Sequence[Column], place: int, by: PageColumn
) -> list[Column]:
    """Group each page's rows by the column at `place`, whose values are `by`; say a value in its group's first row.

    The other rows of a group hold a ditto mark or nothing, as is drawn for their page; what they state stands in the
    first. Rows whose value is missing come last, each by itself.
    """
    page = np.repeat(np.arange(len(listing.rows)), np.diff(listing.offsets))
    values = pc.rank(by.bare.text, sort_keys="ascending", tiebreaker="dense").to_numpy().astype(np.int64)
    order = np.lexsort((values, page))
    there = by.bare.said[order]
    begins = (np.diff(page[order], prepend=-1) != 0) | (np.diff(values[order], prepend=-1) != 0)
    first = begins | ~there
    leader = np.maximum.accumulate(np.where(first, np.arange(len(order)), 0))
    mark = stream.integers(listing.rows, 0, len(_CARRIED) - 1)[page[order]]
    moved = [(heading, right, reordered(cell, order)) for heading, right, cell in columns]
    heading, right, cell = moved[place]
    moved[place] = heading, right, _carried(cell, reordered(by.bare, order), leader, mark)
    return moved


def _carried(cell: Passages, bare: Passages, leader: Positions, mark: Positions) -> Passages:
    said = merge_cells(cell, bare, leader)
    follows = leader != np.arange(len(leader))
    marks = pa.array(_CARRIED).take(pa.array(mark))
    length = np.where(follows, pc.utf8_length(marks).to_numpy(), said.length)
    return Passages(pc.if_else(pa.array(follows), marks, said.text), length, said.marks)
