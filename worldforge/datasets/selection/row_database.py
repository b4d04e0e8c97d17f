"""A database of a few values of each row, which a selection filters and orders; conversations stay in their shards.

    rows = Rows(folder, ["task", "item_f1"])
    reader = rows.fill(sources)
    rows.keep("item_f1 >= 0.5")            # how many went

The database is DuckDB's, on one thread and in bounded memory: what does not fit is moved to `folder`. It is closed to
other files, the network and settings before any condition is run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import duckdb
import numpy as np
import pyarrow as pa

from worldforge.core.errors import InputError, WorldForgeError
from worldforge.datasets.selection.shard_reader import Places, RunShards, ShardReader
from worldforge.rollouts.trajectory import TRAJECTORIES

MEMORY = "256MB"
_BATCH_ROWS = 16_384
_TYPES = {
    pa.string(): "VARCHAR",
    pa.int32(): "INTEGER",
    pa.int64(): "BIGINT",
    pa.float64(): "DOUBLE",
    pa.bool_(): "BOOLEAN",
}


class RowDatabase:
    """The rows that are still in: `place`, `run`, the `columns` asked for, and what is added later."""

    def __init__(self, folder: Path, columns: Sequence[str]) -> None:
        self._connection, self._columns = _open(folder), columns
        declared = ", ".join(f'"{name}" {_TYPES[TRAJECTORIES.field(name).type]}' for name in columns)
        self._run(f"CREATE TABLE rows (place BIGINT, run VARCHAR, {declared})")

    def fill(self, sources: Sequence[RunShards]) -> ShardReader:
        """Take in all rows of `sources`, some thousands at a time; return the reader of their shards.

        Raises InputError as `ShardReader` does.
        """
        held: list[pa.Table] = []

        def insert() -> None:
            self.insert("rows", pa.concat_tables(held))
            held.clear()

        def take(table: pa.Table) -> None:
            held.append(table)
            if sum(one.num_rows for one in held) >= _BATCH_ROWS:
                insert()

        reader = ShardReader(sources, self._columns, take)
        if held:
            insert()
        return reader

    def insert(self, table: str, batch: pa.Table) -> None:
        """Add the rows of an Arrow table to a table with the same columns."""
        self._connection.register("batch", batch)
        self._run(f"INSERT INTO {table} SELECT * FROM batch")
        self._connection.unregister("batch")

    def create(self, table: str, columns: str) -> None:
        """Create a table beside the rows: `create("counted", "place BIGINT, n_tokens INTEGER")`."""
        self._run(f"CREATE TABLE {table} ({columns})")

    def add(self, column: str, value: str, joined: str) -> None:
        """Add a column: `value` from the rows joined with what `joined` names; null where nothing is joined."""
        self._run(f"CREATE TABLE wider AS SELECT rows.*, {value} AS {column} FROM rows LEFT JOIN {joined}")
        self._run("DROP TABLE rows")
        self._run("ALTER TABLE wider RENAME TO rows")

    def add_values(self, column: str, values: Mapping[str, Any], of: str, sql_type: str) -> None:
        """Add a column that follows from another, `of`: values by its texts."""
        table = pa.table({of: pa.array(list(values), pa.string()), "value": list(values.values())})
        self.create("given", f"{of} VARCHAR, value {sql_type}")
        self.insert("given", table)
        self.add(column, "given.value", f"given USING ({of})")
        self._run("DROP TABLE given")

    def keep(self, condition: str, *values: Any) -> int:
        """Remove the rows that do not make `condition` true; return how many went. Raises InputError."""
        return self._removed(f"DELETE FROM rows WHERE ({condition}) IS NOT TRUE", values)

    def keep_first(self, n_rows: int, of_each: str | None, order: str) -> int:
        """Remove all but the first `n_rows` in `order`, of all or `of_each` value of a column; return how many went."""
        partition = f"PARTITION BY {of_each} " if of_each else ""
        ranked = f"SELECT place, row_number() OVER ({partition}ORDER BY {order}) AS nth FROM rows"
        beyond = f"SELECT place FROM ({ranked}) WHERE nth > ?"
        return self._removed(f"DELETE FROM rows WHERE place IN ({beyond})", [n_rows])

    def columns(self, sql: str, *values: Any) -> dict[str, Any]:
        """Return the result of a query as numpy arrays by column."""
        return self._run(sql, values).fetchnumpy()

    def stream(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """Give the rows of a query's result one by one."""
        cursor = _run(self._connection.cursor(), sql)
        while found := cursor.fetchmany(4096):
            yield from found

    def values(self, column: str) -> list[str]:
        """List the texts of a column, each once, sorted."""
        found = self._run(f'SELECT DISTINCT "{column}" FROM rows ORDER BY 1').fetchall()
        return [text for (text,) in found if text is not None]

    def run(self, sql: str) -> None:
        """Run a statement of the selection's own."""
        self._run(sql)

    @property
    def n_rows(self) -> int:
        """How many rows are still in."""
        [row] = self._run("SELECT count(*) FROM rows").fetchall()
        return int(row[0])

    @property
    def places(self) -> Places:
        """The places of the rows that are still in, ascending."""
        return np.asarray(self.columns("SELECT place FROM rows ORDER BY place")["place"], np.int64)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def _removed(self, statement: str, values: Sequence[Any]) -> int:
        [row] = self._run(statement, values).fetchall()
        return int(row[0])

    def _run(self, sql: str, values: Sequence[Any] = ()) -> duckdb.DuckDBPyConnection:
        return _run(self._connection, sql, values)


def _run(connection: duckdb.DuckDBPyConnection, sql: str, values: Sequence[Any] = ()) -> duckdb.DuckDBPyConnection:
    try:
        return connection.execute(sql, list(values))
    except (duckdb.ConversionException, duckdb.OutOfRangeException, duckdb.InvalidInputException) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"a condition cannot be evaluated for some row: {reason}", "see `where`") from error
    except (duckdb.IOException, duckdb.OutOfMemoryException) as error:
        reason = str(error).splitlines()[0]
        raise WorldForgeError(f"the selection's database failed: {reason}", "see that the disk has room") from error


def _open(folder: Path) -> duckdb.DuckDBPyConnection:
    folder.mkdir(parents=True, exist_ok=True)
    config: dict[str, str | bool | int | float | list[str]] = {
        "threads": 1,
        "memory_limit": MEMORY,
        "temp_directory": str(folder / "spilled"),
    }
    connection = duckdb.connect(":memory:", config=config)
    for setting in (
        "enable_external_access = false",
        "autoinstall_known_extensions = false",
        "autoload_known_extensions = false",
        "python_enable_replacements = false",
        "enable_progress_bar = false",
        "lock_configuration = true",
    ):
        connection.execute(f"SET {setting}")
    return connection
