"""From queries to vectors to the nearest pages, in a thread of its own: what is asked meanwhile is taken together."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from worldforge.core.errors import WorldForgeError
from worldforge.search.embedding_archive import EmbeddingArchive
from worldforge.search.page_vectors import DensePages, Mask, Nearest

DEPTH = 300
"""Pages nearest to a query that are looked up."""

_MOST = 16  # queries that are answered together


@dataclass(frozen=True, slots=True)
class _PendingQuery:
    text: str
    allowed: Mask | None
    answer: Future[Nearest]


class Lookup:
    """Finds pages by vectors; may be asked by several threads. `archive` opens what keeps vectors."""

    def __init__(self, pages: DensePages, archive: Callable[[], EmbeddingArchive]) -> None:
        self._queue: SimpleQueue[_PendingQuery | None] = SimpleQueue()
        serving = threading.Thread(target=_serve, args=(self._queue, pages, archive), daemon=True)
        self._begin = _Once(serving)
        weakref.finalize(self, self._queue.put, None)

    def submit(self, text: str, allowed: Mask | None) -> Future[Nearest]:
        """Ask for the pages nearest to what `text` says, among those that are `allowed` (None: all).

        The answer may raise NoEmbedderError where a model is wanted, ModelUnavailableError where it is gone.
        """
        asked = _PendingQuery(text, allowed, Future())
        self._queue.put(asked)
        self._begin()
        return asked.answer


class _Once:
    """Starts a thread when it is first called."""

    def __init__(self, thread: threading.Thread) -> None:
        self._thread, self._lock, self._begun = thread, threading.Lock(), False

    def __call__(self) -> None:
        with self._lock:
            if not self._begun:
                self._thread.start()
                self._begun = True


def _serve(queue: SimpleQueue[_PendingQuery | None], pages: DensePages, opened: Callable[[], EmbeddingArchive]) -> None:
    archive: EmbeddingArchive | None = None
    while batch := _next(queue):
        try:
            archive = archive or opened()
            prefix = pages.settings.query_prefix
            vectors = archive.vectors([prefix + asked.text for asked in batch])
            found = pages.nearest(vectors, [asked.allowed for asked in batch], DEPTH)
        except Exception as error:  # noqa: BLE001  whoever asked is told, and this thread goes on
            for asked in batch:
                asked.answer.set_exception(error if isinstance(error, WorldForgeError) else _defect(error))
            continue
        for asked, one in zip(batch, found, strict=True):
            asked.answer.set_result(one)
    if archive is not None:
        archive.close()


def _next(queue: SimpleQueue[_PendingQuery | None]) -> list[_PendingQuery]:
    """Wait for a query, and take what else is there; nothing where nobody will ask any more."""
    batch: list[_PendingQuery] = []
    with suppress(Empty):
        while len(batch) < _MOST:
            asked = queue.get(block=not batch)
            if asked is None:
                if batch:
                    queue.put(None)
                break
            if asked.answer.set_running_or_notify_cancel():
                batch.append(asked)
    return batch


def _defect(error: Exception) -> WorldForgeError:
    return WorldForgeError(f"pages could not be found by vectors: {type(error).__name__}: {error}")
