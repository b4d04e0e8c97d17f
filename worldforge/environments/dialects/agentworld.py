"""Qwen-AgentWorld's dialect: `web_search`, `web_extractor`, `dict_memory`, as its report (arXiv 2606.24597) gives them.

`part` and `page` are ours: they let a reader go on where a page or a list of results is long.
"""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import Field, model_validator

from worldforge.environments.dialects.arguments import Arguments, echo, read_arguments, schemas
from worldforge.environments.dialects.dialect import Schema
from worldforge.environments.protocol import format_page, format_results, parse_page, parse_results
from worldforge.environments.requests import (
    RESULTS_PER_QUERY,
    NoteRequest,
    OpenRequest,
    Request,
    SearchRequest,
)
from worldforge.environments.views import ErrorView, NoteView, PageView, SearchBlock, SearchView, View
from worldforge.models.chat import ToolCall

MOST_QUERIES = 5


class WebSearch(Arguments):
    """Search the web. Each query brings up to ten results: address, title, a snippet of the page, date."""

    query: str = Field("", description="What to look for, in words.")
    queries: list[str] = Field(
        default_factory=list,
        max_length=MOST_QUERIES,
        description=f"Several queries at once, at most {MOST_QUERIES}, in place of `query`.",
    )
    page: int = Field(1, ge=1, le=100, description="Which page of the results to show, from 1.")

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
    part: int = Field(1, description="Which part of a long page to read, from 1.")


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


class AgentWorld:
    """The dialect; a `Dialect`."""

    name = "agentworld"
    tools: list[Schema] = schemas(_TOOLS)

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
                later = {"page": page} if page > 1 else {}
                batches = [queries[first : first + MOST_QUERIES] for first in range(0, len(queries), MOST_QUERIES)]
                return [("web_search", {"queries": list(batch), **later}) for batch in batches]
            case OpenRequest(url, part):
                return [("web_extractor", {"url": url, "part": part} if part > 1 else {"url": url})]
            case NoteRequest(action, key, value):
                given = {"key": key, "value": value}
                return [("dict_memory", {"action": action, **{name: text for name, text in given.items() if text}})]
        raise ValueError(f"{self.name} has no tool for a {type(request).__name__}")

    def write(self, request: Request, view: View) -> str:
        """Write results and pages in the text protocol."""
        match view:
            case SearchView(blocks):
                texts = [self._block(block) for block in blocks]
                if len(blocks) > 1:
                    texts = [f"Query: {echo(b.query)}\n\n{text}" for b, text in zip(blocks, texts, strict=True)]
                return "\n\n".join(texts)
            case PageView():
                return format_page(view, self._next_part(view))
            case NoteView(text):
                return text
            case ErrorView(_, message):
                return message
        raise ValueError(f"{self.name} has no words for a {type(view).__name__}")

    def parse(self, request: Request, text: str) -> View | None:
        """Read results and pages back."""
        match request:
            case SearchRequest(queries):
                return _parse_search(queries, text)
            case OpenRequest():
                return parse_page(text)
        return None

    def _block(self, block: SearchBlock) -> str:
        if block.message:
            return block.message
        if not block.results:
            return f"No results for {echo(block.query)}."
        text = format_results(block.results)
        return f"{text}\n\n{self._more(block)}" if block.more and len(block.results) < RESULTS_PER_QUERY else text

    def _more(self, block: SearchBlock) -> str:
        asked = json.dumps({"query": block.query, "page": block.page + 1}, ensure_ascii=False)
        return f"More results: web_search with {asked}"

    def _next_part(self, view: PageView) -> str:
        asked = json.dumps({"url": view.url, "part": view.part + 1}, ensure_ascii=False)
        return f"web_extractor with {asked}"


AGENT_WORLD = AgentWorld()


def _parse_search(queries: tuple[str, ...], text: str) -> SearchView | None:
    """Read blocks back: each under its query where several were asked."""
    parts = [text]
    if len(queries) > 1:
        marks = [f"Query: {echo(query)}\n\n" for query in queries]
        parts, rest = [], text
        for mark, following in zip(marks, [*marks[1:], ""], strict=True):
            if not rest.startswith(mark):
                return None
            body, between, rest = rest.removeprefix(mark).partition(f"\n\n{following}") if following else (rest, "", "")
            parts.append(body.removeprefix(mark))
            rest = following + rest if between else rest
    return SearchView(tuple(_parse_block(query, part) for query, part in zip(queries, parts, strict=True)))


def _parse_block(query: str, text: str) -> SearchBlock:
    results = tuple(parse_results(text))
    more = "\n\nMore results: web_search with " in text
    return SearchBlock(query, results, more=more, message="" if results else text)
