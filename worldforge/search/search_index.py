"""The search index of a world: opened without being loaded, asked in words. `search/index_writer.py` writes it.

    index = open_index(world / "index")
    index.search("football clubs in Velmar")      # [Hit(page=17, url="https://…", title=…, snippet=…, …), …]
    index.page("https://…")                       # PageText(page=17, …), or None

On disk: `tantivy/` (the engine), `pages.arrow` (what snippets and pages are read from), `ranking.json`, and `dense/`
where pages are found by vectors too. Same pages and vectors, same bytes; and opening writes nothing.
"""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import tantivy

from worldforge.core.errors import InputError
from worldforge.search import dense_search as vectors
from worldforge.search import embedding_archive as embeddings
from worldforge.search import rerank
from worldforge.search.dense_search import DEPTH, DenseSearch
from worldforge.search.page_store import PageStore
from worldforge.search.parsed_query import ParsedQuery, parse_query, query_text
from worldforge.search.query_builder import BuiltQuery, QueryBuilder
from worldforge.search.rerank import RankingSettings, read_ranking
from worldforge.search.snippet import cut_snippet
from worldforge.search.tantivy_index import Searcher, damage_as_input_error, open_tantivy

ENGINE, RANKING = "tantivy", "ranking.json"
_SCORE_STEPS = 1 << 13  # in one point of score: finer differences may be those of rounding
_SPARE_HITS = 20  # fetched beyond the limit: scores that are equal once rounded are put in order across it
_Ranked = list[tuple[float, int]]
"""Scores and page rows, best first."""
_Fetched = list[tuple[float, tantivy.DocAddress]]


class Hit(NamedTuple):
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
    ranking: RankingSettings
    weights: rerank.Weights | None = None
    dense: DenseSearch | None = None

    @property
    def n_pages(self) -> int:
        """How many pages can be found."""
        return self.store.n_pages

    def search(self, query: str, limit: int = 10) -> list[Hit]:
        """Return the best pages for a query as people type it (docs/search.md), at most `limit`, best first.

        Any text will do. However many are asked for, the first are the same. With vectors, raises NoEmbedderError where
        the query was never asked and the model is not at hand, ModelUnavailableError where it is gone.
        """
        parsed = parse_query(query, cjk=self.ranking.cjk)
        sought = self._builder.build(parsed)
        limit = limit if self.ranking.top_k is None else min(limit, self.ranking.top_k)
        if self.dense is not None and (text := query_text(query)):
            near, _ = self.dense.nearest(query, text, self._builder.allowed(parsed))
            ranked = self._fused(sought, near, limit, parsed, self.dense)
        else:
            ranked = self._by_words(sought, limit, parsed, self.ranking)
        terms = sought.terms if sought is not None else []
        return [self._hit(page, score, terms) for score, page in ranked]

    async def ready(self, queries: Sequence[str]) -> None:
        """See that searches for `queries` will not wait for a model: those of many sessions are embedded together."""
        if self.dense is None:
            return
        unanswered = [(query, text) for query in queries if (text := query_text(query)) and not self.dense.has(query)]
        allowed = [self._builder.allowed(parse_query(query, cjk=self.ranking.cjk)) for query, _ in unanswered]
        waiting = [self.dense.ready(query, text, mask) for (query, text), mask in zip(unanswered, allowed, strict=True)]
        await asyncio.gather(*waiting)

    def by_words_alone(self) -> SearchIndex:
        """Return the index without its vectors: no model is needed to search it."""
        return replace(self, dense=None)

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
    def _builder(self) -> QueryBuilder:
        return QueryBuilder(self.searcher, self.schema, self.ranking, self.store)

    def _ranked(self, sought: tantivy.Query, limit: int) -> _Ranked:
        """Return scores and page rows, best first; equal scores in the order in which pages were indexed."""
        return self._sort_hits(self._run_query(sought, limit + _SPARE_HITS), limit)

    def _run_query(self, sought: tantivy.Query, limit: int) -> _Fetched:
        return self.searcher.search(sought, limit, count=False).hits

    def _sort_hits(self, fetched: _Fetched, limit: int) -> _Ranked:
        """Round scores, and let the order in which pages were indexed decide between those that are equal then."""
        if 0 < limit < len(fetched):
            least = int(fetched[limit - 1][0] * _SCORE_STEPS) / _SCORE_STEPS
            end = limit
            while end < len(fetched) and fetched[end][0] >= least:
                end += 1
            fetched = fetched[:end]
        best = sorted([(-int(score * _SCORE_STEPS), at) for score, at in fetched])[:limit]
        pages = cast(list[int], self.searcher.fast_field_values("page", [at for _, at in best]))
        return [(-steps / _SCORE_STEPS, page) for (steps, _), page in zip(best, pages, strict=True)]

    def _by_words(
        self, sought: BuiltQuery | None, limit: int, parsed: ParsedQuery, ranking: RankingSettings
    ) -> _Ranked:
        """Rank by words and by all that counts: block by block, and further on where a block brings too few."""
        if sought is None:
            return []
        if self.weights is None or not ranking.reorders:
            return self._ranked(sought.query, limit)
        best: _Ranked = []
        done, wanted = 0, rerank.BLOCK
        while len(best) < limit:
            fetched = self._run_query(sought.query, wanted)
            for start in range(done, len(fetched), rerank.BLOCK):
                best += self._rerank_block(fetched[start : start + rerank.BLOCK], parsed, self.weights, ranking)
            if len(fetched) < wanted:
                break
            done, wanted = wanted, 2 * wanted
        return best[:limit]

    def _fused(
        self,
        sought: BuiltQuery | None,
        near: npt.NDArray[np.int64],
        limit: int,
        parsed: ParsedQuery,
        dense: DenseSearch,
    ) -> _Ranked:
        """Fuse the first `DEPTH` pages by words with those by vectors; then go on with words alone."""
        words = self._by_words(sought, DEPTH, parsed, self.ranking.by_merit)
        by_words = np.array([page for _, page in words], np.int64)
        pages, merit = rerank.fuse([(by_words, 1.0), (near, dense.settings.weight)])
        scores = rerank.with_chance(merit, pages, self.ranking, key=parsed.key)
        order = np.lexsort((dense.ties[pages], -scores))
        best = [(float(scores[at]), int(pages[at])) for at in order if np.isfinite(scores[at])]
        if len(best) < limit and len(words) == DEPTH:
            first = set(pages.tolist())
            further = self._by_words(sought, limit + len(first), parsed, self.ranking)
            best += [(0.0, page) for _, page in further if page not in first]
        return best[:limit]

    def _rerank_block(
        self, fetched: _Fetched, parsed: ParsedQuery, weights: rerank.Weights, ranking: RankingSettings
    ) -> _Ranked:
        found = self._sort_hits(fetched, len(fetched))
        scores = np.array([score for score, _ in found])
        rows = np.array([page for _, page in found], np.int64)
        fresh = rerank.rescored(scores, rows, weights, ranking, key=parsed.key, cjk=parsed.is_cjk)
        rounded = np.rint(fresh * _SCORE_STEPS) / _SCORE_STEPS
        order = np.argsort(-rounded, kind="stable")
        return [(float(rounded[at]), int(rows[at])) for at in order if np.isfinite(rounded[at])]

    def _hit(self, page: int, score: float, terms: Sequence[str]) -> Hit:
        url, title, published, plain = self.store.cells(page, "url", "title", "published", "plain")
        return Hit(page, url, title, cut_snippet(plain, terms), published, score)


def open_index(folder: Path) -> SearchIndex:
    """Open the index in `folder`. Raises InputError where it is missing or damaged."""
    try:
        ranking = read_ranking(folder / RANKING)
        store = PageStore(folder)
        weights = rerank.open_weights(folder / rerank.FILE_NAME) if ranking.reorders else None
        pages = vectors.open_dense(folder / vectors.FOLDER)
        engine = open_tantivy(folder / ENGINE)
        with damage_as_input_error(folder / ENGINE):
            searcher = cast(tantivy.Searcher, Searcher(engine.searcher(), folder / ENGINE))
    except FileNotFoundError as error:
        message = f"{folder} holds no search index"
        raise InputError(message, "build the world again: `worldforge build`") from error
    except (OSError, ValueError, TypeError, pa.ArrowException) as error:
        message = f"the search index in {folder} cannot be read: {error}"
        raise InputError(message, "build the world again: `worldforge build --fresh`") from error
    dense = None if pages is None else DenseSearch(pages, store, folder.parent / embeddings.FILE)
    return SearchIndex(searcher, engine.schema, store, ranking, weights, dense)
