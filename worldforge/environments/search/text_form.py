"""Write search results and pages as text, and parse that text.

    Query: "clubs of Velmar"                            only where several queries were asked

    [1] https://sarnipedia.example/wiki/velmar          Title: Velmar
    Title: Velmar                                       URL: https://sarnipedia.example/wiki/velmar
    Snippet: Velmar is a town in the region of …        Date: Jun 18, 2024
    Date: Jun 18, 2024                                  Part: 1 of 2. For the next, repeat the call with "part": 2.

    [2] …                                               # Velmar …

    More results: repeat the call with "page": 2.

Each field stands on one line; the text of a page begins after the first empty line and is the page's own, verbatim.
Results have two forms: Qwen-AgentWorld's, above, and WideSearch's, with a label in brackets before each field. In their
place may stand what is said instead, on one line. What is not in its form to the last character is not read.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from worldforge.environments.arguments import echo, one_line
from worldforge.environments.search.requests import SearchRequest
from worldforge.environments.search.views import (
    NO_DATE,
    PageView,
    Result,
    SearchBlock,
    SearchView,
    read_date,
    write_date,
)

_PAGE = re.compile(
    r"Title: (.*)\nURL: (.*)\nDate: (.*)\n(?:Part: (\d{1,9}) of (\d{1,9})\..*\n)?(?:Note: (.*)\n)?\n(?s:(.*))"
)


@dataclass(frozen=True)
class ResultForm:
    """The text form of one search result: a template, a line a field, and how dates are written and read."""

    template: str
    write_date: Callable[[datetime.date | None], str]
    read_date: Callable[[str], datetime.date | None]

    def write(self, result: Result) -> str:
        """Write a result, each field on one line."""
        url, title, snippet = map(one_line, (result.url, result.title, result.snippet))
        date = self.write_date(result.date)
        return self.template.format(rank=result.rank, url=url, title=title, snippet=snippet, date=date)

    def read(self, text: str) -> Result | None:
        """Parse a text that `write` wrote; None for another form."""
        match = self._pattern.fullmatch(text)
        if match is None:
            return None
        date = self.read_date(match["date"])
        result = Result(int(match["rank"]), match["url"], match["title"], match["snippet"], date)
        return result if self.write(result) == text else None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        pattern = re.escape(self.template).replace(r"\{rank\}", r"(?P<rank>\d{1,9})")
        return re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.*)", pattern))


def format_results(view: SearchView, form: ResultForm) -> str:
    """Write the results of each query."""
    texts = [_format_block(block, form) for block in view.blocks]
    if len(texts) > 1:
        texts = [f"{_heading(block.query)}\n\n{text}" for block, text in zip(view.blocks, texts, strict=True)]
    return "\n\n".join(texts)


def parse_results(request: SearchRequest, text: str, form: ResultForm) -> SearchView | None:
    """Read results back; None where a text is no answer to the request."""
    blocks, page = [], request.page
    paragraphs = text.split("\n\n")[::-1]
    for query in request.queries:
        if len(request.queries) > 1 and (not paragraphs or paragraphs.pop() != _heading(query)):
            return None
        results: list[Result] = []
        while paragraphs and (result := form.read(paragraphs[-1])):
            paragraphs.pop()
            results.append(result)
        message = paragraphs.pop() if paragraphs and not results else ""
        more = paragraphs[-1:] == [_more(page)]
        if more:
            paragraphs.pop()
        message = "" if message == _nothing(query, page) else message
        blocks.append(SearchBlock(query, tuple(results), page, more, message=message))
    view = SearchView(tuple(blocks))
    return view if not paragraphs and format_results(view, form) == text else None


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


def _format_block(block: SearchBlock, form: ResultForm) -> str:
    paragraphs = [form.write(result) for result in block.results]
    if block.message or not paragraphs:
        paragraphs = [one_line(block.message) or _nothing(block.query, block.page)]
    if block.more:
        paragraphs.append(_more(block.page))
    return "\n\n".join(paragraphs)


def _heading(query: str) -> str:
    return f"Query: {echo(query)}"


def _nothing(query: str, page: int) -> str:
    return f"No results for {echo(query)}." if page == 1 else f"No results for {echo(query)} on page {page}."


def _more(page: int) -> str:
    return f'More results: repeat the call with "page": {page + 1}.'


def _part_line(view: PageView) -> str:
    if view.n_parts == 1:
        return ""
    following = f' For the next, repeat the call with "part": {view.part + 1}.' if view.part < view.n_parts else ""
    return f"Part: {view.part} of {view.n_parts}.{following}\n"


def _write_iso(date: datetime.date | None) -> str:
    return date.isoformat() if date else NO_DATE


def _read_iso(text: str) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        return None


NUMBERED = ResultForm("[{rank}] {url}\nTitle: {title}\nSnippet: {snippet}\nDate: {date}", write_date, read_date)
"""As in Qwen-AgentWorld's report."""
LABELLED = ResultForm(
    "[index] {rank}\n[title] {title}\n[datePublished] {date}\n[Url] {url}\n[snippt] {snippet}", _write_iso, _read_iso
)
"""As in WideSearch's repository, which spells `snippt` so."""
