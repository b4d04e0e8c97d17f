"""The plain dialect: `search` and `visit`, as most open search agents have them.

Names and arguments are those of WebDancer, WebSailor and Tongyi DeepResearch (Alibaba-NLP/DeepResearch): `query`, a
list, and where an agent gives one string, that; `url` and `goal`. There a model sums a page up towards the goal; here
the page is shown. Results have the form that Qwen-AgentWorld gives them. `page` and `part` are ours.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field

from worldforge.environments.arguments import ToolArguments
from worldforge.environments.search.requests import OpenRequest, SearchRequest
from worldforge.environments.search.search_dialect import (
    MOST_QUERIES,
    OPERATORS,
    PagePart,
    ResultsPage,
    SearchDialect,
    Words,
    in_batches,
)
from worldforge.environments.search.text_form import NUMBERED


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


class PlainSearch(ToolArguments):
    """Search the web. Each query brings up to ten results: address, title, a snippet of the page, date."""

    query: Annotated[list[Words], BeforeValidator(_as_list)] = Field(
        min_length=1, max_length=MOST_QUERIES, description=f"The queries, in words: at most {MOST_QUERIES}. {OPERATORS}"
    )
    page: ResultsPage = 1

    def request(self) -> SearchRequest:
        """Ask for the queries."""
        return SearchRequest(tuple(self.query), self.page)


class PlainVisit(ToolArguments):
    """Open a page and read its text. A long page comes in parts. For several pages, make several calls."""

    url: str = Field(description="The address of the page, as search results and links give it.")
    goal: str = Field("", description="What you want to know from the page.")
    part: PagePart = 1

    def request(self) -> OpenRequest:
        """Ask for the page."""
        return OpenRequest(self.url, self.part)


class PlainDialect(SearchDialect):
    """The dialect; a `Dialect`."""

    name = "plain"
    result = NUMBERED
    records: ClassVar = {"search": PlainSearch, "visit": PlainVisit}

    def ask_search(self, request: SearchRequest) -> list[dict[str, Any]]:
        """Ask for at most MOST_QUERIES queries a call."""
        return [{"query": batch} for batch in in_batches(request.queries)]


PLAIN = PlainDialect()
