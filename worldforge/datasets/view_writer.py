"""Write the views of a dataset, one view a worker at a time: the same bytes for the same rows.

Rows become Parquet files of even size, streamed. Page index and content-defined chunking are what the Hub's viewer and
its storage want; a row group stays below what the viewer reads at once (as `datasets` writes them, but for the
compression). There are no dictionaries: in groups of a thousand rows they cost time, and zstd does as well without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from worldforge.core import files
from worldforge.core.errors import InputError
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress
from worldforge.core.worker_runtime import worker_context
from worldforge.datasets.selection.selected_rows import SelectedRows
from worldforge.datasets.view import DatasetView, ExportContext

ROWS_PER_GROUP = 1_000
BYTES_PER_GROUP = 64 * 2**20
PATTERN = "train-*.parquet"

Written = dict[Path, int]
"""The files of a view, in order, and how many rows each holds."""


@dataclass(frozen=True, slots=True)
class ExportWork:
    """The input of all views, and the `folder` in which each gets a folder. Pickles.

    `imitated` are the trajectories for views that are imitated, `selected` those for all others.
    """

    context: ExportContext
    selected: SelectedRows
    imitated: SelectedRows
    folder: Path
    progress: Progress


def write_views(views: Sequence[DatasetView], work: ExportWork, workers: int) -> dict[str, Written]:
    """Write `views` by so many processes; return the files of each."""
    work.folder.mkdir(parents=True, exist_ok=True)
    progress, elsewhere = work.progress, min(workers, len(views)) > 1
    if elsewhere:
        work.selected.prepare({view.takes for view in views if not view.imitated})
        work.imitated.prepare({view.takes for view in views if view.imitated})
        work = replace(work, progress=Progress())
        progress.start("views", len(views))
    written: dict[str, Written] = {}
    with LocalEngine(workers).pool(work, n_workers=len(views)) as pool:
        for view, paths in zip(views, pool.map_ordered(_write, views), strict=True):
            written[view.name] = paths
            if elsewhere:
                progress.advance()
    return written


def _write(view: DatasetView) -> Written:
    """Write a view, in a worker that was given the work."""
    work: ExportWork = worker_context()
    work.progress.start(view.name)
    rows = work.imitated if view.imitated else work.selected
    portions: Iterable[pa.Table] = ()
    if view.takes != "world":
        portions = rows.groups() if view.takes == "groups" else rows.tables()
    with files.add_path_to_error(work.folder / view.name):
        return write_view(view, portions, work.context, work.folder / view.name, work.progress)


def write_view(
    view: DatasetView, portions: Iterable[pa.Table], context: ExportContext, folder: Path, progress: Progress
) -> Written:
    """Write the rows that `view` makes of `portions` into `folder`; no folder is made without rows."""
    if view.tables is not None:
        tables = _with_columns_of(view, view.tables(portions, context))
        return write_tables(tables, view.schema, folder, context.rows_per_file, progress)
    if view.lines is not None:
        lines = ((line + b"\n", 1) for line in view.lines(portions, context))
        return _write_files(lines, folder, ".jsonl", lambda path: path.open("wb"), context.rows_per_file, progress)
    assert view.files is not None
    written = {}
    for name, content, n_rows in view.files(portions, context):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        written[path] = n_rows
        progress.advance(n_rows)
    return written


def _with_columns_of(view: DatasetView, tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Give tables in the view's own types. Raises InputError where one has other columns than the view promises."""
    schema = view.schema
    for table in tables:
        try:
            yield table if table.schema.equals(schema) else table.cast(schema)
        except (pa.ArrowException, ValueError) as error:
            raise InputError(f"view `{view.name}` made a table with other columns than its own: {error}") from error


def write_tables(
    tables: Iterable[pa.Table], schema: pa.Schema, folder: Path, rows_per_file: int, progress: Progress
) -> Written:
    """Write `tables`, in order, as files `train-00000-of-00002.parquet` of `rows_per_file` rows each in `folder`."""

    def open_file(path: Path) -> pq.ParquetWriter:
        return pq.ParquetWriter(
            path,
            schema,
            compression="zstd",
            compression_level=1,
            write_page_index=True,
            use_content_defined_chunking=True,
            use_dictionary=False,
        )

    groups = ((group, group.num_rows) for group in _row_groups(tables, rows_per_file))
    return _write_files(groups, folder, ".parquet", open_file, rows_per_file, progress)


def _write_files(
    parts: Iterable[tuple[Any, int]],
    folder: Path,
    suffix: str,
    open_file: Callable[[Path], AbstractContextManager[Any]],
    rows_per_file: int,
    progress: Progress,
) -> Written:
    """Write parts, each of so many rows, as files of `rows_per_file` rows.

    How many there will be is not known before the last is written: until then they have other names. Where no row
    comes, nothing is written, the folder neither: readers stumble over files without rows.
    """
    drafts: dict[Path, int] = {}
    with ExitStack() as opened:
        n_left = 0
        for part, n_rows in parts:
            if not n_left:
                opened.close()
                folder.mkdir(parents=True, exist_ok=True)
                draft = folder / f"{len(drafts):05d}{suffix}"
                file = opened.enter_context(open_file(draft))
                drafts[draft], n_left = 0, rows_per_file
            file.write(part)
            drafts[draft] += n_rows
            n_left -= n_rows
            progress.advance(n_rows)
    written = {}
    for number, (draft, n_rows) in enumerate(drafts.items()):
        path = draft.with_name(f"train-{number:05d}-of-{len(drafts):05d}{suffix}")
        files.replace(draft, path)
        written[path] = n_rows
    return written


def _row_groups(tables: Iterable[pa.Table], rows_per_file: int) -> Iterator[pa.Table]:
    """Cut a stream of tables into row groups of at most `ROWS_PER_GROUP`, none of which lies in two files."""
    held: list[pa.Table] = []
    n_rows, n_bytes, n_left = 0, 0, rows_per_file
    for table in chain(tables, [None]):  # None: the end
        if table is not None:
            held.append(table)
            n_rows, n_bytes = n_rows + table.num_rows, n_bytes + table.nbytes
        while n_rows and (table is None or n_rows >= ROWS_PER_GROUP or n_bytes >= BYTES_PER_GROUP):
            fitting = max(1, BYTES_PER_GROUP * n_rows // max(1, n_bytes))
            size = min(n_left, n_rows, ROWS_PER_GROUP, fitting)
            whole = pa.concat_tables(held)
            yield whole.slice(0, size)
            rest = whole.slice(size)
            held, n_rows, n_bytes = [rest], rest.num_rows, rest.nbytes
            n_left = n_left - size or rows_per_file
