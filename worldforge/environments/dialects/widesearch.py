"""WideSearch's dialect: `search_global` and `text_browser_view`, as in its repository (ByteDance-Seed/WideSearch).

The names, arguments and form of results are the benchmark's; its agents keep no notes. Two arguments are taken that
change nothing here: snippets have one length, and a world's web one language. `text_browser_view` shows the page, where
the original has a model sum it up. `page` and `part` are ours.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from worldforge.environments.dialects.arguments import Arguments, read_arguments, schemas
from worldforge.environments.dialects.search_dialect import PagePart, ResultsPage, SearchDialect, Words, later
from worldforge.environments.protocol import LABELLED
from worldforge.environments.requests import RESULTS_PER_QUERY, OpenRequest, Request, SearchRequest
from worldforge.environments.views import ErrorView
from worldforge.models.chat import ToolCall

DEEPEST_RESULT = 1_000


class SearchGlobal(Arguments):
    """Search the web with one short, clear query: what is complex needs several searches. Brings a list of pages."""

    query: Words = Field(description="What to look for, in words.")
    count: int = Field(
        RESULTS_PER_QUERY, ge=1, le=200, description="How many results a page of them shows; 10 if left out."
    )
    summary_type: Literal["short", "long"] = Field(
        "short", description="Kept for compatibility: snippets have one length."
    )
    use_english: bool = Field(False, description="Kept for compatibility: this web is in one language.")
    page: ResultsPage = 1

    @model_validator(mode="after")
    def _within_reach(self) -> SearchGlobal:
        if self.page > 1 and self.page * self.count > DEEPEST_RESULT:
            raise ValueError(f"no more than the first {DEEPEST_RESULT} results of a query can be shown")
        return self


class TextBrowserView(Arguments):
    """Open a page that a search, a page or the task names, and read its text. A long page comes in parts."""

    url: str = Field(description="The address of the page, in full; it begins with http.")
    description: str = Field("", description="What you want to know from the page.")
    part: PagePart = 1


_TOOLS: dict[str, type[Arguments]] = {"search_global": SearchGlobal, "text_browser_view": TextBrowserView}


class WideSearch(SearchDialect):
    """The dialect; a `Dialect`."""

    name = "widesearch"
    tools = schemas(_TOOLS)
    result = LABELLED

    def read(self, call: ToolCall) -> Request | ErrorView:
        """Read a call of one of the two tools."""
        match read_arguments(call, _TOOLS):
            case SearchGlobal() as asked:
                return SearchRequest((asked.query,), asked.page, asked.count)
            case TextBrowserView() as asked:
                return OpenRequest(asked.url, asked.part)
            case ErrorView() as error:
                return error
        raise AssertionError("a tool without a request")

    def ask(self, request: Request) -> list[tuple[str, dict[str, Any]]]:
        """Ask for searches, a query a call, and for pages."""
        match request:
            case SearchRequest(queries, page, size):
                count = {"count": size} if size != RESULTS_PER_QUERY else {}
                return [("search_global", {"query": query, **count, **later("page", page)}) for query in queries]
            case OpenRequest(url, part):
                return [("text_browser_view", {"url": url, **later("part", part)})]
        raise ValueError(f"{self.name} has no tool for a {type(request).__name__}")


WIDE_SEARCH = WideSearch()
