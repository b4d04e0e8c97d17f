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
import tantivy

from worldforge.core.files import atomic
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress
from worldforge.core.worker_runtime import worker_cached, worker_context
from worldforge.schema.web_section import Dense
from worldforge.search import dense_search as vectors
from worldforge.search import embedding_archive as embeddings
from worldforge.search import rerank
from worldforge.search.page_store import PageStore, write_store
from worldforge.search.rerank import RankingSettings, write_ranking
from worldforge.search.search_index import ENGINE, RANKING
from worldforge.search.tantivy_index import document, index_shard, write_tantivy
from worldforge.world.stable_ids import rows_of
from worldforge.world.table_files import AUTHORITY_FILE, REDIRECTS_FILE, read_parquet

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
    dense: Dense | None = None,
    workers: int = 1,
) -> None:
    """Index the pages of the folder `world` into `folder`, atomically. Memory holds a shard for each worker.

    It reads the pages, their authority, and where there are any, redirects. `site_authority` is that of the site of
    each kind of page, 1 if not given. With `dense`, pages are embedded, and the vectors are kept beside `folder`.
    Raises NoEmbedderError where the model is not at hand.
    """
    pages = world / "pages.parquet"
    authority = read_parquet(world / AUTHORITY_FILE, ["authority"])["authority"].to_numpy()
    order = rerank.tie_order(read_parquet(pages, rerank.TIE_COLUMNS), authority)
    progress.start("index", len(order))
    with atomic(folder) as beside:
        beside.mkdir()
        write_store(pages, beside)
        store = PageStore(beside)
        ranking = replace(ranking or RankingSettings(), cjk=store.holds_cjk())
        ends = np.cumsum(store.plain_sizes()[order]) // SHARD_BYTES
        shards = np.split(order, np.flatnonzero(np.diff(ends)) + 1)
        work = _IndexWork(beside, _left_addresses(world / REDIRECTS_FILE), ranking.cjk, progress)
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
    """The folder of the index, and what shards are made of; `left` are addresses that pages have left."""

    folder: Path
    left: Mapping[int, str]
    cjk: bool
    progress: Progress


def _index_all(shards: Sequence[Rows], work: _IndexWork, workers: int) -> Iterator[Path]:
    """Index all shards by so many processes, in order; of one this is it."""
    progress, elsewhere = work.progress, min(workers, len(shards)) > 1
    if elsewhere:
        work = replace(work, progress=Progress())
    with LocalEngine(workers).pool(work, n_workers=len(shards)) as pool:
        for rows, indexed in zip(shards, pool.map_ordered(_index, enumerate(shards, 1)), strict=True):
            if elsewhere:
                progress.advance(len(rows))
            yield indexed


def _index(numbered: tuple[int, Rows]) -> Path:
    """Index a shard, in a worker that was given the work."""
    number, rows = numbered
    work: _IndexWork = worker_context()
    documents = _documents(worker_cached(_open_pages), rows, work)
    return index_shard(work.folder / f"shard-{number}", documents, cjk=work.cjk)


def _open_pages(work: _IndexWork) -> PageStore:
    return PageStore(work.folder)


def _documents(store: PageStore, rows: Rows, work: _IndexWork) -> Iterator[tantivy.Document]:
    for n_before, row in enumerate(rows.tolist()):
        if n_before % _REPORT_EVERY == 0:
            work.progress.advance(min(_REPORT_EVERY, len(rows) - n_before))
        url, title, plain = store.cells(row, "url", "title", "plain")
        yield document(row, [url, work.left[row]] if row in work.left else [url], title, plain, cjk=work.cjk)


def _left_addresses(redirects: Path) -> dict[int, str]:
    if not redirects.exists():
        return {}
    table = read_parquet(redirects)
    return dict(zip(rows_of(table["target"]).tolist(), table["url"].to_pylist(), strict=True))
