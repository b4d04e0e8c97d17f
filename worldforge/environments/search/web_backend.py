"""Answer search, page and note requests from a world's search index."""

from __future__ import annotations

import json
from typing import Any

from worldforge.environments.arguments import echo
from worldforge.environments.requests import SessionBackend, ToolRequest
from worldforge.environments.search.requests import NoteRequest, OpenRequest, SearchRequest
from worldforge.environments.search.views import NoteView, PageView, Result, SearchBlock, SearchView, page_parts
from worldforge.environments.views import ErrorView, ToolView
from worldforge.search.search_index import SearchIndex

_MOVED = "This page has moved (301): what was asked for is an address that it has left, above is its own."


class Notes:
    """The notes of one session, in the order in which they were added."""

    def __init__(self) -> None:
        self._notes: dict[str, str] = {}

    @property
    def by_key(self) -> dict[str, str]:
        """A copy of the notes."""
        return dict(self._notes)

    def answer(self, asked: NoteRequest) -> NoteView:
        """Apply a request to the notes."""
        match asked.action:
            case "add" if asked.key in self._notes:
                return NoteView(f"Error: the key `{asked.key}` exists already; use `update`.", "key_exists")
            case "update" | "retrieve" | "remove" if asked.key not in self._notes:
                return NoteView(f"Error: there is no key `{asked.key}`.", "key_not_found")
            case "add" | "update":
                self._notes[asked.key] = asked.value
                return NoteView(f"Stored under `{asked.key}`.")
            case "retrieve":
                return NoteView(self._notes[asked.key])
            case "remove":
                del self._notes[asked.key]
                return NoteView(f"Removed `{asked.key}`.")
            case "remove_all":
                return self._remove_all()
            case "retrieve_all":
                return NoteView(json.dumps(self._notes, ensure_ascii=False, indent=1))

    def _remove_all(self) -> NoteView:
        n_notes = len(self._notes)
        self._notes.clear()
        return NoteView(f"Removed {n_notes} notes." if n_notes != 1 else "Removed 1 note.")


class SearchBackend(SessionBackend):
    """One session's view of a world's web; its notes are its only state."""

    def __init__(self, index: SearchIndex) -> None:
        self.index = index
        self._notes = Notes()

    @property
    def state(self) -> Any:
        """The notes, by key."""
        return {"notes": self._notes.by_key}

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
                return self._notes.answer(request)
        return ErrorView("unknown_tool", "Error: this environment has no records.")

    def background(self, n: int, keys: list[int]) -> list[Result]:
        """Return at most `n` random results: the pages selected by `keys`, 64 random bits each."""
        rows = [key % self.index.n_pages for key in keys[:n]] if self.index.n_pages else []
        shown = (self.index.glance(row) for row in dict.fromkeys(rows))
        return [Result(0, hit.url, hit.title, hit.snippet, hit.published, hit.page) for hit in shown]

    def _block(self, query: str, request: SearchRequest) -> SearchBlock:
        first = (request.page - 1) * request.size
        after = first + request.size
        hits = self.index.search(query, after + 1)
        results = tuple(
            Result(rank, hit.url, hit.title, hit.snippet, hit.published, hit.page)
            for rank, hit in enumerate(hits[first:after], start=first + 1)
        )
        return SearchBlock(query, results, request.page, more=len(hits) > after)

    def _open(self, asked: OpenRequest) -> ToolView:
        page = self.index.page(asked.url)
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
