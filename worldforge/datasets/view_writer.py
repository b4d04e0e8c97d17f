"""Write rows as Parquet files of even size, streamed: the same bytes for the same rows.

Page index and content-defined chunking are what the Hub's viewer and its storage want; a row group stays below what the
viewer reads at once (as `datasets` writes them, but for the compression). There are no dictionaries: in groups of a
thousand rows they cost time, and zstd does as well without.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import chain
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from worldforge.core.errors import InputError
from worldforge.core.files import replace
from worldforge.core.progress import Progress
from worldforge.datasets.view import DatasetView, ExportContext

ROWS_PER_GROUP = 1_000
BYTES_PER_GROUP = 64 * 2**20
PATTERN = "train-*.parquet"

Written = dict[Path, int]
"""The files of a view, in order, and how many rows each holds."""


def write_view(
    view: DatasetView,
    portions: Iterable[pa.Table],
    context: ExportContext,
    folder: Path,
    progress: Progress,
) -> Written:
    """Write the rows that `view` makes of `portions` into `folder`; no folder is made without rows."""
    rows_per_file = context.rows_per_file
    if view.tables is not None:
        tables = _with_columns_of(view, view.tables(portions, context))
        return write_tables(tables, view.schema, folder, rows_per_file, progress)
    if view.lines is not None:
        return write_lines(view.lines(portions, context), folder, rows_per_file, progress)
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


def write_lines(lines: Iterable[bytes], folder: Path, rows_per_file: int, progress: Progress) -> Written:
    """Write JSON lines as files `train-00000-of-00002.jsonl` of `rows_per_file` lines each in `folder`."""
    drafts: dict[Path, int] = {}
    with ExitStack() as file:
        for number, line in enumerate(lines):
            if number % rows_per_file == 0:
                file.close()
                folder.mkdir(parents=True, exist_ok=True)
                draft = folder / f"{len(drafts):05d}.jsonl"
                target = file.enter_context(draft.open("wb"))
                drafts[draft] = 0
            target.write(line + b"\n")
            drafts[draft] += 1
            progress.advance()
    return _numbered(drafts)


def write_tables(
    tables: Iterable[pa.Table], schema: pa.Schema, folder: Path, rows_per_file: int, progress: Progress
) -> Written:
    """Write `tables`, in order, as files `train-00000-of-00002.parquet` of `rows_per_file` rows each in `folder`.

    How many there will be is not known before the last is written: until then they have other names. Where no row
    comes, nothing is written, the folder neither: readers stumble over files without rows.
    """
    drafts: dict[Path, int] = {}
    with ExitStack() as file:
        n_left = 0
        for group in _row_groups(tables, rows_per_file):
            if not n_left:
                file.close()
                folder.mkdir(parents=True, exist_ok=True)
                draft = folder / f"{len(drafts):05d}.parquet"
                writer = file.enter_context(_writer(draft, schema))
                drafts[draft], n_left = 0, rows_per_file
            writer.write_table(group, row_group_size=group.num_rows)
            drafts[draft] += group.num_rows
            n_left -= group.num_rows
            progress.advance(group.num_rows)
    return _numbered(drafts)


def _numbered(drafts: Written) -> Written:
    """Name files by their number and how many there are, now that this is known."""
    written = {}
    for number, (draft, n_rows) in enumerate(drafts.items()):
        path = draft.with_name(f"train-{number:05d}-of-{len(drafts):05d}{draft.suffix}")
        replace(draft, path)
        written[path] = n_rows
    return written


def _writer(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    return pq.ParquetWriter(
        path,
        schema,
        compression="zstd",
        compression_level=1,
        write_page_index=True,
        use_content_defined_chunking=True,
        use_dictionary=False,
    )


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
