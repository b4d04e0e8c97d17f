"""Search by vectors beside search by words: what is nearest to a query, remembered for as long as it may be wanted."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from concurrent.futures import Future
from pathlib import Path

from worldforge.search.embedding_archive import EmbeddingArchive
from worldforge.search.lookup import Lookup
from worldforge.search.page_store import PageStore
from worldforge.search.page_vectors import DensePages, Mask, Nearest, first_passage

_REMEMBERED = 4_096  # queries


class DenseSearch:
    """The vectors of an index, to be asked in words; what is embedded is kept at `archive`. For several threads."""

    def __init__(self, pages: DensePages, store: PageStore, archive: Path) -> None:
        self.settings, self.ties, self.archive = pages.settings, pages.ties, archive
        known = (first_passage(store, pages.settings), pages.vectors[0]) if len(pages.vectors) else None
        self._lookup = Lookup(pages, lambda: EmbeddingArchive(archive, pages.settings.model, known))
        self._answers: OrderedDict[str, Future[Nearest]] = OrderedDict()
        self._lock = threading.Lock()

    def nearest(self, query: str, text: str, allowed: Mask | None) -> Nearest:
        """Return the pages nearest to `text`, which is what the query `query` says, among those it leaves.

        Waits for the model where `ready` was not awaited. Raises NoEmbedderError, ModelUnavailableError.
        """
        return self._answer(query, text, allowed).result()

    async def ready(self, query: str, text: str, allowed: Mask | None) -> None:
        """See that `nearest` will not wait; raises what it would. What is asked meanwhile is embedded together."""
        await asyncio.shield(asyncio.wrap_future(self._answer(query, text, allowed)))

    def has(self, query: str) -> bool:
        """Say whether a query has been asked of late, and answered."""
        answer = self._answers.get(query)
        return answer is not None and answer.done()

    def _answer(self, query: str, text: str, allowed: Mask | None) -> Future[Nearest]:
        with self._lock:
            answer = self._answers.get(query)
            if answer is None or answer.cancelled() or (answer.done() and answer.exception() is not None):
                answer = self._answers[query] = self._lookup.submit(text, allowed)
            self._answers.move_to_end(query)
            while len(self._answers) > _REMEMBERED:
                self._answers.popitem(last=False)
            return answer
