"""The text protocol: search results and opened pages as an agent reads them, and read back from what it read.

    [1] https://sarnipedia.example/wiki/velmar          Title: Velmar
    Title: Velmar                                       URL: https://sarnipedia.example/wiki/velmar
    Snippet: Velmar is a town in the region of …        Date: Jun 18, 2024
    Date: Jun 18, 2024                                  Part: 1 of 2. The next part: web_extractor with {…}

    [2] …                                               # Velmar …

Each field stands on one line; the text of a page begins after the first empty line and is the page's own, verbatim.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from worldforge.world.values import MONTHS

_MONTHS = [name[:3] for name in MONTHS]
_NO_DATE = "N/A"
_RESULT = re.compile(r"^\[(\d+)\] (.*)\nTitle: (.*)\nSnippet: (.*)\nDate: (.*)$", re.MULTILINE)
_PAGE = re.compile(r"Title: (.*)\nURL: (.*)\nDate: (.*)\n(?:Part: (\d+) of (\d+).*\n)?\n(?s:(.*))")


@dataclass(frozen=True, slots=True)
class Result:
    """One search result as it is shown. `rank` counts from 1; the texts are one line each."""

    rank: int
    url: str
    title: str
    snippet: str
    date: datetime.date | None


@dataclass(frozen=True, slots=True)
class PageView:
    """One part of a page as it is shown. `part` counts from 1; `body` is a stretch of the page's text, verbatim."""

    url: str
    title: str
    date: datetime.date | None
    part: int
    n_parts: int
    body: str


def format_results(results: Sequence[Result]) -> str:
    """Write search results, an empty line between them."""
    return "\n\n".join(
        f"[{r.rank}] {r.url}\nTitle: {one_line(r.title)}\nSnippet: {one_line(r.snippet)}\nDate: {_write_date(r.date)}"
        for r in results
    )


def parse_results(text: str) -> list[Result]:
    """Read the results back from an observation of `web_search`, those of all its queries in order."""
    return [
        Result(int(rank), url, title, snippet, _read_date(date))
        for rank, url, title, snippet, date in _RESULT.findall(text)
    ]


def format_page(view: PageView) -> str:
    """Write one part of a page: a few lines on the page, an empty line, the part's text."""
    head = f"Title: {one_line(view.title)}\nURL: {view.url}\nDate: {_write_date(view.date)}\n"
    return f"{head}{_part_line(view)}\n{view.body}"


def parse_page(text: str) -> PageView | None:
    """Read a part of a page back from an observation of `web_extractor`; None where it shows no page."""
    match = _PAGE.fullmatch(text)
    if match is None:
        return None
    title, url, date, part, n_parts, body = match.groups()
    return PageView(url, title, _read_date(date), int(part or 1), int(n_parts or 1), body)


def one_line(text: str) -> str:
    """Return `text` on one line: where it holds a line end, each run of blanks and line ends becomes one space."""
    return text if text.isprintable() else " ".join(text.split())


def _part_line(view: PageView) -> str:
    if view.n_parts == 1:
        return ""
    if view.part == view.n_parts:
        return f"Part: {view.part} of {view.n_parts}\n"
    following = json.dumps({"url": view.url, "part": view.part + 1}, ensure_ascii=False)
    return f"Part: {view.part} of {view.n_parts}. The next part: web_extractor with {following}\n"


def _write_date(date: datetime.date | None) -> str:
    return f"{_MONTHS[date.month - 1]} {date.day}, {date.year}" if date else _NO_DATE


def _read_date(text: str) -> datetime.date | None:
    try:
        month, day, year = text.replace(",", "").split(" ")
        return datetime.date(int(year), _MONTHS.index(month) + 1, int(day))
    except ValueError:  # N/A, or no date as this protocol writes one
        return None
