"""The search environment: a world's web behind three tools, `web_search`, `web_extractor` and `dict_memory`.

    environment = SearchEnvironment(open_world("output/mine"))
    session = environment.session()
    await session.call(ToolCall("1", "web_search", '{"query": "football clubs in Velmar"}'))

One environment serves any number of sessions; a session holds an agent's notes, and nothing else. What a call brings
depends on the world, the call and those notes alone.
"""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from worldforge.environments.memory import Memory
from worldforge.environments.parts import page_parts
from worldforge.environments.protocol import PageView, Result, format_page, format_results, one_line
from worldforge.environments.session import Disclosure, Observation, ToolCall
from worldforge.environments.tools import (
    RESULTS_PER_QUERY,
    TOOL_SCHEMAS,
    TOOLS,
    DictMemory,
    WebExtractor,
    WebSearch,
    explain,
)
from worldforge.search.index import SearchIndex, open_index
from worldforge.world.world import World

_MOST_ECHOED = 200  # characters of an agent's own words that an observation repeats


class SearchEnvironment:
    """A world's web, open to agents. Sessions share it, and change nothing in it."""

    def __init__(self, source: World | SearchIndex) -> None:
        self.index = open_index(source.path / "index") if isinstance(source, World) else source

    def session(self) -> SearchSession:
        """Begin a session, its memory empty."""
        return SearchSession(self.index)


class SearchSession:
    """One agent at the tools of a `SearchEnvironment`; an `environments.session.Session`."""

    def __init__(self, index: SearchIndex) -> None:
        self._index = index
        self._memory = Memory()

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The three tools, as OpenAI function schemas."""
        return TOOL_SCHEMAS

    async def call(self, call: ToolCall) -> Observation:
        """Answer one tool call. What is wrong with it comes back as an observation that names the error."""
        tool = TOOLS.get(call.name)
        if tool is None:
            known = ", ".join(TOOLS)
            return Observation(f"Error: there is no tool {_echo(call.name)}. The tools are {known}.", "unknown_tool")
        try:
            arguments = tool.model_validate_json(call.arguments.encode("utf-8", "replace"))
        except ValidationError as error:
            return Observation(f"Error: malformed request: {explain(error)}.", "malformed_request")
        match arguments:
            case WebSearch():
                return self._search(arguments.asked)
            case WebExtractor():
                return self._extract(arguments)
            case DictMemory():
                return self._memory.answer(arguments)

    def _search(self, queries: list[str]) -> Observation:
        blocks = [self._results(query) for query in queries]
        found = any(blocks)
        texts = [block or f"No results for {_echo(query)}." for query, block in zip(queries, blocks, strict=True)]
        if len(queries) > 1:
            texts = [f"Query: {_echo(query)}\n\n{text}" for query, text in zip(queries, texts, strict=True)]
        return Observation("\n\n".join(texts), "" if found else "nothing_found")

    def _results(self, query: str) -> str:
        hits = self._index.search(query, RESULTS_PER_QUERY)
        return format_results(
            [Result(rank, hit.url, hit.title, hit.snippet, hit.published) for rank, hit in enumerate(hits, start=1)]
        )

    def _extract(self, asked: WebExtractor) -> Observation:
        page = self._index.page(asked.url)
        if page is None:
            return Observation(f"Error: 404, no page at {_echo(asked.url)}.", "page_not_found")
        parts = page_parts(page.text)
        if not 1 <= asked.part <= len(parts):
            return Observation(f"Error: no such part: this page has {len(parts)}.", "part_not_found")
        start, end = parts[asked.part - 1]
        view = PageView(page.url, page.title, page.published, asked.part, len(parts), page.text[start:end])
        return Observation(format_page(view), disclosed=(Disclosure(page.page, start, end),))


def _echo(words: str) -> str:
    """Quote what an agent wrote: on one line, shortened where it is long."""
    line = one_line(words[: 2 * _MOST_ECHOED]).encode("utf-8", "replace").decode()
    shown = line if len(line) <= _MOST_ECHOED else f"{line[:_MOST_ECHOED]}…"
    return f'"{shown}"'
