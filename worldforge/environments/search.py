"""The search environment: a world's web behind search tools, in any dialect.

    environment = SearchEnvironment(open_world("output/mine"))
    session = environment.session()
    await session.call(ToolCall("1", "web_search", '{"query": "football clubs in Velmar"}'))

One environment serves any number of sessions; a session holds an agent's notes, and nothing else. What a call brings
depends on the world, the call and those notes alone.
"""

from __future__ import annotations

from worldforge.environments.control import SessionControls
from worldforge.environments.dialects.agentworld import AGENT_WORLD
from worldforge.environments.dialects.arguments import echo
from worldforge.environments.dialects.dialect import Dialect
from worldforge.environments.memory import Memory
from worldforge.environments.parts import page_parts
from worldforge.environments.rendering import Renderer
from worldforge.environments.requests import NoteRequest, OpenRequest, Request, SearchRequest
from worldforge.environments.tool_session import ToolSession
from worldforge.environments.views import ErrorView, PageView, Result, SearchBlock, SearchView, View
from worldforge.search.search_index import SearchIndex, open_index
from worldforge.search.snippet import cut_snippet
from worldforge.world.world import World

_MOVED = "This page has moved (301): what was asked for is an address that it has left, above is its own."


class SearchEnvironment:
    """A world's web, open to agents. Sessions share it, and change nothing in it."""

    def __init__(self, source: World | SearchIndex, dialect: Dialect = AGENT_WORLD) -> None:
        self.index = open_index(source.path / "index") if isinstance(source, World) else source
        self.dialect = dialect

    def session(self, controls: SessionControls | None = None, renderer: Renderer | None = None) -> ToolSession:
        """Begin a session, its memory empty."""
        return ToolSession(self.dialect, SearchBackend(self.index), controls, renderer)


class SearchBackend:
    """A world's web as one session meets it; an `environments.backend.Backend`."""

    def __init__(self, index: SearchIndex) -> None:
        self._index = index
        self._memory = Memory()

    async def ready(self, request: Request) -> None:
        """Have queries embedded, where pages are found by vectors too."""
        if isinstance(request, SearchRequest):
            await self._index.ready(request.queries)

    def answer(self, request: Request) -> View:
        """Search, open a page, or keep a note."""
        match request:
            case SearchRequest():
                return SearchView(tuple(self._block(query, request) for query in request.queries))
            case OpenRequest():
                return self._open(request)
            case NoteRequest():
                return self._memory.answer(request)
        return ErrorView("unknown_tool", "Error: this environment has no records.")

    def background(self, n: int, keys: list[int]) -> list[Result]:
        """Return at most `n` results about anything: the pages that `keys` (64 random bits each) fall on."""
        rows = [key % self._index.n_pages for key in keys[:n]] if self._index.n_pages else []
        shown = (self._index.glance(row) for row in dict.fromkeys(rows))
        return [Result(0, hit.url, hit.title, hit.snippet, hit.published, hit.page) for hit in shown]

    def _block(self, query: str, request: SearchRequest) -> SearchBlock:
        first = (request.page - 1) * request.size
        after = first + request.size
        found = self._index.find(query, after + 1)
        listed, needles = self._index.store.listed, found.needles
        results = []
        for rank, (_, page) in enumerate(found.ranked[first:after], start=first + 1):
            url, title, published, plain, lowered = listed(page)
            results.append(Result(rank, url, title, cut_snippet(plain, lowered, needles), published, page))
        return SearchBlock(query, tuple(results), request.page, more=len(found.ranked) > after)

    def _open(self, asked: OpenRequest) -> View:
        page = self._index.page(asked.url)
        if page is None:
            return ErrorView("page_not_found", f"Error: 404, no page at {echo(asked.url)}.")
        parts = page_parts(page.text)
        if not 1 <= asked.part <= len(parts):
            return ErrorView("part_not_found", f"Error: no such part: this page has {len(parts)}.")
        start, end = parts[asked.part - 1]
        return PageView(
            page.url,
            page.title,
            page.published,
            asked.part,
            len(parts),
            page.text[start:end],
            _MOVED if page.moved else "",
            row=page.page,
            start=start,
        )
