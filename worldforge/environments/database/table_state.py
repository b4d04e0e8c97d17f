"""One session's tables: the world's, and the session's changes over them.

Sessions read one database together. The first change opens a connection of the session's own, a table of changed rows
for each table it touches, and a view that goes by the table's name and hides it: so one query, whoever asks it, sees
what its session made. Temporary tables and views are a connection's own, and go with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from worldforge.environments.database.catalog import Catalog, Table, write_cell
from worldforge.world.database import quote


@dataclass(frozen=True, slots=True)
class Extent:
    """The rows of a changed table: those below `n_rows` that are not deleted. Row numbers are never reused."""

    n_rows: int
    deleted: frozenset[int] = frozenset()


class TableState:
    """One session's tables. Nothing is created before the first change."""

    def __init__(self, shared: duckdb.DuckDBPyConnection, catalog: Catalog) -> None:
        self._shared, self._catalog = shared, catalog
        self._own: duckdb.DuckDBPyConnection | None = None
        self._changed: dict[str, Extent] = {}

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        return self._connection.execute(sql, list(values)).fetchall()

    def read(self, table: Table, rows: Sequence[int]) -> list[dict[str, Any]]:
        """Return the cells of rows that a table has, by column, in the order of `rows`."""
        if table.name not in self._changed:
            unchanged: list[dict[str, Any]] = table.cells.take(pa.array(rows, pa.int64())).to_pylist()
            return unchanged
        query = f"SELECT {table.selected}, _row FROM {quote(table.name)} WHERE _row IN (SELECT unnest(?::BIGINT[]))"
        found = {cells[-1]: dict(zip(table.columns, cells, strict=False)) for cells in self.rows(query, [list(rows)])}
        return [found[row] for row in rows]

    def n_rows(self, table: Table) -> int:
        """Return the number that the next row of a table gets."""
        return self._extent(table).n_rows

    def n_records(self, table: Table) -> int:
        """Return how many records a table has."""
        extent = self._extent(table)
        return extent.n_rows - len(extent.deleted)

    def holds(self, table: Table, row: int | None) -> bool:
        """Say whether a table has a row of that number."""
        extent = self._extent(table)
        return row is not None and row < extent.n_rows and row not in extent.deleted

    def put(self, table: Table, rows: Sequence[int], cells: pa.Table) -> None:
        """Put rows into a table, new ones or in the place of those of the same numbers. `cells` has its columns."""
        self._write_changes(table, rows, cells, deleted=False)
        extent = self._changed[table.name]
        self._changed[table.name] = replace(extent, n_rows=max(extent.n_rows, *(row + 1 for row in rows)))

    def delete(self, table: Table, row: int) -> None:
        """Take a row out of a table."""
        self._write_changes(table, [row], pa.Table.from_pylist([{}], table.cells.schema), deleted=True)
        extent = self._changed[table.name]
        self._changed[table.name] = replace(extent, deleted=extent.deleted | {row})

    def changes(self) -> dict[str, dict[str, Any]]:
        """Return what differs from the world's tables: by table and number of the row, cells as JSON values by column.

        A record that was deleted is None; one that was changed and changed back does not appear.
        """
        found = {name: self._changes_of(self._catalog.tables[name]) for name in sorted(self._changed)}
        return {name: rows for name, rows in found.items() if rows}

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit the changes inside, or roll back on an exception."""
        if self._own is None:
            self._own = self._shared.cursor()
        before = dict(self._changed)
        self._own.begin()
        try:
            yield
            self._own.commit()
        except BaseException:
            self._own.rollback()
            self._changed = before
            raise

    @property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        return self._own or self._shared

    def _extent(self, table: Table) -> Extent:
        return self._changed.get(table.name) or Extent(table.cells.num_rows)

    def _changes_of(self, table: Table) -> dict[str, Any]:
        n_before, extent = table.cells.num_rows, self._extent(table)
        query = f"SELECT _row FROM {quote(f'_changed_{table.name}')} WHERE NOT _deleted ORDER BY _row"
        rows = [row for (row,) in self.rows(query)]
        before = table.cells.take(pa.array([row for row in rows if row < n_before], pa.int64())).to_pylist()
        created: list[dict[str, Any]] = [{} for row in rows if row >= n_before]
        changed: dict[str, Any] = {f"{row:04d}": None for row in sorted(extent.deleted) if row < n_before}
        for row, was, now in zip(rows, [*before, *created], self.read(table, rows), strict=True):
            differing = {name: write_cell(cell) for name, cell in now.items() if name not in was or was[name] != cell}
            changed |= {f"{row:04d}": differing} if differing else {}
        return changed

    def _write_changes(self, table: Table, rows: Sequence[int], cells: pa.Table, *, deleted: bool) -> None:
        if table.name not in self._changed:
            self._create_view(table)
            self._changed[table.name] = Extent(table.cells.num_rows)
        numbered = cells.append_column("_row", pa.array(rows, pa.int64()))
        marked = numbered.append_column("_deleted", pa.array(np.full(len(rows), deleted)))
        changes, connection = quote(f"_changed_{table.name}"), self._connection
        connection.register("_incoming", marked)
        connection.execute(f"DELETE FROM {changes} WHERE _row IN (SELECT _row FROM _incoming)")
        connection.execute(f"INSERT INTO {changes} SELECT * FROM _incoming")
        connection.unregister("_incoming")

    def _create_view(self, table: Table) -> None:
        """Cover a table by a view with the session's changes."""
        name, changes = quote(table.name), quote(f"_changed_{table.name}")
        original = f"memory.main.{name}"
        self._connection.execute(f"CREATE TEMP TABLE {changes} AS SELECT *, false AS _deleted FROM {original} LIMIT 0")
        unchanged = f"NOT EXISTS (SELECT 1 FROM {changes} AS changed WHERE changed._row = original._row)"
        self._connection.execute(
            f"CREATE TEMP VIEW {name} AS"
            f" SELECT {table.selected}, _row FROM {original} AS original WHERE {unchanged}"
            f" UNION ALL SELECT {table.selected}, _row FROM {changes} WHERE NOT _deleted"
        )
