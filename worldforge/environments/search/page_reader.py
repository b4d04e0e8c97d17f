"""Read an observation's text for the oracle: addresses, values, and signs that it is incomplete.

It reads what stands there, true or not. A line that stands as the plan knows it is read where the plan says; one that
says the same with other values, or without its links, is read for what it says. What a site writes in a form of
its own, such as 3.1 miles or 18.06.2024, is noted as tables have it: the page it stands on says which form that is.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from worldforge.environments.dialect import Dialect
from worldforge.environments.requests import ToolRequest
from worldforge.environments.search.evidence_plan import PlannedPage, PlannedReading
from worldforge.environments.search.requests import SearchRequest
from worldforge.environments.search.views import PageView, SearchView

Reader = Callable[[PlannedPage, int, str], dict[str, str]]
"""Reads one part of a page, as observed, for the facts it is to show: fact id to value."""

_URL = re.compile(r"https?://[^\s)\]>]+")
_PASSING = re.compile(r"Error: .*(?:\b429\b|\b5\d\d\b|timed? ?out|try again)", re.IGNORECASE)
_LINK = re.compile(r"\[([^\]\n]*)\]\([^)\n]*\)")
_SPAN = re.compile(r"\0(\d+)\0")  # stands for a value in a line
_NOT_SHOWN = "…"
_CUT = re.compile(r"\[[^\]\n]*\b(?:truncated|cut)\b[^\]\n]*\]\s*$", re.IGNORECASE)
_OLD_COPY = re.compile(r"\b(?:cached|copy|snapshot|archived)\b", re.IGNORECASE)


def urls_in(text: str) -> list[str]:
    """List the addresses that a text names."""
    return _URL.findall(text)


def read_page(page: PlannedPage, part: int, text: str) -> dict[str, str]:
    """Read the values in a part of a page; facts whose line is missing are left out."""
    found = {reading.fact: _value(reading, text) for reading in page.readings if reading.part == part}
    return {fact: value for fact, value in found.items() if value is not None}


def _value(reading: PlannedReading, text: str) -> str | None:
    shown = _shown(reading, text)
    return shown if shown is None or reading.form is None else reading.form.plainly(shown)


def _shown(reading: PlannedReading, text: str) -> str | None:
    place = text.find(reading.line)
    if place >= 0:
        return text[place + reading.start : place + reading.end]
    match = _said_otherwise(reading).search(_LINK.sub(r"\1", text))
    return match[1] if match and match[1] != _NOT_SHOWN else None


def _said_otherwise(reading: PlannedReading) -> re.Pattern[str]:
    """Compile a pattern of the line with other values and without links; this reading's value is group 1."""
    line, at, here = "", 0, (reading.start, reading.end)
    spans = sorted({*reading.loose, here})
    for number, (start, end) in enumerate(spans):
        if start >= at:
            line += f"{reading.line[at:start]}\0{number}\0"
            at = end
    pieces = _SPAN.split(_LINK.sub(r"\1", line + reading.line[at:]))
    for place in range(1, len(pieces), 2):
        span = spans[int(pieces[place])]
        value = ".+?" if span in reading.loose else re.escape(reading.line[slice(*span)])
        pieces[place] = f"({value})" if span == here else value
    pieces[::2] = map(re.escape, pieces[::2])
    return re.compile(f"^{''.join(pieces)}$", re.MULTILINE)


def is_old_copy(dialect: Dialect, request: ToolRequest, text: str) -> bool:
    """Return whether a text is a page with the notice of an old copy."""
    view = dialect.parse(request, text)
    return isinstance(view, PageView) and bool(_OLD_COPY.search(view.notice))


def is_incomplete(dialect: Dialect, request: ToolRequest, text: str) -> bool:
    """Return whether a retry may help: a transient error, an old copy, a cut or garbled text."""
    garbled = dialect.parse(request, text) is None
    return may_pass(text) or garbled or _CUT.search(text) is not None or is_old_copy(dialect, request, text)


def may_pass(text: str) -> bool:
    """Return whether a text is a transient error: too many requests, a server error, a time-out."""
    return _PASSING.match(text) is not None


def unanswered(dialect: Dialect, request: SearchRequest, text: str) -> SearchRequest | None:
    """Return the queries of a search that failed with transient errors, as a request; or None."""
    view = dialect.parse(request, text)
    if isinstance(view, SearchView):
        failed = tuple(block.query for block in view.blocks if may_pass(block.message))
    else:
        garbled = view is None and not urls_in(text)
        failed = request.queries if garbled or may_pass(text) else ()
    return SearchRequest(failed, request.page, request.size) if failed else None


def comes_in_small_pages(dialect: Dialect, request: SearchRequest, text: str) -> bool:
    """Return whether a page of results is shorter than asked for, and there are more."""
    view = dialect.parse(request, text)
    return isinstance(view, SearchView) and any(b.more and len(b.results) < request.size for b in view.blocks)
