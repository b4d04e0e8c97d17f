"""A DuckDB database in memory, closed to files, network and settings, as SQL may come from a stranger."""

from __future__ import annotations

from typing import Any

import duckdb

_CLOSED = (
    "enable_external_access = false",
    "autoinstall_known_extensions = false",
    "autoload_known_extensions = false",
    "python_enable_replacements = false",
    "enable_progress_bar = false",
    "lock_configuration = true",
)


def open_locked(**settings: Any) -> duckdb.DuckDBPyConnection:
    """Open a database with further `settings`. One thread, so that sums come out the same each time."""
    connection = duckdb.connect(":memory:", config={"threads": 1, **settings})
    for setting in _CLOSED:
        connection.execute(f"SET {setting}")
    return connection
