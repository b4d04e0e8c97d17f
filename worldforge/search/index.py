"""The search index of a world: built from its pages, opened without being loaded, asked in words.

    write_index(world / "pages.parquet", world / "index", Silent())
    index = open_index(world / "index")
    index.search("football clubs in Velmar")      # [Hit(page=17, url="https://…", title=…, snippet=…, …), …]
    index.page("https://…")                       # PageText(page=17, …), or None

On disk: `tantivy/` (the engine), `pages.arrow` (what snippets and pages are read from), `ranking.json`. Same
pages, same bytes; and opening writes nothing.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import tantivy

from worldforge.core.errors import InputError
from worldforge.core.files import atomic, write_json
from worldforge.core.progress import Progress
from worldforge.search.engine import document, open_engine, write_engine
from worldforge.search.query import Ranking, build_query, terms_of
from worldforge.search.snippet import cut_snippet
from worldforge.search.store import FILE_NAME, PageStore, open_store, write_store
from worldforge.search.ties import TIE_COLUMNS, tie_order
from worldforge.world.ids import rows_of
from worldforge.world.tables import read_parquet

SHARD_BYTES = 1 << 28
"""Plain text in one segment of the engine, which needs up to 11 times as much where every word is another."""

_ENGINE, _RANKING = "tantivy", "ranking.json"
_SCORE_STEPS = 1 << 13  # in one point of score: finer differences may be those of rounding
_SPARE_HITS = 20  # fetched beyond the limit: scores that are equal once rounded are put in order across it
_REPORT_EVERY = 1_000


@dataclass(frozen=True, slots=True)
class Hit:
    """A page found: its row in pages.parquet, what a list of results shows of it, its score rounded."""

    page: int
    url: str
    title: str
    snippet: str
    published: datetime.date | None
    score: float


@dataclass(frozen=True, slots=True)
class PageText:
    """A page opened: its row in pages.parquet, and its text in Markdown as pages.parquet holds it.

    `moved` says that it was asked for by an address that it has left; `url` is its own.
    """

    page: int
    url: str
    title: str
    published: datetime.date | None
    text: str
    moved: bool = False


@dataclass(frozen=True)
class SearchIndex:
    """An open index. Searches may run in several threads at once."""

    searcher: tantivy.Searcher
    schema: tantivy.Schema
    store: PageStore
    ranking: Ranking

    @property
    def n_pages(self) -> int:
        """How many pages can be found."""
        return self.store.n_pages

    def search(self, query: str, limit: int = 10) -> list[Hit]:
        """Return the best pages for a query in words, at most `limit`, best first. Any text will do."""
        terms = terms_of(query)
        sought = build_query(terms, self.searcher, self.schema, self.ranking)
        ranked = self._ranked(sought, limit) if sought else []
        return [self._hit(page, score, terms) for score, page in ranked]

    def page(self, url: str) -> PageText | None:
        """Return the page at `url`, its own or one it has left, a fragment and blanks put aside; None for no page."""
        address = url.strip().partition("#")[0].encode("utf-8", "replace").decode()
        sought = tantivy.Query.term_query(self.schema, "url", address, index_option="basic")
        for _, row in self._ranked(sought, limit=1):
            url, title, published, text = self.store.cells(row, "url", "title", "published", "text")
            return PageText(row, url, title, published, text, moved=address != url)
        return None

    def glance(self, page: int) -> Hit:
        """Return the page in row `page` as a result of no query in particular: its beginning, a score of 0."""
        return self._hit(page, 0.0, [])

    def _ranked(self, sought: tantivy.Query, limit: int) -> list[tuple[float, int]]:
        """Return scores and page rows, best first; equal scores in the order in which pages were indexed."""
        found = self.searcher.search(sought, limit + _SPARE_HITS, count=False).hits
        places = sorted([(-int(score * _SCORE_STEPS), at.segment_ord, at.doc, at) for score, at in found])
        best = places[:limit]
        pages = cast(list[int], self.searcher.fast_field_values("page", [at for *_, at in best]))
        return [(-place[0] / _SCORE_STEPS, page) for place, page in zip(best, pages, strict=True)]

    def _hit(self, page: int, score: float, terms: list[str]) -> Hit:
        url, title, published, plain = self.store.cells(page, "url", "title", "published", "plain")
        return Hit(page, url, title, cut_snippet(plain, terms), published, score)


def write_index(
    pages: Path, folder: Path, progress: Progress, shard_bytes: int = SHARD_BYTES, redirects: pa.Table | None = None
) -> None:
    """Index the table at `pages` (`tables.PAGES`) into `folder`, atomically. Memory holds one shard.

    `redirects` (`tables.REDIRECTS`) are the addresses by which pages are found beside their own.
    """
    left = _left_addresses(redirects)
    order = tie_order(read_parquet(pages, TIE_COLUMNS))
    progress.start("index", len(order))
    with atomic(folder) as beside:
        beside.mkdir()
        write_store(pages, beside / FILE_NAME)
        store = open_store(beside / FILE_NAME)
        shards = _shards(order, store.plain_sizes()[order], shard_bytes)
        write_engine(beside / _ENGINE, (_documents(store, rows, left, progress) for rows in shards))
        write_json(beside / _RANKING, asdict(Ranking()))


def open_index(folder: Path) -> SearchIndex:
    """Open the index in `folder`. Raises InputError where it is missing or damaged."""
    try:
        ranking = Ranking(**json.loads((folder / _RANKING).read_bytes()))
        store = open_store(folder / FILE_NAME)
        engine = open_engine(folder / _ENGINE)
    except FileNotFoundError as error:
        message = f"{folder} holds no search index"
        raise InputError(message, "build the world again: `worldforge build`") from error
    except (OSError, ValueError, TypeError, pa.ArrowException) as error:
        message = f"the search index in {folder} cannot be read: {error}"
        raise InputError(message, "build the world again: `worldforge build --fresh`") from error
    return SearchIndex(engine.searcher(), engine.schema, store, ranking)


def _shards(
    order: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64], shard_bytes: int
) -> list[npt.NDArray[np.int64]]:
    """Cut page rows, in their order, wherever `shard_bytes` more bytes of text have come together."""
    numbers = np.cumsum(sizes) // shard_bytes
    return np.split(order, np.flatnonzero(np.diff(numbers)) + 1)


def _left_addresses(redirects: pa.Table | None) -> dict[int, str]:
    if redirects is None:
        return {}
    return dict(zip(rows_of(redirects["target"]).tolist(), redirects["url"].to_pylist(), strict=True))


def _documents(
    store: PageStore, rows: npt.NDArray[np.int64], left: dict[int, str], progress: Progress
) -> Iterator[tantivy.Document]:
    for start in range(0, len(rows), _REPORT_EVERY):
        batch = rows[start : start + _REPORT_EVERY].tolist()
        for row in batch:
            url, title, plain = store.cells(row, "url", "title", "plain")
            yield document(row, [url, left[row]] if row in left else [url], title, plain)
        progress.advance(len(batch))
