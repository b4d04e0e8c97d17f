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
import re
from collections.abc import Sequence

from worldforge.environments.views import PageView, Result
from worldforge.world.values import MONTHS

_MONTHS = [name[:3] for name in MONTHS]
_NO_DATE = "N/A"
_RESULT = re.compile(r"^\[(\d+)\] (.*)\nTitle: (.*)\nSnippet: (.*)\nDate: (.*)$", re.MULTILINE)
_PAGE = re.compile(r"Title: (.*)\nURL: (.*)\nDate: (.*)\n(?:Part: (\d+) of (\d+).*\n)?(?:Note: (.*)\n)?\n(?s:(.*))")


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


def format_page(view: PageView, next_part: str) -> str:
    """Write one part of a page: a few lines on the page, an empty line, the part's text.

    `next_part` says how the next part is asked for, where there is one.
    """
    notice = f"Note: {one_line(view.notice)}\n" if view.notice else ""
    head = f"Title: {one_line(view.title)}\nURL: {view.url}\nDate: {_write_date(view.date)}\n"
    return f"{head}{_part_line(view, next_part)}{notice}\n{view.body}"


def parse_page(text: str) -> PageView | None:
    """Read a part of a page back from an observation of `web_extractor`; None where it shows no page."""
    match = _PAGE.fullmatch(text)
    if match is None:
        return None
    title, url, date, part, n_parts, notice, body = match.groups()
    return PageView(url, title, _read_date(date), int(part or 1), int(n_parts or 1), body, notice or "")


def one_line(text: str) -> str:
    """Return `text` on one line: where it holds a line end, each run of blanks and line ends becomes one space."""
    return text if text.isprintable() else " ".join(text.split())


def _part_line(view: PageView, next_part: str) -> str:
    if view.n_parts == 1:
        return ""
    following = f". The next part: {next_part}" if view.part < view.n_parts else ""
    return f"Part: {view.part} of {view.n_parts}{following}\n"


def _write_date(date: datetime.date | None) -> str:
    return f"{_MONTHS[date.month - 1]} {date.day}, {date.year}" if date else _NO_DATE


def _read_date(text: str) -> datetime.date | None:
    try:
        month, day, year = text.replace(",", "").split(" ")
        return datetime.date(int(year), _MONTHS.index(month) + 1, int(day))
    except ValueError:  # N/A, or no date as this protocol writes one
        return None
