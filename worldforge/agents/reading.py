"""What an oracle takes from the text of an observation: addresses, values, and signs that the text is not all there is.

It reads what stands there, true or not. A line that the plan knows is read where it knows it; a line that says the same
of other values is read for those.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from worldforge.agents.plan import PlannedPage, Reading
from worldforge.environments.dialects.dialect import Dialect
from worldforge.environments.requests import Request, SearchRequest
from worldforge.environments.views import PageView, SearchView

Reader = Callable[[PlannedPage, int, str], dict[str, str]]
"""Reads one part of a page, as observed, for the facts it is to show: fact id to value."""

_URL = re.compile(r"https?://[^\s)\]>]+")
_PASSING = re.compile(r"Error: .*(?:\b429\b|\b5\d\d\b|timed? ?out|try again)", re.IGNORECASE)
_OLD_COPY = re.compile(r"\b(?:cached|copy|snapshot|archived)\b", re.IGNORECASE)


def urls_in(text: str) -> list[str]:
    """List the addresses that a text names."""
    return _URL.findall(text)


def read_page(page: PlannedPage, part: int, text: str) -> dict[str, str]:
    """Read the values that a part of a page shows; a fact whose line is not there is left out."""
    found = {reading.fact: _value(reading, text) for reading in page.readings if reading.part == part}
    return {fact: value for fact, value in found.items() if value is not None}


def _value(reading: Reading, text: str) -> str | None:
    place = text.find(reading.line)
    if place >= 0:
        return text[place + reading.start : place + reading.end]
    match = _said_of_others(reading).search(text)
    return match[1] if match else None


def _said_of_others(reading: Reading) -> re.Pattern[str]:
    """Make the pattern of a reading's line with its values left open, this reading's in group 1."""
    pattern, at = "", 0
    for start, end in sorted({*reading.loose, (reading.start, reading.end)}):
        if start >= at:
            fixed = re.escape(reading.line[start:end])
            gap = ".+?" if (start, end) in reading.loose else fixed
            wanted = (start, end) == (reading.start, reading.end)
            pattern += re.escape(reading.line[at:start]) + (f"({gap})" if wanted else gap)
            at = end
    return re.compile(f"^{pattern}{re.escape(reading.line[at:])}$", re.MULTILINE)


def is_old_copy(dialect: Dialect, request: Request, text: str) -> bool:
    """Say whether a text shows a page and says that it is an old copy."""
    view = dialect.parse(request, text)
    return isinstance(view, PageView) and bool(_OLD_COPY.search(view.notice))


def is_incomplete(dialect: Dialect, request: Request, text: str) -> bool:
    """Say whether asking again may bring more: it failed in passing, is old, cut, or not in its usual form."""
    return may_pass(text) or dialect.parse(request, text) is None or is_old_copy(dialect, request, text)


def may_pass(text: str) -> bool:
    """Say whether a text is an error that may be gone the next time: too many requests, a fault, a time-out."""
    return _PASSING.match(text) is not None


def unanswered(dialect: Dialect, request: SearchRequest, text: str) -> SearchRequest | None:
    """Give what is left of a search after its observation: the queries that failed in passing, or None."""
    view = dialect.parse(request, text)
    if isinstance(view, SearchView):
        failed = tuple(block.query for block in view.blocks if may_pass(block.message))
    else:
        garbled = view is None and not urls_in(text)
        failed = request.queries if garbled or may_pass(text) else ()
    return SearchRequest(failed, request.page, request.size) if failed else None


def comes_in_small_pages(dialect: Dialect, request: SearchRequest, text: str) -> bool:
    """Say whether there are more results than were shown, though fewer were shown than asked for."""
    view = dialect.parse(request, text)
    return isinstance(view, SearchView) and any(b.more and len(b.results) < request.size for b in view.blocks)
