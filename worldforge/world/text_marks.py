"""Spans of texts, each with the column and row of the value written there; see `passages`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Positions = npt.NDArray[np.int64]
_ROW_BITS = 40


@dataclass(frozen=True, slots=True)
class Marks:
    """Spans, ordered by row and then by start; `what` packs `code` and `item` into one number."""

    row: Positions
    start: Positions
    length: Positions
    what: Positions

    @property
    def code(self) -> Positions:
        """What sort of thing each span is: the code of the column it was written from."""
        return self.what >> _ROW_BITS

    @property
    def item(self) -> Positions:
        """The row of that column, for each span."""
        return self.what & ((1 << _ROW_BITS) - 1)

    def __len__(self) -> int:
        return len(self.row)

    def below(self, code: int) -> npt.NDArray[np.bool_]:
        """Say which spans are of codes below `code`."""
        return self.what < (code << _ROW_BITS)

    def where(self, kept: npt.NDArray[np.bool_]) -> Marks:
        """Keep the marks for which `kept` is true."""
        places = np.flatnonzero(kept)
        return Marks(self.row[places], self.start[places], self.length[places], self.what[places])


_NONE = np.empty(0, np.int64)
UNMARKED = Marks(_NONE, _NONE, _NONE, _NONE)


def packed(code: int | Positions, rows: Positions) -> Positions:
    """Pack codes and rows as `Marks.what` has them; a row of -1 gives -1."""
    return rows | (code << _ROW_BITS)


def interleaved(n: int, pieces: Sequence[Marks]) -> Marks:
    """Put marks into one order, by row and within a row by piece: each goes to its row's next free place."""
    pieces = [piece for piece in pieces if len(piece)]
    if len(pieces) < 2:
        return pieces[0] if pieces else UNMARKED
    rows = np.arange(n)
    counts = [None if _one_each(piece, rows) else np.bincount(piece.row, minlength=n) for piece in pieces]
    total = np.zeros(n, np.int64)
    for count in counts:
        total += 1 if count is None else count
    free = np.cumsum(total) - total
    start, length, what = np.empty((3, int(total.sum())), np.int64)
    for piece, count in zip(pieces, counts, strict=True):
        if count is None:
            place, free = free, free + 1
        else:
            first = np.cumsum(count) - count
            place = (free - first)[piece.row] + np.arange(len(piece))
            free = free + count
        start[place], length[place], what[place] = piece.start, piece.length, piece.what
    return Marks(np.repeat(rows, total), start, length, what)


def _one_each(piece: Marks, rows: Positions) -> bool:
    return len(piece) == len(rows) and bool(np.array_equal(piece.row, rows))
