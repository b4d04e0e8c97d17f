"""A world's tables as DuckDB: in memory, one thread, and closed to files, network and settings.

Every table has a column `_row` (bigint, from 0) beside its own: SQL has no order unless it is asked for one, and ids
sort as text.
"""

from __future__ import annotations

from collections.abc import Mapping

import duckdb
import numpy as np
import pyarrow as pa

from worldforge.core.locked_database import open_locked


def connect(tables: Mapping[str, pa.Table]) -> duckdb.DuckDBPyConnection:
    """Open an in-memory database over `tables`, by name. One thread, so that sums come out the same each time."""
    connection = open_locked()
    for name, table in tables.items():
        add_table(connection, name, table)
    return connection


def add_table(connection: duckdb.DuckDBPyConnection, name: str, table: pa.Table) -> None:
    """Add a table to the database, or replace the one of that name."""
    numbered = table.append_column("_row", pa.array(np.arange(table.num_rows, dtype=np.int64)))
    connection.register("_incoming", numbered)
    connection.execute(f"CREATE OR REPLACE TABLE {quote(name)} AS FROM _incoming")
    connection.unregister("_incoming")


def quote(name: str) -> str:
    """Quote an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'
