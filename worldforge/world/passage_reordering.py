"""Cut, reorder and merge passages: marks move with the text, as in `passages`.

pieces, offsets = cut(texts, rows, places)      # text i falls into pieces[offsets[i]:offsets[i + 1]]
gather(reordered(pieces, order), offsets)       # the same pieces in another order, as texts again
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.world.passages import Passages, Positions
from worldforge.world.text_marks import Marks


def cut(passages: Passages, rows: Positions, places: Positions) -> tuple[Passages, Positions]:
    """Cut texts before the characters `places` of the texts `rows`; return the pieces, and each text's offset in them.

    `rows` ascend, and so do the places within a row; each lies within its text and in no mark. Texts are all said.
    """
    offsets = np.concatenate([[0], np.cumsum(1 + np.bincount(rows, minlength=len(passages)))])
    first = offsets[:-1]
    ends = np.concatenate([[0], np.cumsum(passages.length)])  # in characters, of all texts one after the other
    starts = np.zeros(offsets[-1], np.int64)
    own = np.ones(offsets[-1], np.bool_)
    own[first] = False
    starts[own], starts[first] = places, 0
    row = np.repeat(np.arange(len(passages)), np.diff(offsets))
    whole = np.append(ends[row] + starts, ends[-1])
    marks = passages.marks
    piece = np.searchsorted(whole, ends[marks.row] + marks.start, side="right") - 1
    piece = np.minimum(piece, len(row) - 1)
    moved = Marks(piece, marks.start - starts[piece], marks.length, marks.what)
    return Passages(_cut_text(passages.text, whole), np.diff(whole), moved), offsets


def reordered(passages: Passages, order: Positions) -> Passages:
    """Take the texts `order`, each at most once, in the order given."""
    place = np.full(len(passages), -1, np.int64)
    place[order] = np.arange(len(order))
    kept = passages.marks.where(place[passages.marks.row] >= 0)
    marks = _sorted(Marks(place[kept.row], kept.start, kept.length, kept.what))
    return Passages(passages.text.take(pa.array(order)), passages.length[order], marks)


def replaced(passages: Passages, rows: Positions, texts: pa.Array) -> Passages:
    """Write `texts` in the place of the texts `rows`, which have no marks."""
    place = np.full(len(passages), -1, np.int64)
    place[rows] = np.arange(len(rows))
    other = place >= 0
    instead = texts.take(pa.array(place, mask=~other))
    length = passages.length.copy()
    length[rows] = pc.utf8_length(texts).to_numpy()
    return Passages(pc.if_else(pa.array(other), instead, passages.text), length, passages.marks)


def merge_cells(passages: Passages, bare: Passages, leader: Positions) -> Passages:
    """Merge equal cells: row i becomes empty where `leader[i]` is another row, which then states the fact of i.

    `bare` are the same values with their one mark each, that of the fact: where a leader's value stands in `passages`
    the marks of those that it speaks for come to stand as well. A leader is its own leader.
    """
    facts = bare.marks
    own, theirs = _fact_places(passages, bare)
    led = np.flatnonzero(leader[facts.row] != facts.row)
    at = own[leader[facts.row[led]]]
    more = Marks(leader[facts.row[led]], theirs[at], facts.length[led], facts.what[led])
    said = passages.keep(leader == np.arange(len(passages)))
    marks = _sorted(Marks(*(np.concatenate(both) for both in zip(_parts(said.marks), _parts(more), strict=True))))
    return Passages(said.text, said.length, marks)


def _fact_places(passages: Passages, bare: Passages) -> tuple[Positions, Positions]:
    """Find each row's fact among the marks of `passages`: the mark's number by row (-1 for none), all marks' starts."""
    what = np.full(len(bare), -1, np.int64)
    what[bare.marks.row] = bare.marks.what
    found = np.flatnonzero(passages.marks.what == what[passages.marks.row])
    own = np.full(len(bare), -1, np.int64)
    own[passages.marks.row[found]] = found
    return own, passages.marks.start


def _parts(marks: Marks) -> tuple[Positions, Positions, Positions, Positions]:
    return marks.row, marks.start, marks.length, marks.what


def _sorted(marks: Marks) -> Marks:
    """Put marks in order of row and start; those that stand alike keep their order."""
    order = np.lexsort((marks.start, marks.row))
    return Marks(marks.row[order], marks.start[order], marks.length[order], marks.what[order])


def _cut_text(texts: pa.Array, whole: Positions) -> pa.Array:
    """Cut texts, one after the other, into stretches that begin at the characters `whole`, whose last is the end."""
    joined = pa.concat_arrays([pa.array([""]), texts])  # a copy of its own, so that the bytes begin where they begin
    data: npt.NDArray[np.uint8] = np.frombuffer(joined.buffers()[2] or b"", np.uint8)[: _n_bytes(joined)]
    begins = np.flatnonzero((data & 0xC0) != 0x80)  # the bytes at which a character begins, in UTF-8
    places = np.append(begins, len(data))[whole]
    return pa.StringArray.from_buffers(len(whole) - 1, pa.py_buffer(places.astype(np.int32)), joined.buffers()[2])


def _n_bytes(texts: pa.Array) -> int:
    return int(pc.sum(pc.binary_length(texts)).as_py() or 0)
