"""Write the search index of a world: the store of pages, the engine shard by shard, the ranking, vectors.

    write_index(world, world / "index", Progress(), workers=2)

Same pages and vectors, same bytes, for any number of workers: a shard depends on its own pages alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import tantivy

from worldforge.core.files import atomic
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress
from worldforge.core.worker_runtime import worker_cached, worker_context
from worldforge.search import embedding_archive as embeddings
from worldforge.search import page_vectors as vectors
from worldforge.search import rerank
from worldforge.search.page_store import FILE_NAME, PageStore, open_store, write_store
from worldforge.search.rerank import RankingSettings, write_ranking
from worldforge.search.search_index import ENGINE, RANKING
from worldforge.search.tantivy_index import IndexedShard, cjk_document, document, index_shard, write_tantivy
from worldforge.world.stable_ids import rows_of
from worldforge.world.table_files import AUTHORITY_FILE, read_parquet

SHARD_BYTES = 1 << 28
"""Plain text in one segment of the engine, which needs up to 11 times as much where every word is another."""

_REPORT_EVERY = 1_000
Rows = npt.NDArray[np.int64]


def write_index(
    world: Path,
    folder: Path,
    progress: Progress,
    ranking: RankingSettings | None = None,
    site_authority: Mapping[str, float] | None = None,
    shard_bytes: int = SHARD_BYTES,
    redirects: pa.Table | None = None,
    dense: vectors.DenseSettings | None = None,
    workers: int = 1,
) -> None:
    """Index the pages of the folder `world` into `folder`, atomically. Memory holds a shard for each worker.

    It reads pages.parquet and authority.parquet. `site_authority` is that of the site of each kind of page, 1 if not
    given; `redirects` (`table_files.REDIRECTS`) are further addresses of pages. With `dense`, pages are embedded, and
    the vectors are kept beside `folder`. Raises NoEmbedderError where the model is not at hand.
    """
    left = _left_addresses(redirects)
    pages = world / "pages.parquet"
    authority = read_parquet(world / AUTHORITY_FILE, ["authority"])["authority"].to_numpy()
    order = rerank.tie_order(read_parquet(pages, rerank.TIE_COLUMNS), authority)
    progress.start("index", len(order))
    with atomic(folder) as beside:
        beside.mkdir()
        write_store(pages, beside / FILE_NAME)
        store = open_store(beside / FILE_NAME)
        ranking = replace(ranking or RankingSettings(), cjk=store.holds_cjk())
        shards = _shards(order, store.plain_sizes()[order], shard_bytes)
        work = _IndexWork(beside / FILE_NAME, beside, left, ranking.cjk, progress)
        write_tantivy(beside / ENGINE, _index_all(shards, work, workers))
        progress.note("weighs pages")
        write_ranking(ranking, beside / RANKING)
        if ranking.reorders:
            weights = rerank.page_weights(read_parquet(pages, rerank.COLUMNS), authority, ranking, site_authority or {})
            rerank.write_weights(weights, beside / rerank.FILE_NAME)
        if dense is not None:
            with closing(embeddings.EmbeddingArchive(folder.parent / embeddings.FILE, dense.model)) as archive:
                vectors.write_dense(beside / vectors.FOLDER, store, order, dense, archive, progress)


@dataclass(frozen=True, slots=True)
class _IndexWork:
    """What shards are made of, and the folder below which each is made; `left` are addresses that pages have left."""

    store: Path
    folder: Path
    left: Mapping[int, str]
    cjk: bool
    progress: Progress


def _index_all(shards: Sequence[Rows], work: _IndexWork, workers: int) -> Iterator[IndexedShard]:
    """Index all shards by so many processes, in order; of one this is it."""
    progress, elsewhere = work.progress, min(workers, len(shards)) > 1
    if elsewhere:
        work = replace(work, progress=Progress())
    with LocalEngine(workers).pool(work, n_workers=len(shards)) as pool:
        for rows, indexed in zip(shards, pool.map_ordered(_index, enumerate(shards, 1)), strict=True):
            if elsewhere:
                progress.advance(len(rows))
            yield indexed


def _index(numbered: tuple[int, Rows]) -> IndexedShard:
    """Index a shard, in a worker that was given the work."""
    number, rows = numbered
    work: _IndexWork = worker_context()
    return index_shard(
        work.folder / f"shard-{number}", _documents(worker_cached(_open_store), rows, work), cjk=work.cjk
    )


def _open_store(work: _IndexWork) -> PageStore:
    return open_store(work.store)


def _documents(store: PageStore, rows: Rows, work: _IndexWork) -> Iterator[tantivy.Document]:
    make = cjk_document if work.cjk else document
    for start in range(0, len(rows), _REPORT_EVERY):
        batch = rows[start : start + _REPORT_EVERY].tolist()
        for row in batch:
            url, title, plain = store.cells(row, "url", "title", "plain")
            yield make(row, [url, work.left[row]] if row in work.left else [url], title, plain)
        work.progress.advance(len(batch))


def _shards(order: Rows, sizes: Rows, shard_bytes: int) -> list[Rows]:
    """Cut page rows, in their order, wherever `shard_bytes` more bytes of text have come together."""
    numbers = np.cumsum(sizes) // shard_bytes
    return np.split(order, np.flatnonzero(np.diff(numbers)) + 1)


def _left_addresses(redirects: pa.Table | None) -> dict[int, str]:
    if redirects is None:
        return {}
    return dict(zip(rows_of(redirects["target"]).tolist(), redirects["url"].to_pylist(), strict=True))
