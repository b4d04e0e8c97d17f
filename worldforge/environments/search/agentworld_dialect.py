"""Qwen-AgentWorld's dialect: `web_search`, `web_extractor`, `dict_memory`, as its report (arXiv 2606.24597) gives them.

`part` and `page` are ours: they let a reader go on where a page or a list of results is long.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from worldforge.environments.arguments import ToolArguments
from worldforge.environments.requests import ToolRequest
from worldforge.environments.search.requests import NoteRequest, OpenRequest, SearchRequest
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


class WebSearch(ToolArguments):
    """Search the web. Each query brings up to ten results: address, title, a snippet of the page, date."""

    query: str = Field("", description=f"What to look for, in words. {OPERATORS}")
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

    def request(self) -> SearchRequest:
        """Ask for the queries, however they were given."""
        return SearchRequest(tuple(self.queries or [self.query]), self.page)


class WebExtractor(ToolArguments):
    """Open a page and read it as Markdown. A long page comes in parts; its first lines say how many there are."""

    url: str = Field(description="The address of the page, as search results and links give it.")
    part: PagePart = 1

    def request(self) -> OpenRequest:
        """Ask for the page."""
        return OpenRequest(self.url, self.part)


class DictMemory(ToolArguments):
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

    def request(self) -> NoteRequest:
        """Ask for something to be done with the notes."""
        return NoteRequest(self.action, self.key, self.value)


class AgentWorld(SearchDialect):
    """The dialect; a `Dialect`."""

    name = "agentworld"
    result = NUMBERED
    records: ClassVar = {"web_search": WebSearch, "web_extractor": WebExtractor, "dict_memory": DictMemory}

    def ask(self, request: ToolRequest) -> list[tuple[str, dict[str, Any]]]:
        """Ask for searches, for pages and for notes. Raises ValueError for all else."""
        if not isinstance(request, NoteRequest):
            return super().ask(request)
        given = {"key": request.key, "value": request.value}
        return [("dict_memory", {"action": request.action, **{name: text for name, text in given.items() if text}})]

    def ask_search(self, request: SearchRequest) -> list[dict[str, Any]]:
        """Ask for at most MOST_QUERIES queries a call."""
        return [{"queries": batch} for batch in in_batches(request.queries)]


AGENT_WORLD = AgentWorld()
