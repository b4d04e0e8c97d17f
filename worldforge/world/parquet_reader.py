"""A Parquet file of a world, read a stretch of rows or a column at a time: what is too long to be held whole.

    mentions = Stored(folder / "mentions.parquet")
    for part in parts(mentions, ["fact", "page"]): …        # tables of as many rows as memory is to hold
    mentions["stance"]                                      # one column, whole
    text_of = reader(pages, "text")                         # text_of(17); rows that follow one another are read once

`parts` and `reader` take an Arrow table as well.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from worldforge.core.errors import InputError
from worldforge.world.table_files import ROWS_PER_GROUP

ROWS_AT_ONCE = 500_000
"""Rows of a part of a table with short cells; texts come by row groups."""


class ParquetReader:
    """A file and its head. Raises InputError where it is missing or damaged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._refusing():
            self._starts: list[int] = [0]
            self._head = pq.read_metadata(path)
            sizes = (self._head.row_group(number).num_rows for number in range(self._head.num_row_groups))
            self._starts = list(accumulate(sizes, initial=0))
            self.num_rows: int = self._head.num_rows

    @cached_property
    def column_names(self) -> list[str]:
        """What the columns are called."""
        return list(self._open().schema_arrow.names)

    def __getitem__(self, column: str) -> pa.ChunkedArray:
        """Read one column, whole."""
        return self.select([column])[column]

    def select(self, columns: Sequence[str]) -> pa.Table:
        """Read some columns, whole."""
        return self.part(0, self.num_rows, columns)

    def slice(self, first: int, length: int) -> pa.Table:
        """Read a stretch of rows."""
        return self.part(first, length)

    def part(self, first: int, length: int, columns: Sequence[str] | None = None) -> pa.Table:
        """Read some columns of a stretch of rows; where it is that of whole row groups, nothing is read in vain."""
        begin = max(0, bisect_right(self._starts, first) - 1)
        end = max(begin, bisect_right(self._starts, first + length - 1)) if length else begin
        groups = range(begin, min(end, len(self._starts) - 1))
        with self._refusing():
            found = self._open().read_row_groups(list(groups), None if columns is None else list(columns))
        return found.slice(first - self._starts[begin], length)

    def take(self, rows: npt.NDArray[np.int64], columns: Sequence[str]) -> pa.Table:
        """Read some columns of some rows, which ascend: of the row groups that they lie in, at once."""
        starts = np.array(self._starts)
        own = np.searchsorted(starts, rows, side="right") - 1
        groups, place = np.unique(own, return_inverse=True)
        with self._refusing():
            found = self._open().read_row_groups(groups.tolist(), list(columns))
        sizes = starts[groups + 1] - starts[groups]
        return found.take(pa.array(rows - starts[own] + (np.cumsum(sizes) - sizes)[place]))

    def _open(self) -> pq.ParquetFile:
        return pq.ParquetFile(self.path, memory_map=True, metadata=self._head)

    def _refusing(self) -> _DamageReport:
        return _DamageReport(self.path)


Table: TypeAlias = pa.Table | ParquetReader


class _DamageReport:
    """Says of a file that cannot be read what to do."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, FileNotFoundError):
            raise InputError(f"{self._path} is missing", "build the world again: `worldforge build`") from error
        if isinstance(error, (pa.ArrowInvalid, OSError)):
            message = f"{self._path} cannot be read: {error}"
            raise InputError(message, "build the world again: `worldforge build --fresh`") from error


def parts(table: Table, columns: Sequence[str], n_rows: int = ROWS_AT_ONCE) -> Iterator[pa.Table]:
    """Give some columns of a table, `n_rows` rows at a time, in order."""
    for first in range(0, table.num_rows, n_rows):
        yield stretch(table, first, n_rows, columns)


def stretch(table: Table, first: int, n_rows: int, columns: Sequence[str]) -> pa.Table:
    """Return some columns of `n_rows` rows from `first` on; fewer where the table ends."""
    if isinstance(table, ParquetReader):
        return table.part(first, min(n_rows, table.num_rows - first), columns)
    return table.select(columns).slice(first, n_rows)


def matching(table: Table, columns: Sequence[str], by: str, values: pa.Array) -> pa.Table:
    """Return some columns of the rows that have one of `values` in the column `by`, in order.

    Of a stored table that column is read, and the others where there are such rows.
    """
    if not isinstance(table, ParquetReader):
        return table.filter(pc.is_in(table[by], values)).select(columns)
    found, first = [table.part(0, 0, columns)], 0
    for part in parts(table, [by]):
        rows = first + pc.indices_nonzero(pc.is_in(part[by], values)).to_numpy().astype(np.int64)
        first += part.num_rows
        if len(rows):
            found.append(table.take(rows, columns))
    return pa.concat_tables(found)


def reader(table: Table, column: str) -> Callable[[int], Any]:
    """Give what reads a cell of a column, by row; of a stored one it holds the row group that was read last."""
    if isinstance(table, ParquetReader):
        return _ColumnReader(table, column)
    cells = table[column]
    return lambda row: cells[row].as_py()


class _ColumnReader:
    def __init__(self, table: ParquetReader, column: str) -> None:
        self._table, self._column, self._first, self._held = table, column, 0, pa.nulls(0)

    def __call__(self, row: int) -> Any:
        if not self._first <= row < self._first + len(self._held):
            self._first = row - row % ROWS_PER_GROUP
            n_rows = min(ROWS_PER_GROUP, self._table.num_rows - self._first)
            self._held = self._table.part(self._first, n_rows, [self._column])[self._column]
        return self._held[row - self._first].as_py()
