"""The base of search dialects: write results, pages, notes and errors as text, and parse them.

    Query: "clubs of Velmar"            only where several queries were asked

    [1] https://…                       the results, in the dialect's form, an empty line between them;
    …                                   or what is said instead, on one line

    More results: repeat the call with "page": 2.

`page` and `part` are arguments of ours that every search dialect takes: no original can go on in a long list or page.
The words of an error begin with `Error: `; a text that begins so is read back as an error.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field

from worldforge.environments.arguments import ToolArguments, echo, one_line, read_request, schemas
from worldforge.environments.domain import Domain, Example
from worldforge.environments.requests import ToolRequest
from worldforge.environments.search.requests import NoteRequest, OpenRequest, SearchRequest
from worldforge.environments.search.text_form import ResultForm, format_page, parse_page
from worldforge.environments.search.views import NoteView, PageView, Result, SearchBlock, SearchView
from worldforge.environments.views import ErrorView, ToolView
from worldforge.models.chat import ToolCall

ERROR = "Error: "
MOST_QUERIES = 5
"""In one call, where a dialect takes several."""


Words = Annotated[str, Field(min_length=1)]
OPERATORS = 'May hold "an exact phrase", site:host for pages of one site, -word for pages without a word.'
"""What a query may hold beside words, as agents are told."""

ResultsPage = Annotated[int, Field(ge=1, le=100, description="Which page of the results to show, from 1.")]
PagePart = Annotated[int, Field(description="Which part of a long page to read, from 1.")]


_HEAD = "[1] https://tidebook.example/orrin\nTitle: Orrin\nSnippet: "
_PAGE = "Title: Orrin\nURL: https://tidebook.example/orrin\nDate: Jun 18, 2041\n\n# Orrin\n\n"
_TABLE = "| Pier | Ships |\n|---|---|\n| North | 14 |"

SEARCH_DOMAIN = Domain(
    name="search",
    grounded=True,
    role=(
        "You are the search engine and the page reader of a fictional web. An agent searches it and opens its pages; "
        "you write what it gets to see."
    ),
    observations=(
        "A search is answered with results, each with its address, title, snippet and date; opening a page, with some "
        "lines on the page and then its text in Markdown. Snippets and paragraphs are prose; all else is not."
    ),
    examples=(
        Example(
            ToolCall("1", "web_search", '{"query": "harbour town Orrin"}'),
            f"{_HEAD}The harbour town of Orrin stands on the Sarn. It has 4,210 inhabitants.\nDate: Jun 18, 2041",
            f"{_HEAD}Orrin is a harbour town on the Sarn. 4,210 people live there.\nDate: Jun 18, 2041",
        ),
        Example(
            ToolCall("2", "web_extractor", '{"url": "https://tidebook.example/orrin"}'),
            f"{_PAGE}Founded in 1712, Orrin owes its name to Ada Quill.\n\n{_TABLE}",
            f"{_PAGE}Orrin was founded in 1712 and named by Ada Quill.\n\n{_TABLE}",
        ),
    ),
)


class SearchDialect(ABC):
    """A `Dialect` whose first two tools search and open a page."""

    name: str
    domain = SEARCH_DOMAIN
    result: ResultForm
    records: ClassVar[Mapping[str, type[ToolArguments]]]

    def __init__(self) -> None:
        self.tools = schemas(self.records)
        self._search, self._open, *_ = self.records

    def read(self, call: ToolCall) -> ToolRequest | ErrorView:
        """Read a call of one of the tools."""
        return read_request(call, self.records)

    def ask(self, request: ToolRequest) -> list[tuple[str, dict[str, Any]]]:
        """Ask for searches, for pages. Raises ValueError for all else."""
        match request:
            case SearchRequest(page=page):
                return [(self._search, {**asked, **_later("page", page)}) for asked in self.ask_search(request)]
            case OpenRequest(url, part):
                return [(self._open, {"url": url, **_later("part", part)})]
        raise ValueError(f"{self.name} has no tool for a {type(request).__name__}")

    @abstractmethod
    def ask_search(self, request: SearchRequest) -> list[dict[str, Any]]:
        """Return the arguments of the calls for a search, without the page of results."""

    def write(self, request: ToolRequest, view: ToolView) -> str:
        """Put a view into words. Raises ValueError for records of a database, which no search brings."""
        match view:
            case SearchView(blocks):
                texts = [self._write_block(block) for block in blocks]
                if len(blocks) > 1:
                    texts = [f"{_heading(block.query)}\n\n{text}" for block, text in zip(blocks, texts, strict=True)]
                return "\n\n".join(texts)
            case PageView():
                return format_page(view)
            case NoteView(text):
                return text
            case ErrorView(_, message):
                return message
        raise ValueError(f"{self.name} has no words for a {type(view).__name__}")

    def parse(self, request: ToolRequest, text: str) -> ToolView | None:
        """Read back what `write` wrote; None where a text is not that to the last character.

        The names of errors and rows of the world are in no text: they come back empty, or -1.
        """
        if text.startswith(ERROR):
            return ErrorView("", text)
        match request:
            case SearchRequest():
                return self._parse_search(request, text)
            case OpenRequest():
                return parse_page(text)
            case NoteRequest():
                return NoteView(text)
        return None

    def _write_block(self, block: SearchBlock) -> str:
        paragraphs = [self.result.write(result) for result in block.results]
        if block.message or not paragraphs:
            paragraphs = [one_line(block.message) or _nothing(block.query, block.page)]
        if block.more:
            paragraphs.append(_more(block.page))
        return "\n\n".join(paragraphs)

    def _parse_search(self, request: SearchRequest, text: str) -> SearchView | None:
        paragraphs = iter(text.split("\n\n"))
        ahead = next(paragraphs, None)
        blocks = []
        for query in request.queries:
            if len(request.queries) > 1:
                if ahead != _heading(query):
                    return None
                ahead = next(paragraphs, None)
            if not ahead or (ahead != one_line(ahead) and self.result.read(ahead) is None):
                return None
            block, ahead = self._parse_block(query, request.page, ahead, paragraphs)
            blocks.append(block)
        return SearchView(tuple(blocks)) if ahead is None else None

    def _parse_block(
        self, query: str, page: int, first: str, paragraphs: Iterator[str]
    ) -> tuple[SearchBlock, str | None]:
        """Read one block, which begins with the paragraph `first`; return it, and the paragraph after it."""
        results: list[Result] = []
        ahead: str | None = first
        while ahead is not None and (result := self.result.read(ahead)):
            results.append(result)
            ahead = next(paragraphs, None)
        message = ""
        if not results:
            message = first if first != _nothing(query, page) else ""
            ahead = next(paragraphs, None)
        more = ahead == _more(page)
        if more:
            ahead = next(paragraphs, None)
        return SearchBlock(query, tuple(results), page, more, message=message), ahead


def in_batches(queries: tuple[str, ...]) -> list[list[str]]:
    """Split queries into lists of at most MOST_QUERIES."""
    return [list(queries[first : first + MOST_QUERIES]) for first in range(0, len(queries), MOST_QUERIES)]


def _later(name: str, number: int) -> dict[str, int]:
    """Return the argument `name` where it is not its default, 1."""
    return {name: number} if number > 1 else {}


def _heading(query: str) -> str:
    return f"Query: {echo(query)}"


def _nothing(query: str, page: int) -> str:
    return f"No results for {echo(query)}." if page == 1 else f"No results for {echo(query)} on page {page}."


def _more(page: int) -> str:
    return f'More results: repeat the call with "page": {page + 1}.'
