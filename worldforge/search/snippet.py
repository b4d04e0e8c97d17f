"""A snippet: the stretch of a page's plain text where most of the query's terms begin."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from worldforge.search.analysis import is_cjk

WIDTH = 180  # characters, without the ellipses
_LEAD = 40  # characters shown before the first term of the stretch


Needle = tuple[str, int]
"""What is looked for in a page's folded text, and how much further left than there it begins in the text itself."""


def needles_of(terms: Sequence[str]) -> list[Needle]:
    """Return how `terms` (lower case) are looked for: at the beginnings of words, where words are parted by blanks."""
    return [(term, 1) if is_cjk(term) else (" " + term, 0) for term in terms]


def folded(plain: str) -> str:
    """Return a page's plain text as needles are looked for in it."""
    return " " + plain.lower()


def cut_snippet(plain: str, lowered: str, needles: Sequence[Needle]) -> str:
    """Cut at most `WIDTH` characters of `plain` (one line) around its terms, between words.

    `lowered` is `folded(plain)`, `needles` are those of `needles_of`. Where words are not parted by blanks, it is cut
    between any two characters. Without any of the terms the page's beginning is shown. An ellipsis marks each end that
    was cut.
    """
    if len(plain) <= WIDTH:
        return plain
    begin = _begin(plain, _densest(lowered, needles))
    end = _end(plain, begin)
    return ("…" if begin else "") + plain[begin:end] + ("…" if end < len(plain) else "")


def _densest(lowered: str, needles: Sequence[Needle]) -> int:
    """Return where the stretch of `WIDTH` characters starts in which most terms begin for the first time."""
    found = []
    for needle, left in needles:
        at = lowered.find(needle)
        if at >= left:
            found.append(at - left)
    if not found:
        return 0
    found.sort()
    reach = WIDTH - _LEAD
    if found[-1] < found[0] + reach:
        return found[0]
    counts = [bisect_left(found, at + reach) - place for place, at in enumerate(found)]
    return found[counts.index(max(counts))]


def _begin(plain: str, focus: int) -> int:
    """Return where a word starts, `_LEAD` characters before `focus`, or earlier to leave a full stretch."""
    earliest = min(focus - _LEAD, len(plain) - WIDTH)
    if earliest <= 0:
        return 0
    if _parts(plain, earliest):
        return earliest
    blank = plain.find(" ", earliest - 1, focus)
    return blank + 1 if blank >= 0 else focus


def _end(plain: str, begin: int) -> int:
    """Return the end of the last whole word of the stretch; a word longer than the stretch is cut."""
    latest = begin + WIDTH
    if latest >= len(plain):
        return len(plain)
    if _parts(plain, latest):
        return latest
    end = plain.rfind(" ", begin, latest + 1)
    return end if end > begin else latest


def _parts(plain: str, at: int) -> bool:
    """Say whether text may be cut before the character at `at` though no blank stands there."""
    pair = plain[at - 1 : at + 1]
    return not pair.isascii() and (is_cjk(pair[0]) or is_cjk(pair[1]))
