"""Write search results and pages as text, and parse that text.

    [1] https://sarnipedia.example/wiki/velmar          Title: Velmar
    Title: Velmar                                       URL: https://sarnipedia.example/wiki/velmar
    Snippet: Velmar is a town in the region of …        Date: Jun 18, 2024
    Date: Jun 18, 2024                                  Part: 1 of 2. For the next, repeat the call with "part": 2.

    [2] …                                               # Velmar …

Each field stands on one line; the text of a page begins after the first empty line and is the page's own, verbatim.
Results have two forms: Qwen-AgentWorld's, above, and WideSearch's, with a label in brackets before each field. A result
or a page that is not in its form to the last character is not read.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from dataclasses import dataclass

from worldforge.environments.arguments import one_line
from worldforge.environments.search.views import PageView, Result
from worldforge.environments.search.written_dates import NO_DATE, read_date, write_date

_NUMBERED = re.compile(r"\[(\d{1,9})\] (.*)\nTitle: (.*)\nSnippet: (.*)\nDate: (.*)")
_LABELLED = re.compile(r"\[index\] (\d{1,9})\n\[title\] (.*)\n\[datePublished\] (.*)\n\[Url\] (.*)\n\[snippt\] (.*)")
_PAGE = re.compile(
    r"Title: (.*)\nURL: (.*)\nDate: (.*)\n(?:Part: (\d{1,9}) of (\d{1,9})\..*\n)?(?:Note: (.*)\n)?\n(?s:(.*))"
)


@dataclass(frozen=True, slots=True)
class ResultForm:
    """Writer and parser of one search result, a line a field; the parser returns None for another form."""

    write: Callable[[Result], str]
    read: Callable[[str], Result | None]


def format_page(view: PageView) -> str:
    """Write one part of a page: a few lines on the page, an empty line, the part's text."""
    date = write_date(view.date)
    head = f"Title: {one_line(view.title)}\nURL: {one_line(view.url)}\nDate: {date}\n{_part_line(view)}"
    notice = one_line(view.notice)
    return f"{head}Note: {notice}\n\n{view.body}" if notice else f"{head}\n{view.body}"


def parse_page(text: str) -> PageView | None:
    """Read a part of a page back; None where the text shows no page."""
    match = _PAGE.fullmatch(text)
    if match is None:
        return None
    title, url, date, part, n_parts, notice, body = match.groups()
    view = PageView(url, title, read_date(date), int(part or 1), int(n_parts or 1), body, notice or "")
    return view if format_page(view) == text else None


def _part_line(view: PageView) -> str:
    if view.n_parts == 1:
        return ""
    following = f' For the next, repeat the call with "part": {view.part + 1}.' if view.part < view.n_parts else ""
    return f"Part: {view.part} of {view.n_parts}.{following}\n"


def _write_numbered(result: Result) -> str:
    rank, url, title, snippet, date, _ = result
    if not f"{url}{title}{snippet}".isprintable():
        url, title, snippet = one_line(url), one_line(title), one_line(snippet)
    return f"[{rank}] {url}\nTitle: {title}\nSnippet: {snippet}\nDate: {write_date(date)}"


def _read_numbered(text: str) -> Result | None:
    match = _NUMBERED.fullmatch(text)
    if match is None:
        return None
    rank, url, title, snippet, date = match.groups()
    result = Result(int(rank), url, title, snippet, read_date(date))
    return result if _write_numbered(result) == text else None


def _write_labelled(result: Result) -> str:
    title, snippet = one_line(result.title), one_line(result.snippet)
    date = result.date.isoformat() if result.date else NO_DATE
    return (
        f"[index] {result.rank}\n[title] {title}\n[datePublished] {date}\n"
        f"[Url] {one_line(result.url)}\n[snippt] {snippet}"
    )


def _read_labelled(text: str) -> Result | None:
    match = _LABELLED.fullmatch(text)
    if match is None:
        return None
    rank, title, date, url, snippet = match.groups()
    result = Result(int(rank), url, title, snippet, _read_iso(date))
    return result if _write_labelled(result) == text else None


def _read_iso(text: str) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        return None


NUMBERED = ResultForm(_write_numbered, _read_numbered)
"""As in Qwen-AgentWorld's report."""
LABELLED = ResultForm(_write_labelled, _read_labelled)
"""As in WideSearch's repository, which spells `snippt` so."""
