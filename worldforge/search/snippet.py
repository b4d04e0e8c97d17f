"""Cut snippets: the stretch of a page's plain text where most of the query's terms begin."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from worldforge.search.analysis import is_cjk

WIDTH = 180  # characters, without the ellipses
_LEAD = 40  # characters shown before the first term of the stretch


def cut_snippet(plain: str, terms: Sequence[str]) -> str:
    """Cut at most `WIDTH` characters of `plain` (one line) around `terms` (lower case), between words.

    A term is found at the beginning of a word. Where words are not parted by blanks, it is found anywhere, and text is
    cut between any two characters. Without any of the terms the page's beginning is shown. An ellipsis marks each end
    that was cut.
    """
    if len(plain) <= WIDTH:
        return plain
    begin = _begin(plain, _densest_place(plain, terms))
    end = _end(plain, begin)
    return ("…" if begin else "") + plain[begin:end] + ("…" if end < len(plain) else "")


def _densest_place(plain: str, terms: Sequence[str]) -> int:
    """Return where the stretch of `WIDTH` characters starts in which most terms begin for the first time."""
    lowered = " " + plain.lower()
    places = (lowered.find(term) - 1 if is_cjk(term) else lowered.find(" " + term) for term in terms)
    found = sorted(place for place in places if place >= 0)
    if not found:
        return 0
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
    if _may_cut(plain, earliest):
        return earliest
    blank = plain.find(" ", earliest - 1, focus)
    return blank + 1 if blank >= 0 else focus


def _end(plain: str, begin: int) -> int:
    """Return the end of the last whole word of the stretch; a word longer than the stretch is cut."""
    latest = begin + WIDTH
    if latest >= len(plain):
        return len(plain)
    if _may_cut(plain, latest):
        return latest
    end = plain.rfind(" ", begin, latest + 1)
    return end if end > begin else latest


def _may_cut(plain: str, at: int) -> bool:
    """Say whether text may be cut before the character at `at` though no blank stands there."""
    pair = plain[at - 1 : at + 1]
    return not pair.isascii() and (is_cjk(pair[0]) or is_cjk(pair[1]))
