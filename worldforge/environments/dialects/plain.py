"""The plain dialect: `search` and `visit`, as most open search agents have them.

Names and arguments are those of WebDancer, WebSailor and Tongyi DeepResearch (Alibaba-NLP/DeepResearch): `query`, a
list, and where an agent gives one string, that; `url` and `goal`. There a model sums a page up towards the goal; here
the page is shown. Results have the form that Qwen-AgentWorld gives them. `page` and `part` are ours.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from worldforge.environments.dialects.arguments import Arguments, read_arguments, schemas
from worldforge.environments.dialects.search_dialect import PagePart, ResultsPage, SearchDialect, Words, later
from worldforge.environments.protocol import NUMBERED
from worldforge.environments.requests import OpenRequest, Request, SearchRequest
from worldforge.environments.views import ErrorView
from worldforge.models.chat import ToolCall

MOST_QUERIES = 5


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


class Search(Arguments):
    """Search the web. Each query brings up to ten results: address, title, a snippet of the page, date."""

    query: Annotated[list[Words], BeforeValidator(_as_list)] = Field(
        min_length=1, max_length=MOST_QUERIES, description=f"The queries, in words: at most {MOST_QUERIES}."
    )
    page: ResultsPage = 1


class Visit(Arguments):
    """Open a page and read its text. A long page comes in parts. For several pages, make several calls."""

    url: str = Field(description="The address of the page, as search results and links give it.")
    goal: str = Field("", description="What you want to know from the page.")
    part: PagePart = 1


_TOOLS: dict[str, type[Arguments]] = {"search": Search, "visit": Visit}


class Plain(SearchDialect):
    """The dialect; a `Dialect`."""

    name = "plain"
    tools = schemas(_TOOLS)
    result = NUMBERED

    def read(self, call: ToolCall) -> Request | ErrorView:
        """Read a call of one of the two tools."""
        match read_arguments(call, _TOOLS):
            case Search() as asked:
                return SearchRequest(tuple(asked.query), asked.page)
            case Visit() as asked:
                return OpenRequest(asked.url, asked.part)
            case ErrorView() as error:
                return error
        raise AssertionError("a tool without a request")

    def ask(self, request: Request) -> list[tuple[str, dict[str, Any]]]:
        """Ask for searches, at most MOST_QUERIES queries a call, and for pages."""
        match request:
            case SearchRequest(queries, page):
                batches = [queries[first : first + MOST_QUERIES] for first in range(0, len(queries), MOST_QUERIES)]
                return [("search", {"query": list(batch), **later("page", page)}) for batch in batches]
            case OpenRequest(url, part):
                return [("visit", {"url": url, **later("part", part)})]
        raise ValueError(f"{self.name} has no tool for a {type(request).__name__}")


PLAIN = Plain()
