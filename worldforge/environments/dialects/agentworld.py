"""Qwen-AgentWorld's dialect: `web_search`, `web_extractor`, `dict_memory`, as its report (arXiv 2606.24597) gives them.

`part` and `page` are ours: they let a reader go on where a page or a list of results is long.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from worldforge.environments.dialects.arguments import Arguments, read_arguments, schemas
from worldforge.environments.dialects.search_dialect import PagePart, ResultsPage, SearchDialect, Words, later
from worldforge.environments.protocol import NUMBERED
from worldforge.environments.requests import NoteRequest, OpenRequest, Request, SearchRequest
from worldforge.environments.views import ErrorView
from worldforge.models.chat import ToolCall

MOST_QUERIES = 5


class WebSearch(Arguments):
    """Search the web. Each query brings up to ten results: address, title, a snippet of the page, date."""

    query: str = Field("", description="What to look for, in words.")
    queries: list[Words] = Field(
        default_factory=list,
        max_length=MOST_QUERIES,
        description=f"Several queries at once, at most {MOST_QUERIES}, in place of `query`.",
    )
    page: ResultsPage = 1

    @model_validator(mode="after")
    def _one_way(self) -> WebSearch:
        if bool(self.query) == bool(self.queries):
            raise ValueError("give either `query` or `queries`")
        return self

    @property
    def asked(self) -> list[str]:
        """The queries, however they were given."""
        return self.queries or [self.query]


class WebExtractor(Arguments):
    """Open a page and read it as Markdown. A long page comes in parts; its first lines say how many there are."""

    url: str = Field(description="The address of the page, as search results and links give it.")
    part: PagePart = 1


class DictMemory(Arguments):
    """Keep notes under keys for the length of this task."""

    action: Literal["add", "update", "retrieve", "retrieve_all", "remove", "remove_all"] = Field(
        description="`add` a new key, `update` or `remove` or `retrieve` one that exists, or act on all of them."
    )
    key: str = Field(
        "", max_length=200, description="The note's key; for all actions but `retrieve_all` and `remove_all`."
    )
    value: str = Field("", description="The note; for `add` and `update`.")

    @model_validator(mode="after")
    def _complete(self) -> DictMemory:
        needed = {"add": {"key", "value"}, "update": {"key", "value"}, "retrieve": {"key"}, "remove": {"key"}}
        missing = sorted(needed.get(self.action, set()) - self.model_fields_set)
        if missing:
            raise ValueError(f"`{self.action}` needs `{'` and `'.join(missing)}`")
        return self


_TOOLS: dict[str, type[Arguments]] = {
    "web_search": WebSearch,
    "web_extractor": WebExtractor,
    "dict_memory": DictMemory,
}


class AgentWorld(SearchDialect):
    """The dialect; a `Dialect`."""

    name = "agentworld"
    tools = schemas(_TOOLS)
    result = NUMBERED

    def read(self, call: ToolCall) -> Request | ErrorView:
        """Read a call of one of the three tools."""
        match read_arguments(call, _TOOLS):
            case WebSearch() as asked:
                return SearchRequest(tuple(asked.asked), asked.page)
            case WebExtractor() as asked:
                return OpenRequest(asked.url, asked.part)
            case DictMemory() as asked:
                return NoteRequest(asked.action, asked.key, asked.value)
            case ErrorView() as error:
                return error
        raise AssertionError("a tool without a request")

    def ask(self, request: Request) -> list[tuple[str, dict[str, Any]]]:
        """Ask for searches, at most MOST_QUERIES queries a call, for pages and for notes."""
        match request:
            case SearchRequest(queries, page):
                batches = [queries[first : first + MOST_QUERIES] for first in range(0, len(queries), MOST_QUERIES)]
                return [("web_search", {"queries": list(batch), **later("page", page)}) for batch in batches]
            case OpenRequest(url, part):
                return [("web_extractor", {"url": url, **later("part", part)})]
            case NoteRequest(action, key, value):
                given = {"key": key, "value": value}
                return [("dict_memory", {"action": action, **{name: text for name, text in given.items() if text}})]
        raise ValueError(f"{self.name} has no tool for a {type(request).__name__}")


AGENT_WORLD = AgentWorld()
