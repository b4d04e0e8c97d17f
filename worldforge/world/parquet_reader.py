"""Read a Parquet file of a world in parts: some rows or some columns of a table that is too long for memory.

    mentions = ParquetReader(folder / "mentions.parquet")
    for part in parts(mentions, ["fact", "page"]): …        # tables of as many rows as memory is to hold
    mentions["stance"]                                      # one column, whole
    text_of = reader(pages, "text")                         # text_of(17); rows that follow one another are read once

`parts`, `rows_matching` and `cell_reader` take an Arrow table as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from worldforge.world.table_files import ROWS_PER_GROUP, damage_as_input_error

ROWS_AT_ONCE = 500_000
"""Rows of a part of a table with short cells; texts come by row groups."""
_SEARCHED_AT_ONCE = 5 * ROWS_PER_GROUP


class ParquetReader:
    """An open file. Raises InputError where it is missing or damaged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with damage_as_input_error(path):
            self._file = pq.ParquetFile(path, memory_map=True)
        head = self._file.metadata
        self.num_rows: int = head.num_rows
        self._ends = np.cumsum([head.row_group(number).num_rows for number in range(head.num_row_groups)])

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
        return list(self._file.schema_arrow.names)

    def __getitem__(self, column: str) -> pa.ChunkedArray:
        """Read one column, whole."""
        return self.select([column])[column]

    def select(self, columns: Sequence[str]) -> pa.Table:
        """Read some columns, whole."""
        return self.part(0, self.num_rows, columns)

    def part(self, first: int, length: int, columns: Sequence[str] | None = None) -> pa.Table:
        """Read some columns of `length` rows from `first` on, out of the row groups that hold them."""
        begin, end = np.searchsorted(self._ends, [first, first + length - 1], side="right").tolist()
        groups = range(begin, min(end + 1, len(self._ends)) if length else begin)
        with damage_as_input_error(self.path):
            found = self._file.read_row_groups(list(groups), None if columns is None else list(columns))
        return found.slice(first - (int(self._ends[begin - 1]) if begin else 0), length)


Table: TypeAlias = pa.Table | ParquetReader


def parts(table: Table, columns: Sequence[str], n_rows: int = ROWS_AT_ONCE) -> Iterator[pa.Table]:
    """Yield some columns of a table, `n_rows` rows at a time, in order."""
    for first in range(0, table.num_rows, n_rows):
        yield row_range(table, first, n_rows, columns)


def row_range(table: Table, first: int, n_rows: int, columns: Sequence[str]) -> pa.Table:
    """Return some columns of `n_rows` rows from `first` on; fewer where the table ends."""
    if isinstance(table, ParquetReader):
        return table.part(first, min(n_rows, table.num_rows - first), columns)
    return table.select(columns).slice(first, n_rows)


def rows_matching(table: Table, columns: Sequence[str], by: str, values: pa.Array) -> pa.Table:
    """Return some columns of the rows that have one of `values` in the column `by`, in order.

    Of a file that column is read, and the others only of parts that have such rows.
    """
    found = [row_range(table, 0, 0, columns)]
    for number, part in enumerate(parts(table, [by], _SEARCHED_AT_ONCE)):
        kept = pc.is_in(part[by], values)
        if pc.any(kept).as_py():
            found.append(row_range(table, number * _SEARCHED_AT_ONCE, _SEARCHED_AT_ONCE, columns).filter(kept))
    return pa.concat_tables(found)


def cell_reader(table: Table, column: str) -> Callable[[int], Any]:
    """Return a function that reads a cell of a column, by row; of a file it keeps the row group that was read last."""

    @lru_cache(maxsize=1)
    def cells(group: int) -> pa.ChunkedArray:
        return row_range(table, group * ROWS_PER_GROUP, ROWS_PER_GROUP, [column])[column]

    return lambda row: cells(row // ROWS_PER_GROUP)[row % ROWS_PER_GROUP].as_py()
