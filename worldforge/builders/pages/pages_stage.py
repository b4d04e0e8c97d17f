"""Write the pages of a world: their outline, then their text chunk by chunk, then the authority that links give them.

Chunks are composed by any number of workers and written in order, so that the files are the same for any number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from worldforge.builders.pages.alias_choice import call_by_aliases
from worldforge.builders.pages.compose import Chunk, Composed, compose, cut, wanted_prose
from worldforge.builders.pages.conflicts.conflicts import with_conflicts
from worldforge.builders.pages.outline import Outline, outline_pages
from worldforge.builders.pages.page_phrases import with_phrases
from worldforge.builders.pages.page_tables import LINKED_PAGES
from worldforge.builders.pages.pagerank import page_rank
from worldforge.builders.pages.prose.prose_counts import TALLY, ProseCounts
from worldforge.builders.pages.prose.prose_requests import Writer, complete
from worldforge.builders.pages.prose.prose_rewrite import ProseRewriter
from worldforge.builders.pages.prose.prose_setup import open_prose
from worldforge.builders.pages.publication_days import with_publication_days
from worldforge.builders.pages.rendered_values import write_tables
from worldforge.builders.pages.repeatable import check_repeatable
from worldforge.builders.pages.site_formats import in_styles
from worldforge.builders.pages.table_totals import with_totals
from worldforge.core.files import remove, write_json
from worldforge.core.progress import Progress
from worldforge.core.worker_pool import Engine
from worldforge.core.worker_runtime import worker_context
from worldforge.schema.spec import WorldSpec
from worldforge.world.table_files import (
    AUTHORITY,
    AUTHORITY_FILE,
    LARGE_FILES,
    LINKS,
    REDIRECTS,
    REDIRECTS_FILE,
    parquet_writer,
    write_parquet,
)

PAGES_WORTH_WORKERS = 5_000
"""Fewer pages are written before workers have started."""


@dataclass(frozen=True, slots=True)
class PlannedPages:
    """The pages of a world before they are composed: where each stands, in which chunks, and how a model words them."""

    outline: Outline
    chunks: Sequence[Chunk]
    prose: ProseRewriter | None


def write_pages(
    spec: WorldSpec,
    tables: Mapping[str, pa.Table],
    folder: Path,
    engine: Engine,
    progress: Progress,
    code_from: Path | None = None,
    writer: Writer | None = None,
) -> None:
    """Write the pages of a world into `folder`, and what they state, their links and authority.

    The workers of `engine` compose them. Where the spec has pages that left an address, redirects.parquet as well.

    `tables` are the world's tables by name. Where a model words pages, `writer` is asked for what the folder's archive
    of prose lacks, and what came of it is counted in `TALLY`.

    Raises InputError for a page generator that cannot be used, and for prose that is missing without a writer.
    """
    planned = plan_pages(spec, tables, folder, code_from)
    prose = planned.prose
    if prose is not None:
        complete(prose, lambda: wanted_prose(planned.outline, planned.chunks, prose), writer, progress)
    n_pages = len(planned.outline)
    progress.start("pages", n_pages)
    tally = ProseCounts()
    linked = [pa.table({name: pa.array([], pa.int32()) for name in LINKED_PAGES})]
    with ExitStack() as files:
        forms = LARGE_FILES.items()
        writers = [files.enter_context(parquet_writer(folder / name, *form)) for name, form in forms]
        for composed in compose_all(planned, engine):
            parts = composed.pages, composed.mentions, composed.links.select(LINKS.names)
            for write, part in zip(writers, parts, strict=True):
                write(part)
            linked.append(composed.links.select(LINKED_PAGES))
            tally += composed.tally or ProseCounts()
            progress.advance(composed.pages.num_rows)
    progress.note("ranks pages by their links")
    source, target = (column.to_numpy() for column in pa.concat_tables(linked).drop_null().columns)
    authority = page_rank(source, target, n_pages)
    ranked = pa.table([planned.outline.ids, authority], schema=AUTHORITY)
    write_parquet(folder / AUTHORITY_FILE, [ranked], AUTHORITY)
    remove(folder / REDIRECTS_FILE)
    if spec.web.redirects:
        write_parquet(folder / REDIRECTS_FILE, [_redirects(planned.outline)], REDIRECTS)
    if planned.prose is not None:
        write_json(folder / TALLY, tally.as_data())


def plan_pages(spec: WorldSpec, tables: Mapping[str, pa.Table], folder: Path, code_from: Path | None) -> PlannedPages:
    """Outline the pages of the world in `folder`, and cut them into chunks. Raises InputError as `write_pages` does."""
    written = in_styles(spec, write_tables(spec, tables, code_from), tables)
    outlined = outline_pages(spec, *call_by_aliases(spec, tables, written), code_from)
    outline = with_totals(with_phrases(with_publication_days(with_conflicts(outlined, tables)), tables))
    check_repeatable(outline)
    return PlannedPages(outline, cut(outline), open_prose(outline, folder))


def compose_all(planned: PlannedPages, engine: Engine) -> Iterator[Composed]:
    """Compose chunks by the workers of an engine, and yield them in order."""
    outline, chunks, prose = planned.outline, planned.chunks, planned.prose
    if engine.workers == 1 or len(outline) < PAGES_WORTH_WORKERS:
        yield from (compose(outline, chunk, prose) for chunk in chunks)
        return
    with engine.pool((outline, prose), n_workers=min(engine.workers, len(chunks))) as pool:
        yield from pool.map_ordered(_compose_given, chunks)


def _compose_given(chunk: Chunk) -> Composed:
    outline, prose = worker_context()
    return compose(outline, chunk, prose)


def _redirects(outline: Outline) -> pa.Table:
    """List the addresses that pages have left, in page order."""
    old = outline.redirects.old
    return pa.table([old, outline.ids], schema=REDIRECTS).filter(old.is_valid())
