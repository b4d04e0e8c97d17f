"""A world's tables as DuckDB: in memory, one thread, and closed to files, network and settings.

    connect(tables)                    any SQL over whole tables
    connect_for_gold(spec, tables)     the same answers, sooner, where many small queries follow one another

Every table has a column `_row` (bigint, from 0) beside its own: SQL has no order unless it is asked for one, and ids
sort as text.
"""

from __future__ import annotations

from collections.abc import Mapping

import duckdb
import numpy as np
import pyarrow as pa

from worldforge.schema.column_paths import references_of
from worldforge.schema.spec import WorldSpec

_FOR_LARGE_ONES = ("common_subplan", "compressed_materialization", "join_filter_pushdown", "statistics_propagation")
"""Optimizers that pay where much is sorted or joined; of a small query they take a seventh. None changes an answer."""


def connect(tables: Mapping[str, pa.Table]) -> duckdb.DuckDBPyConnection:
    """Open an in-memory database over `tables`, by name. One thread, so that sums come out the same each time."""
    connection = duckdb.connect(":memory:")
    _close(connection)
    for name, table in tables.items():
        add_table(connection, name, table)
    return connection


def connect_for_gold(spec: WorldSpec, tables: Mapping[str, pa.Table]) -> duckdb.DuckDBPyConnection:
    """Open a database over tables of types and relations as `connect` does, for gold queries: many, each for few rows.

    The ids of what is referred to are held as codes, which are scanned several times as fast as text. They read as the
    text that they stand for, and equal it; sorted they come as their rows do.
    """
    connection = duckdb.connect(":memory:")
    known = {name for (name,) in connection.execute("SELECT name FROM duckdb_optimizers()").fetchall()}
    connection.execute(f"SET disabled_optimizers = '{','.join(one for one in _FOR_LARGE_ONES if one in known)}'")
    _close(connection)
    refers = {name: references_of(spec, name) for name in tables}
    referred = {there for columns in refers.values() for there in columns.values()}
    ids = {name: quote(f"{name}/id") for name in spec.types if name in tables and name in referred}
    for name, type_name in ids.items():
        connection.register("_incoming", tables[name].select(["id"]))
        connection.execute(f"CREATE TYPE {type_name} AS ENUM (SELECT id FROM _incoming)")
        connection.unregister("_incoming")
    for name, table in tables.items():
        held = {column: ids[there] for column, there in refers[name].items() if there in ids}
        add_table(connection, name, table, held | ({"id": ids[name]} if name in ids else {}))
    return connection


def _close(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("SET threads = 1")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET autoinstall_known_extensions = false")
    connection.execute("SET autoload_known_extensions = false")
    connection.execute("SET python_enable_replacements = false")
    connection.execute("SET lock_configuration = true")


def add_table(
    connection: duckdb.DuckDBPyConnection, name: str, table: pa.Table, types: Mapping[str, str] | None = None
) -> None:
    """Put one more table into the database, or put it in the place of the one of that name.

    `types` says as what some columns are held, in SQL; what a type does not know becomes NULL.
    """
    numbered = table.append_column("_row", pa.array(np.arange(table.num_rows, dtype=np.int64)))
    held = [f"TRY_CAST({quote(column)} AS {kind}) AS {quote(column)}" for column, kind in (types or {}).items()]
    columns = f"* REPLACE ({', '.join(held)})" if held else "*"
    connection.register("_incoming", numbered)
    connection.execute(f"CREATE OR REPLACE TABLE {quote(name)} AS SELECT {columns} FROM _incoming")
    connection.unregister("_incoming")


def quote(name: str) -> str:
    """Quote an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'
