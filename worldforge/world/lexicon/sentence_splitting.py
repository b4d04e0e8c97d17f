"""Where sentences end. The same text is cut the same way, whoever wrote it."""

from __future__ import annotations

import re
from itertools import pairwise

_BREAK = re.compile(
    r"""[.!?…]+["'”’)\]*]*\s+(?=["'“‘(\[*]*[^\W_a-z])|(?<=[。！？])[”’」）】]*(?![”’」）】])|\s*\n\s*"""
)
_SPACES = " \t\n\r\"'“‘(["


def sentences(text: str) -> list[str]:
    """Cut prose into sentences, surrounding blanks off: after `.`, `!`, `?` or `…` where a capital or a figure follows.

    Chinese stops (`。`, `！`, `？`) end a sentence whatever follows.
    A line's end is a sentence's end. Nothing but blanks is lost.
    """
    cuts = [0, *(match.end() for match in _BREAK.finditer(text)), len(text)]
    pieces = (text[start:end].strip() for start, end in pairwise(cuts))
    return [piece for piece in pieces if piece]


def begins_sentence(text: str, at: int) -> bool:
    """Tell whether the word at `at` begins a sentence, a quotation, or what follows a colon."""
    before = text[:at].rstrip(_SPACES + "*•·-–—…") if at else ""
    if not before:
        return True
    return before[-1] in ".!?:|" or "\n" in text[len(before) : at] or _opens(text[len(before) : at])


def _opens(between: str) -> bool:
    return any(mark in between for mark in '"“‘•·…')
