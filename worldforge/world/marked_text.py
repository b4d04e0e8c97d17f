"""A text, the spans of it that state facts, and its links.

Positions and lengths count characters (code points), as Python's `str` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, chain, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Mark = tuple[int, int, int, int]
"""(start, end, code, row) of a fact."""
Link = tuple[int, int, int]
"""(start, end, page) of the words of a link; the page is -1 where it is gone."""


class MarkedText:
    """A text that grows at its end, in pieces. Marks and links stand from one piece to another."""

    __slots__ = ("linked", "marked", "pieces")

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.marked: list[int] = []
        """Of each fact, one after the other: its first piece, the piece behind its last, code and row."""
        self.linked: list[int] = []
        """Of each link, one after the other: its first piece, the piece behind its last, and the page."""

    def __str__(self) -> str:
        return "".join(self.pieces)

    @property
    def marks(self) -> list[Mark]:
        """The facts, by characters, in the order in which they were written."""
        at, own = self._places(), self.marked
        return [(at[a], at[b], code, row) for a, b, code, row in zip(*(own[n::4] for n in range(4)), strict=True)]

    @property
    def links(self) -> list[Link]:
        """The links, by characters, in the order in which they were written."""
        at, own = self._places(), self.linked
        return [(at[a], at[b], page) for a, b, page in zip(*(own[n::3] for n in range(3)), strict=True)]

    def write(self, text: str) -> None:
        """Append a text that states nothing."""
        self.pieces.append(text)

    def write_marked(self, text: str, marks: Sequence[Mark], links: Sequence[Link]) -> None:
        """Append a text with its marks and links."""
        bounds = sorted({0, len(text)}.union(*((start, end) for start, end, *_ in chain(marks, links))))
        place = {bound: len(self.pieces) + number for number, bound in enumerate(bounds)}
        self.pieces += [text[start:end] for start, end in pairwise(bounds)]
        for start, end, code, row in marks:
            self.marked += (place[start], place[end], code, row)
        for start, end, page in links:
            self.linked += (place[start], place[end], page)

    def append(self, other: MarkedText, start: int = 0, end: int | None = None) -> None:
        """Append characters `start` to `end` of another text, with the marks and links that lie within."""
        text = str(other)
        end = len(text) if end is None else end
        marks = [(a - start, b - start, code, row) for a, b, code, row in other.marks if start <= a and b <= end]
        links = [(a - start, b - start, page) for a, b, page in other.links if start <= a and b <= end]
        self.write_marked(text[start:end], marks, links)

    def _places(self) -> list[int]:
        """Return where each piece begins, and where the text ends."""
        return list(accumulate(map(len, self.pieces), initial=0))


class Spans(NamedTuple):
    """Marks or links of several texts, by characters."""

    columns: npt.NDArray[np.int64]
    """A row each: (start, end, code, row) of a mark, (start, end, page) of a link."""
    text_of: npt.NDArray[np.int64]
    """The place of the text in which each stands."""


def spans_of(texts: Sequence[MarkedText]) -> tuple[Spans, Spans]:
    """Return the marks and the links of several texts, in their order."""
    lengths = _integers(map(len, chain.from_iterable(text.pieces for text in texts)))
    at = np.concatenate([[0], np.cumsum(lengths)])
    first = np.cumsum([0, *(len(text.pieces) for text in texts)])

    def by_character(own: Sequence[list[int]], width: int) -> Spans:
        text_of = np.repeat(np.arange(len(texts)), [len(one) // width for one in own])
        columns = _integers(chain.from_iterable(own)).reshape(-1, width)
        columns[:, :2] = at[columns[:, :2] + first[text_of, None]] - at[first[text_of], None]
        return Spans(columns, text_of)

    return by_character([text.marked for text in texts], 4), by_character([text.linked for text in texts], 3)


def _integers(numbers: Iterable[int]) -> npt.NDArray[np.int64]:
    return np.fromiter(numbers, np.int64)
