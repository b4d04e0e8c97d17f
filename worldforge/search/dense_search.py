"""Vectors of pages, and which are nearest to a query's: exact, by product with every one of them.

In an index's folder `dense/`: dense.json (which model, which weights of it, which settings), vectors.npy (float16, a
row a passage, in the order of pages), firsts.npy (the first passage of each page), ties.npy (the place of each page
among pages that are equally near). They are mapped, not loaded. A page is as near as the nearest of its passages (MaxP:
Dai and Callan, "Deeper text understanding for IR with contextual neural language modeling", 2019).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from worldforge.core.arrays import save_array
from worldforge.core.errors import InputError
from worldforge.core.files import write_json
from worldforge.core.progress import Progress
from worldforge.schema.web_section import Dense
from worldforge.search.analysis import is_cjk
from worldforge.search.embedding_archive import EmbeddingArchive, Halves
from worldforge.search.page_store import PageStore

FOLDER = "dense"
_VECTORS, _FIRSTS, _TIES, _RECORD = "vectors.npy", "firsts.npy", "ties.npy", "dense.json"
DEPTH = 300
"""Pages nearest to a query that are looked up."""
_MOST_TOGETHER = 16  # queries embedded together
_REMEMBERED = 4_096  # queries
_BATCH = 512  # texts that are embedded, and then kept, together
_BLOCK = 8_192  # passages that are multiplied together: as floats they stay in a processor's cache
_STEPS = 1 << 16  # in one point of cosine: finer differences may be those of rounding

Rows = npt.NDArray[np.int64]
Nearest = tuple[Rows, npt.NDArray[np.float64]]
"""Pages by row, nearest first, and their cosines."""
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class DensePages:
    """The vectors of an index's pages; `revision` is empty where the model does not tell its own."""

    settings: Dense
    revision: str
    vectors: Halves
    firsts: Rows
    ties: npt.NDArray[np.int32]

    def nearest(self, queries: Halves, allowed: Sequence[Mask | None], depth: int) -> list[Nearest]:
        """Return for each query the pages nearest to it, at most `depth`, nearest first, and their cosines.

        `queries` has a row a query, `allowed` says which pages may be among them (None: all).
        """
        if not len(self.firsts):
            return [(np.empty(0, np.int64), np.empty(0)) for _ in queries]
        near = np.maximum.reduceat(self._products(queries), self.firsts, axis=1)
        steps = np.floor(near.astype(np.float64) * _STEPS).astype(np.int64)
        return [self._top_pages(row, mask, depth) for row, mask in zip(steps, allowed, strict=True)]

    def _products(self, queries: Halves) -> npt.NDArray[np.float32]:
        """Return the product of every query with every passage, float32 of shape (queries, passages).

        A query is multiplied by itself, so that results do not depend on the other queries of a batch.
        """
        products = np.empty((len(queries), len(self.vectors)), np.float32)
        for start in range(0, len(self.vectors), _BLOCK):
            block = self.vectors[start : start + _BLOCK].astype(np.float32)
            for number, query in enumerate(queries.astype(np.float32)):
                products[number, start : start + len(block)] = block @ query
        return products

    def _top_pages(self, steps: npt.NDArray[np.int64], mask: Mask | None, depth: int) -> Nearest:
        pages = np.arange(len(steps)) if mask is None else np.flatnonzero(mask)
        depth = min(depth, len(pages))
        if depth:
            least = np.partition(steps[pages], -depth)[-depth]
            pages = pages[steps[pages] >= least]
        best = pages[np.lexsort((self.ties[pages], -steps[pages]))][:depth]
        return best, steps[best] / _STEPS


class DenseSearch:
    """The vectors of an index, to be asked in words; vectors of queries are kept at `archive`. Thread-safe."""

    def __init__(self, pages: DensePages, store: PageStore, archive: Path) -> None:
        self.settings, self.ties, self.archive = pages.settings, pages.ties, archive
        self._pages = pages
        self._known = (_passages(store, 0, pages.settings)[0], pages.vectors[0]) if len(pages.vectors) else None
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


def write_dense(
    folder: Path,
    store: PageStore,
    order: npt.NDArray[np.int64],
    settings: Dense,
    archive: EmbeddingArchive,
    progress: Progress,
) -> None:
    """Write the vectors of the pages in `store` into the new folder `folder`; `order` has the winner of ties first.

    What the archive lacks is embedded, and kept there batch by batch. Raises NoEmbedderError where no model is at hand.
    """
    counts = [len(_passages(store, row, settings)) for row in range(store.n_pages)]
    progress.start("index: vectors", sum(counts))
    folder.mkdir()
    dimension, start = 0, 0
    vectors: Halves = np.empty((0, 0), np.float16)
    texts = (text for row in range(store.n_pages) for text in _passages(store, row, settings))
    while batch := list(islice(texts, _BATCH)):
        made = archive.vectors(batch)
        if not dimension:
            dimension = made.shape[1]
            shape = (sum(counts), dimension)
            vectors = np.lib.format.open_memmap(folder / _VECTORS, "w+", np.float16, shape)  # type: ignore[no-untyped-call]
        if made.shape[1] != dimension:
            raise InputError(f"vectors by `{settings.model}` differ in length", "build again with `--fresh`")
        vectors[start : start + len(made)] = made
        start += len(made)
        progress.advance(len(made))
    if not dimension:
        save_array(folder / _VECTORS, vectors)
    save_array(folder / _FIRSTS, np.cumsum([0, *counts[:-1]], dtype=np.int64)[: len(counts)])
    ties = np.empty(len(order), np.int32)
    ties[order] = np.arange(len(order), dtype=np.int32)
    save_array(folder / _TIES, ties)
    record = settings.model_dump() | {"revision": archive.revision, "dimension": dimension, "passages": sum(counts)}
    write_json(folder / _RECORD, record)


def read_dense_record(folder: Path) -> dict[str, object]:
    """Return what dense.json in `folder` says. Raises OSError, ValueError where it is missing or damaged."""
    record = json.loads((folder / _RECORD).read_bytes())
    if not isinstance(record, dict):
        raise ValueError(f"{_RECORD} is no object")
    return record


def open_dense(folder: Path) -> DensePages | None:
    """Map what `write_dense` left; None where it never was. Raises OSError, ValueError, TypeError where damaged."""
    if not folder.exists():
        return None
    record = read_dense_record(folder)
    revision, shape = str(record.pop("revision", "")), (record.pop("passages", None), record.pop("dimension", None))
    settings = Dense.model_validate(record)
    vectors = np.load(folder / _VECTORS, mmap_mode="r") if shape[0] else np.empty((0, 0), np.float16)
    firsts, ties = np.load(folder / _FIRSTS), np.load(folder / _TIES)
    if vectors.shape != (shape if shape[0] else (0, 0)) or len(firsts) != len(ties):
        raise ValueError(f"{FOLDER}/{_VECTORS} is not as {_RECORD} says")
    return DensePages(settings, revision, vectors, firsts, ties)


def cut_passages(title: str, plain: str, characters: int) -> list[str]:
    """Cut a page's plain text (one line) into stretches of at most `characters`, each under the title; at least one.

    Cuts fall on blanks, or between any two characters where one is Chinese, Japanese or Korean; a word that is longer
    than a stretch is cut through.
    """
    stretches = []
    start = 0
    while len(plain) - start > characters:
        end = _passage_end(plain, start, start + characters)
        stretches.append(plain[start:end])
        start = end
    stretches.append(plain[start:])
    return [f"{title}\n{stretch.strip()}".strip() for stretch in stretches]


def _passage_end(plain: str, start: int, latest: int) -> int:
    """Return where the stretch ends that begins at `start` and may reach `latest`."""
    if is_cjk(plain[latest - 1]) or is_cjk(plain[latest]):
        return latest
    blank = plain.rfind(" ", start + 1, latest + 1)
    return blank + 1 if blank > start and blank < latest else latest


def _passages(store: PageStore, row: int, settings: Dense) -> list[str]:
    title, plain = store.cells(row, "title", "plain")
    return [settings.page_prefix + text for text in cut_passages(title, plain, settings.passage_characters)]
