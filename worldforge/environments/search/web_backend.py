"""Answer search, page and note requests from a world's search index."""

from __future__ import annotations

import json
from typing import Any

from worldforge.environments.arguments import echo
from worldforge.environments.requests import SessionBackend, ToolRequest
from worldforge.environments.search.requests import NoteAction, NoteRequest, OpenRequest, SearchRequest
from worldforge.environments.search.views import NoteView, PageView, Result, SearchBlock, SearchView, page_parts
from worldforge.environments.views import ErrorView, ToolView
from worldforge.search.search_index import Hit, SearchIndex

_MOVED = "This page has moved (301): what was asked for is an address that it has left, above is its own."


class SearchBackend(SessionBackend):
    """One session's view of a world's web; its notes are its only state."""

    def __init__(self, index: SearchIndex) -> None:
        self.index = index
        self._notes: dict[str, str] = {}

    @property
    def state(self) -> Any:
        """The notes, by key, in the order in which they were added."""
        return {"notes": dict(self._notes)}

    async def ready(self, request: ToolRequest) -> None:
        """Embed queries, if the index has vectors."""
        if isinstance(request, SearchRequest):
            await self.index.ready(request.queries)

    def answer(self, request: ToolRequest) -> ToolView:
        """Search, open a page, or keep a note."""
        match request:
            case SearchRequest():
                return SearchView(tuple(self._block(query, request) for query in request.queries))
            case OpenRequest():
                return self._open(request)
            case NoteRequest():
                return self._note(request.action, request.key, request.value)
        return ErrorView("unknown_tool", "Error: this environment has no records.")

    def background(self, n: int, keys: list[int]) -> list[Result]:
        """Return at most `n` random results: the pages selected by `keys`, 64 random bits each."""
        rows = [key % self.index.n_pages for key in keys[:n]] if self.index.n_pages else []
        return [_result(0, self.index.glance(row)) for row in dict.fromkeys(rows)]

    def _block(self, query: str, request: SearchRequest) -> SearchBlock:
        first = (request.page - 1) * request.size
        after = first + request.size
        hits = self.index.search(query, after + 1)
        results = tuple(_result(rank, hit) for rank, hit in enumerate(hits[first:after], start=first + 1))
        return SearchBlock(query, results, request.page, more=len(hits) > after)

    def _note(self, action: NoteAction, key: str, value: str) -> NoteView:
        match action:
            case "add" if key in self._notes:
                return NoteView(f"Error: the key `{key}` exists already; use `update`.", "key_exists")
            case "update" | "retrieve" | "remove" if key not in self._notes:
                return NoteView(f"Error: there is no key `{key}`.", "key_not_found")
            case "add" | "update":
                self._notes[key] = value
                return NoteView(f"Stored under `{key}`.")
            case "retrieve":
                return NoteView(self._notes[key])
            case "remove":
                del self._notes[key]
                return NoteView(f"Removed `{key}`.")
            case "remove_all":
                n_notes = len(self._notes)
                self._notes.clear()
                return NoteView(f"Removed {n_notes} notes." if n_notes != 1 else "Removed 1 note.")
            case "retrieve_all":
                return NoteView(json.dumps(self._notes, ensure_ascii=False, indent=1))

    def _open(self, request: OpenRequest) -> ToolView:
        page = self.index.page(request.url)
        if page is None:
            return ErrorView("page_not_found", f"Error: 404, no page at {echo(request.url)}.")
        parts = page_parts(page.text)
        if not 1 <= request.part <= len(parts):
            return ErrorView("part_not_found", f"Error: no such part: this page has {len(parts)}.")
        start, end = parts[request.part - 1]
        return PageView(
            page.url,
            page.title,
            page.published,
            request.part,
            len(parts),
            page.text[start:end],
            _MOVED if page.moved else "",
            row=page.page,
            start=start,
        )


def _result(rank: int, hit: Hit) -> Result:
    return Result(rank, hit.url, hit.title, hit.snippet, hit.published, hit.page)
