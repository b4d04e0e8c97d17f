"""Views of the search environment: results, parts of pages, notes."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, NamedTuple, Self

from worldforge.environments.views import Excerpt, Failure, ToolView, ViewItem
from worldforge.world.value_text import MONTHS

MOST_CHARACTERS = 6_000
"""Characters of page text in one part, at most."""


def page_parts(text: str) -> list[tuple[int, int]]:
    """Split `text` into consecutive parts [start, end); an empty text is one part.

    A part ends after the last line end it can hold; in a longer line after a blank, in a longer word anywhere.
    """
    parts = []
    start = 0
    while len(text) - start > MOST_CHARACTERS:
        end = _cut(text, start)
        parts.append((start, end))
        start = end
    return [*parts, (start, len(text))]


def _cut(text: str, start: int) -> int:
    limit = start + MOST_CHARACTERS
    for mark in ("\n", " "):
        end = text.rfind(mark, start, limit) + 1
        if end > start:
            return end
    return limit


NO_DATE = "N/A"
_MONTHS = [name[:3] for name in MONTHS]


class Result(NamedTuple):
    """One search result as it is shown. `rank` counts from 1; the texts are one line each.

    `row` is the page's row number in the world, for the record: it is not shown.
    """

    rank: int
    url: str
    title: str
    snippet: str
    date: datetime.date | None
    row: int = -1


class SearchBlock(NamedTuple):
    """The results of one query. `more` says that the next page of results is not empty.

    `error` names why this query of a batch failed, `message` says it to the agent; both are empty where it did not.
    """

    query: str
    results: tuple[Result, ...]
    page: int = 1
    more: bool = False
    error: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class SearchView(ToolView):
    """The results of a search, one block a query."""

    kind: ClassVar[str] = "search"
    form: ClassVar[Literal["text", "results", "data"]] = "results"

    blocks: tuple[SearchBlock, ...]

    @property
    def error_code(self) -> str:
        """Why no query brought a result."""
        if any(block.results for block in self.blocks):
            return ""
        return next((block.error for block in self.blocks if block.error), "nothing_found")

    @property
    def excerpts(self) -> tuple[Excerpt, ...]:
        """The snippets."""
        results = (result for block in self.blocks for result in block.results)
        return tuple(Excerpt(result.snippet, result.row, plain=True) for result in results)

    def with_excerpts(self, texts: Sequence[str]) -> Self:
        """Show other snippets."""
        left = iter(texts)
        blocks = (
            block._replace(results=tuple(result._replace(snippet=next(left)) for result in block.results))
            for block in self.blocks
        )
        return replace(self, blocks=tuple(blocks))

    @property
    def items(self) -> tuple[ViewItem, ...]:
        """The results, by address."""
        return tuple(_item(group, result) for group, block in enumerate(self.blocks) for result in block.results)

    @property
    def remarks(self) -> tuple[str | tuple[str, str], ...]:
        """The messages of queries that failed, and which have more results."""
        remarks: list[str | tuple[str, str]] = []
        for number, block in enumerate(self.blocks):
            remarks.append(block.message)
            remarks += [("more", str(number))] if block.more else []
        return tuple(remarks)

    def first_items(self, share: float) -> Self:
        """Keep the first share of each block's results."""
        kept = [block.results[: max(1, int(share * len(block.results)))] for block in self.blocks]
        blocks = (block._replace(results=results) for block, results in zip(self.blocks, kept, strict=True))
        return replace(self, blocks=tuple(blocks))

    def with_failures(self, numbers: tuple[int, ...], failures: tuple[Failure, ...]) -> Self:
        """Mark queries as failed."""
        failed = dict(zip(numbers, failures, strict=True))
        blocks = (
            block._replace(results=(), more=False, error=failed[number].error, message=failed[number].message)
            if number in failed
            else block
            for number, block in enumerate(self.blocks)
        )
        return replace(self, blocks=tuple(blocks))


@dataclass(frozen=True, slots=True)
class PageView(ToolView):
    """One part of a page as it is shown. `part` counts from 1; `body` is a stretch of the page's text, verbatim.

    `notice` is a line above the page (`Cached copy of …`, `This page has moved …`). `row` and `start` say which stretch
    of which page `body` is: they are for the record, and not shown.
    """

    kind: ClassVar[str] = "page"

    url: str
    title: str
    date: datetime.date | None
    part: int
    n_parts: int
    body: str
    notice: str = ""
    row: int = field(default=-1, compare=False)
    start: int = field(default=0, compare=False)

    @property
    def excerpts(self) -> tuple[Excerpt, ...]:
        """The stretch of the page."""
        return (Excerpt(self.body, self.row, self.start),)

    def with_excerpts(self, texts: Sequence[str]) -> Self:
        """Show another body."""
        (body,) = texts
        return replace(self, body=body)

    @property
    def phrases(self) -> tuple[str, ...]:
        """The notice."""
        return (self.notice,)

    def aged(self, days: int) -> Self:
        """Add the notice of an old copy."""
        return replace(self, notice=" ".join(filter(None, (self.notice, _notice(self.date, days)))))


@dataclass(frozen=True, slots=True)
class NoteView(ToolView):
    """The result of a note request. `error` names what went wrong, or is empty."""

    is_worded: ClassVar[bool] = False

    text: str
    error: str = ""

    @property
    def error_code(self) -> str:
        """The error's name; empty where nothing went wrong."""
        return self.error


def _item(group: int, result: Result) -> ViewItem:
    head = f"{result.url}\n{result.title}\n"
    text = f"{head}{result.snippet}\n{write_date(result.date)}"
    excerpt = Excerpt(result.snippet, result.row, plain=True)
    return ViewItem(group, result.url, result.rank, text, excerpt, len(head))


def _notice(date: datetime.date | None, days: int) -> str:
    if date is None:
        return "Cached copy; the page may have changed since."
    then = datetime.date.fromordinal(max(1, date.toordinal() - days))
    return f"Cached copy from {write_date(then)}; the page may have changed since."


def write_date(date: datetime.date | None) -> str:
    """Write a date as Qwen-AgentWorld does: `Jun 18, 2024`, or `N/A`."""
    return f"{_MONTHS[date.month - 1]} {date.day}, {date.year}" if date else NO_DATE


def read_date(text: str) -> datetime.date | None:
    """Read a date that `write_date` wrote; None where there is none."""
    try:
        month, day, year = text.replace(",", "").split(" ")
        return datetime.date(int(year), _MONTHS.index(month) + 1, int(day))
    except ValueError:  # N/A, or a date in another form
        return None
