"""A snippet: the stretch of a page's plain text where most of the query's terms begin. It hints, no more."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

WIDTH = 180  # characters, without the ellipses
_LEAD = 40  # characters shown before the first term of the stretch


def cut_snippet(plain: str, terms: Sequence[str]) -> str:
    """Cut at most `WIDTH` characters of `plain` (one line) around `terms` (lower case), between words.

    Without any of the terms the page's beginning is shown. An ellipsis marks each end that was cut.
    """
    if len(plain) <= WIDTH:
        return plain
    begin = _begin(plain, _densest(plain, terms))
    end = _end(plain, begin)
    return ("…" if begin else "") + plain[begin:end] + ("…" if end < len(plain) else "")


def _densest(plain: str, terms: Sequence[str]) -> int:
    """Return where the stretch of `WIDTH` characters starts in which most terms begin for the first time."""
    lowered = " " + plain.lower()
    found = sorted(at for term in terms if (at := lowered.find(" " + term)) >= 0)
    reach = WIDTH - _LEAD
    counts = [bisect_left(found, at + reach) - place for place, at in enumerate(found)]
    return found[counts.index(max(counts))] if found else 0


def _begin(plain: str, focus: int) -> int:
    """Return where a word starts, `_LEAD` characters before `focus`, or earlier to leave a full stretch."""
    earliest = min(focus - _LEAD, len(plain) - WIDTH)
    return plain.find(" ", earliest - 1, focus) + 1 if earliest > 0 else 0


def _end(plain: str, begin: int) -> int:
    """Return the end of the last whole word of the stretch; a word longer than the stretch is cut."""
    latest = begin + WIDTH
    if latest >= len(plain):
        return len(plain)
    end = plain.rfind(" ", begin, latest + 1)
    return end if end > begin else latest
