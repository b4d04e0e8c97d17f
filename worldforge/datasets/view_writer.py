"""Writes rows as Parquet files of even size, streamed: the same bytes for the same rows.

Page index and content-defined chunking are what the Hub's viewer and its storage want; a row group stays below what the
viewer reads at once (as `datasets` writes them, but for the compression). There are no dictionaries: in groups of a
thousand rows they cost time, and zstd does as well without.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from worldforge.core.errors import InputError
from worldforge.core.files import replace, sync
from worldforge.core.progress import Progress
from worldforge.datasets.view import DatasetView, ExportContext

ROWS_PER_GROUP = 1_000
BYTES_PER_GROUP = 64 * 2**20
PATTERN = "train-*.parquet"
_END = object()

Item = TypeVar("Item")


Written = dict[Path, int]
"""The files of a view, in order, and how many rows each holds."""


def write_view(
    view: DatasetView,
    portions: Iterable[pa.Table],
    context: ExportContext,
    folder: Path,
    rows_per_file: int,
    progress: Progress,
) -> Written:
    """Write what `view` makes of `portions` into `folder`, which is not made where that is nothing."""
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
    with closing(_ahead(_groups(tables, rows_per_file))) as groups, _onto_disk() as onto_disk, ExitStack() as file:
        n_left = 0
        for group in groups:
            if not n_left:
                file.close()
                folder.mkdir(parents=True, exist_ok=True)
                draft = folder / f"{len(drafts):05d}.parquet"
                writer = file.enter_context(_writer(draft, schema))
                drafts[draft], n_left = 0, rows_per_file
            writer.write_table(group, row_group_size=group.num_rows)
            onto_disk(draft)
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


def _groups(tables: Iterable[pa.Table], rows_per_file: int) -> Iterator[pa.Table]:
    """Cut a stream of tables into row groups, none of which lies in two files."""
    held, n_left = _RowBuffer(tables), rows_per_file
    while held.has_more():
        group = held.take(n_left)
        n_left = n_left - group.num_rows or rows_per_file
        yield group


class _RowBuffer:
    """Rows that come table by table, and are taken a row group at a time."""

    def __init__(self, tables: Iterable[pa.Table]) -> None:
        self._tables = (table for table in tables if table.num_rows)
        self._held: list[pa.Table] = []
        self._n_rows = self._n_bytes = 0

    def has_more(self) -> bool:
        """Say whether a row is left, having gathered a whole group where there is one."""
        while self._n_rows < ROWS_PER_GROUP and self._n_bytes < BYTES_PER_GROUP:
            table = next(self._tables, None)
            if table is None:
                break
            self._hold(table)
        return self._n_rows > 0

    def take(self, most_rows: int) -> pa.Table:
        """Take a group of `most_rows` at most from what `has_more` has gathered."""
        fitting = max(1, BYTES_PER_GROUP * self._n_rows // max(1, self._n_bytes))
        n_rows = min(most_rows, ROWS_PER_GROUP, fitting)
        whole = pa.concat_tables(self._held)
        self._held, self._n_rows, self._n_bytes = [], 0, 0
        if n_rows < whole.num_rows:
            self._hold(whole.slice(n_rows))
        return whole.slice(0, n_rows)

    def _hold(self, table: pa.Table) -> None:
        self._held.append(table)
        self._n_rows += table.num_rows
        self._n_bytes += table.nbytes


@contextmanager
def _onto_disk() -> Iterator[Callable[[Path], None]]:
    """Give a function that puts on disk what a file has by now, in a thread, unless that is still under way.

    So little is left to wait for at the end. Raises the OSError of a disk that has not taken it: it tells each once.
    """
    busy: Future[None] = Future()
    busy.set_result(None)
    with ThreadPoolExecutor(1) as thread:

        def take(path: Path) -> None:
            nonlocal busy
            if busy.done():
                busy.result()
                busy = thread.submit(sync, path)

        yield take
        busy.result()


def _ahead(items: Iterable[Item]) -> Generator[Item]:
    """Give items, the next one being made in a thread meanwhile: pyarrow reads while it writes."""
    iterator = iter(items)

    def following() -> Any:
        return next(iterator, _END)

    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(following)
        while (item := coming.result()) is not _END:
            coming = thread.submit(following)
            yield item
