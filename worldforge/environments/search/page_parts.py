"""Split long pages into parts at line ends."""

from __future__ import annotations

MOST_CHARACTERS = 6_000
"""Characters of page text in one part, at most."""


def page_parts(text: str) -> list[tuple[int, int]]:
    """Split `text` into consecutive parts [start, end); an empty text is one part.

    A part ends after the last line end it can hold; in a longer line after a blank, in a longer word anywhere.
    """
    parts = []
    start = 0
    while len(text) - start > MOST_CHARACTERS:
        end = _cut(text, start)
        parts.append((start, end))
        start = end
    return [*parts, (start, len(text))]


def _cut(text: str, start: int) -> int:
    limit = start + MOST_CHARACTERS
    for mark in ("\n", " "):
        end = text.rfind(mark, start, limit) + 1
        if end > start:
            return end
    return limit
