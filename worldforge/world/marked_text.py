"""A text, the spans of it that state facts, and its links.

Positions and lengths count characters (code points), as Python's `str` does.
"""

from __future__ import annotations


class MarkedText:
    """A text that grows at its end, and its marks in the order of their starts."""

    __slots__ = ("length", "links", "marks", "parts")

    def __init__(self) -> None:
        self.parts: list[str] = []
        """The pieces of the text."""
        self.length = 0
        self.marks: list[tuple[int, int, int, int]] = []
        """(start, end, code, row) of each fact."""
        self.links: list[tuple[int, int, int]] = []
        """(start, end, page) of the words of each link; the page is -1 where it is gone."""

    def __str__(self) -> str:
        if len(self.parts) > 1:
            self.parts = ["".join(self.parts)]
        return self.parts[0] if self.parts else ""

    def write(self, text: str) -> None:
        """Append a text that states nothing."""
        self.parts.append(text)
        self.length += len(text)

    def append(self, other: MarkedText, start: int = 0, end: int | None = None) -> None:
        """Append characters `start` to `end` of another text, with the marks and links that lie within."""
        end = other.length if end is None else end
        shift = self.length - start
        self.marks += [(a + shift, b + shift, c, row) for a, b, c, row in other.marks if start <= a and b <= end]
        self.links += [(a + shift, b + shift, page) for a, b, page in other.links if start <= a and b <= end]
        self.write(str(other)[start:end])
