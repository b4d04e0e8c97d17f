"""WideSearch's dialect: `search_global` and `text_browser_view`, as in its repository (ByteDance-Seed/WideSearch).

The names, arguments and form of results are the benchmark's; its agents keep no notes. Two arguments are taken that
change nothing here: snippets have one length, and a world's web one language. `text_browser_view` shows the page, where
the original has a model sum it up. `page` and `part` are ours.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from worldforge.environments.arguments import ToolArguments
from worldforge.environments.search.requests import RESULTS_PER_QUERY, OpenRequest, SearchRequest
from worldforge.environments.search.search_dialect import PagePart, ResultsPage, SearchDialect, Words
from worldforge.environments.search.text_form import LABELLED

DEEPEST_RESULT = 1_000


class SearchGlobal(ToolArguments):
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

    def request(self) -> SearchRequest:
        """Ask for the query."""
        return SearchRequest((self.query,), self.page, self.count)


class TextBrowserView(ToolArguments):
    """Open a page that a search, a page or the task names, and read its text. A long page comes in parts."""

    url: str = Field(description="The address of the page, in full; it begins with http.")
    description: str = Field("", description="What you want to know from the page.")
    part: PagePart = 1

    def request(self) -> OpenRequest:
        """Ask for the page."""
        return OpenRequest(self.url, self.part)


class WideSearch(SearchDialect):
    """The dialect; a `Dialect`."""

    name = "widesearch"
    result = LABELLED
    records: ClassVar = {"search_global": SearchGlobal, "text_browser_view": TextBrowserView}

    def ask_search(self, request: SearchRequest) -> list[dict[str, Any]]:
        """Ask for one query a call."""
        count = {"count": request.size} if request.size != RESULTS_PER_QUERY else {}
        return [{"query": query, **count} for query in request.queries]


WIDE_SEARCH = WideSearch()
