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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import tantivy

from worldforge.core.errors import InputError
from worldforge.core.files import atomic
from worldforge.core.progress import Progress
from worldforge.search import rerank
from worldforge.search.engine import CJK_SCHEMA, SCHEMA, cjk_document, document, open_engine, write_engine
from worldforge.search.query import Asker
from worldforge.search.ranking import Ranking, read_ranking, write_ranking
from worldforge.search.sites import Sites
from worldforge.search.snippet import cut_snippet
from worldforge.search.store import FILE_NAME, PageStore, open_store, write_store
from worldforge.search.ties import TIE_COLUMNS, tie_order
from worldforge.search.typed import Typed, typed
from worldforge.search.typos import nearest_words
from worldforge.world.ids import rows_of
from worldforge.world.tables import read_parquet

SHARD_BYTES = 1 << 28
"""Plain text in one segment of the engine, which needs up to 11 times as much where every word is another."""

_ENGINE, _RANKING = "tantivy", "ranking.json"
_SCORE_STEPS = 1 << 13  # in one point of score: finer differences may be those of rounding
_SPARE_HITS = 20  # fetched beyond the limit: scores that are equal once rounded are put in order across it
_REPORT_EVERY = 1_000
_Ranked = list[tuple[float, int]]
"""Scores and page rows, best first."""
_Fetched = list[tuple[float, tantivy.DocAddress]]


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
    weights: rerank.Weights | None = None

    @property
    def n_pages(self) -> int:
        """How many pages can be found."""
        return self.store.n_pages

    def search(self, query: str, limit: int = 10) -> list[Hit]:
        """Return the best pages for a query as people type it (docs/search.md), at most `limit`, best first.

        Any text will do. However many are asked for, the first are the same.
        """
        asked = typed(query, cjk=self.ranking.cjk)
        sought = self._asker.sought(asked)
        if sought is None:
            return []
        limit = limit if self.ranking.top_k is None else min(limit, self.ranking.top_k)
        if self.weights is None:
            ranked = self._ranked(sought.query, limit)
        else:
            ranked = self._ranked_anew(sought.query, limit, asked, self.weights)
        return [self._hit(page, score, sought.terms) for score, page in ranked]

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

    @cached_property
    def _asker(self) -> Asker:
        sites = Sites(self.schema, self.store.columns["url"])
        return Asker(self.searcher, self.schema, self.ranking, self._nearest, sites.pages_on)

    def _nearest(self, word: str) -> list[str]:
        return nearest_words(word, self.searcher, self.schema, self._words_at)

    def _words_at(self, at: tantivy.DocAddress) -> str:
        (row,) = cast(list[int], self.searcher.fast_field_values("page", [at]))
        return " ".join(self.store.cells(row, "title", "plain"))

    def _ranked(self, sought: tantivy.Query, limit: int) -> _Ranked:
        """Return scores and page rows, best first; equal scores in the order in which pages were indexed."""
        return self._in_order(self._fetched(sought, limit + _SPARE_HITS), limit)

    def _fetched(self, sought: tantivy.Query, limit: int) -> _Fetched:
        return self.searcher.search(sought, limit, count=False).hits

    def _in_order(self, fetched: _Fetched, limit: int) -> _Ranked:
        """Round scores, and let the order in which pages were indexed decide between those that are equal then."""
        places = sorted([(-int(score * _SCORE_STEPS), at.segment_ord, at.doc, at) for score, at in fetched])
        best = places[:limit]
        pages = cast(list[int], self.searcher.fast_field_values("page", [at for *_, at in best]))
        return [(-place[0] / _SCORE_STEPS, page) for place, page in zip(best, pages, strict=True)]

    def _ranked_anew(self, sought: tantivy.Query, limit: int, asked: Typed, weights: rerank.Weights) -> _Ranked:
        """Do as `_ranked` does, by all that counts: block by block, and further on where a block brings too few."""
        best: _Ranked = []
        done, wanted = 0, rerank.BLOCK
        while len(best) < limit:
            fetched = self._fetched(sought, wanted)
            for start in range(done, len(fetched), rerank.BLOCK):
                best += self._block(fetched[start : start + rerank.BLOCK], asked, weights)
            if len(fetched) < wanted:
                break
            done, wanted = wanted, 2 * wanted
        return best[:limit]

    def _block(self, fetched: _Fetched, asked: Typed, weights: rerank.Weights) -> _Ranked:
        found = self._in_order(fetched, len(fetched))
        scores = np.array([score for score, _ in found])
        rows = np.array([page for _, page in found], np.int64)
        fresh = rerank.new_scores(scores, rows, weights, self.ranking, key=asked.key, cjk=asked.is_cjk)
        rounded = np.rint(fresh * _SCORE_STEPS) / _SCORE_STEPS
        order = np.argsort(-rounded, kind="stable")
        return [(float(rounded[at]), int(rows[at])) for at in order if np.isfinite(rounded[at])]

    def _hit(self, page: int, score: float, terms: list[str]) -> Hit:
        url, title, published, plain = self.store.cells(page, "url", "title", "published", "plain")
        return Hit(page, url, title, cut_snippet(plain, terms), published, score)


def write_index(
    pages: Path,
    folder: Path,
    progress: Progress,
    ranking: Ranking | None = None,
    site_authority: Mapping[str, float] | None = None,
    shard_bytes: int = SHARD_BYTES,
    redirects: pa.Table | None = None,
) -> None:
    """Index the table at `pages` (`tables.PAGES`) into `folder`, atomically. Memory holds one shard.

    `site_authority` is that of the site of each kind of page, where it is not 1; `redirects` (`tables.REDIRECTS`) are
    the addresses by which pages are found beside their own.
    """
    left = _left_addresses(redirects)
    order = tie_order(read_parquet(pages, TIE_COLUMNS))
    progress.start("index", len(order))
    with atomic(folder) as beside:
        beside.mkdir()
        write_store(pages, beside / FILE_NAME)
        store = open_store(beside / FILE_NAME)
        ranking = replace(ranking or Ranking(), cjk=store.holds_cjk())
        shards = _shards(order, store.plain_sizes()[order], shard_bytes)
        documents = (_documents(store, rows, left, progress, cjk=ranking.cjk) for rows in shards)
        write_engine(beside / _ENGINE, documents, CJK_SCHEMA if ranking.cjk else SCHEMA)
        write_ranking(ranking, beside / _RANKING)
        if ranking.reorders:
            weighed = read_parquet(pages, rerank.COLUMNS)
            rerank.write_weights(weighed, beside / rerank.FILE_NAME, ranking, site_authority or {})


def open_index(folder: Path) -> SearchIndex:
    """Open the index in `folder`. Raises InputError where it is missing or damaged."""
    try:
        ranking = read_ranking(folder / _RANKING)
        store = open_store(folder / FILE_NAME)
        weights = rerank.open_weights(folder / rerank.FILE_NAME) if ranking.reorders else None
        engine = open_engine(folder / _ENGINE)
    except FileNotFoundError as error:
        message = f"{folder} holds no search index"
        raise InputError(message, "build the world again: `worldforge build`") from error
    except (OSError, ValueError, TypeError, pa.ArrowException) as error:
        message = f"the search index in {folder} cannot be read: {error}"
        raise InputError(message, "build the world again: `worldforge build --fresh`") from error
    return SearchIndex(engine.searcher(), engine.schema, store, ranking, weights)


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
    store: PageStore, rows: npt.NDArray[np.int64], left: dict[int, str], progress: Progress, *, cjk: bool
) -> Iterator[tantivy.Document]:
    make = cjk_document if cjk else document
    for start in range(0, len(rows), _REPORT_EVERY):
        batch = rows[start : start + _REPORT_EVERY].tolist()
        for row in batch:
            url, title, plain = store.cells(row, "url", "title", "plain")
            yield make(row, [url, left[row]] if row in left else [url], title, plain)
        progress.advance(len(batch))
