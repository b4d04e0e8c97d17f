"""Search by vectors beside search by words: the pages nearest to a query, by one background thread per index."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from worldforge.search.embedding_archive import EmbeddingArchive
from worldforge.search.page_store import PageStore
from worldforge.search.page_vectors import DensePages, Mask, Nearest, first_passage

DEPTH = 300
"""Pages nearest to a query that are looked up."""
_MOST_TOGETHER = 16  # queries embedded together
_REMEMBERED = 4_096  # queries


class DenseSearch:
    """The vectors of an index, to be asked in words; vectors of queries are kept at `archive`. Thread-safe."""

    def __init__(self, pages: DensePages, store: PageStore, archive: Path) -> None:
        self.settings, self.ties, self.archive = pages.settings, pages.ties, archive
        self._pages = pages
        self._known = (first_passage(store, pages.settings), pages.vectors[0]) if len(pages.vectors) else None
        self._opened: EmbeddingArchive | None = None  # serves the background thread alone
        self._thread = ThreadPoolExecutor(1, "dense-search")
        self._waiting: dict[str, tuple[str, Mask | None]] = {}
        self._answers: dict[str, Nearest] = {}

    def nearest(self, query: str, text: str, allowed: Mask | None) -> Nearest:
        """Return the pages nearest to `text`, which is what the query `query` says, among those that are `allowed`.

        Waits for the model where `ready` was not awaited. Raises NoEmbedderError, ModelUnavailableError.
        """
        return self._answers.get(query) or self._submit(query, text, allowed).result()

    async def ready(self, query: str, text: str, allowed: Mask | None) -> None:
        """Answer a query before `nearest` asks; raises what it would. Queries that wait are embedded together."""
        await asyncio.wrap_future(self._submit(query, text, allowed))

    def has(self, query: str) -> bool:
        """Say whether the answer to a query is remembered."""
        return query in self._answers

    def _submit(self, query: str, text: str, allowed: Mask | None) -> Future[Nearest]:
        self._waiting[query] = (text, allowed)
        return self._thread.submit(self._answer, query, text, allowed)

    def _answer(self, query: str, text: str, allowed: Mask | None) -> Nearest:
        """Answer a query, and others that wait, in the background thread."""
        self._waiting.pop(query, None)
        if query in self._answers:
            return self._answers[query]
        batch = {query: (text, allowed), **dict(list(self._waiting.items())[: _MOST_TOGETHER - 1])}
        if self._opened is None:
            self._opened = EmbeddingArchive(self.archive, self.settings.model, self._known)
        vectors = self._opened.vectors([self.settings.query_prefix + text for text, _ in batch.values()])
        found = self._pages.nearest(vectors, [allowed for _, allowed in batch.values()], DEPTH)
        self._answers.update(zip(batch, found, strict=True))
        for answered in batch:
            self._waiting.pop(answered, None)
        for oldest in list(self._answers)[:-_REMEMBERED]:
            del self._answers[oldest]
        return found[0]
