"""What an expression's values are: DuckDB binds it against columns of the right types, and no rows.

The database is empty, in memory, of one thread, and closed to files, network and settings.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache, lru_cache

import duckdb

from worldforge.core.columns import ValueKind
from worldforge.schema.expression_grammar import ExpressionError
from worldforge.schema.expressions import Expression, path_column, substitute

SQL_TYPES: dict[ValueKind, str] = {
    "integer": "BIGINT",
    "year": "INTEGER",
    "number": "DOUBLE",
    "text": "VARCHAR",
    "date": "DATE",
    "boolean": "BOOLEAN",
}
"""How DuckDB holds each kind of column."""

_WHOLE = {
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "HUGEINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
    "UHUGEINT",
}
_KINDS: dict[str, ValueKind] = {
    **dict.fromkeys(_WHOLE, "integer"),
    "FLOAT": "number",
    "DOUBLE": "number",
    "DECIMAL": "number",
    "VARCHAR": "text",
    "DATE": "date",
    "TIMESTAMP": "date",
    "BOOLEAN": "boolean",
}


def bind(expression: Expression, kinds: Mapping[tuple[str, ...], ValueKind]) -> ValueKind:
    """Return what kind of values an expression gives, its paths holding `kinds`. Raises ExpressionError."""
    names = {path: f"_{place}" for place, path in enumerate(expression.paths)}
    columns = [f"NULL::{SQL_TYPES[kinds[path]]} AS {name}" for path, name in names.items()] or ["NULL AS _"]
    tree = substitute(expression.tree, {".".join(path): path_column((name,)) for path, name in names.items()})
    query = f"DESCRIBE SELECT {tree.sql('duckdb', comments=False)} FROM (SELECT {', '.join(columns)})"
    try:
        bound = _described(query)
    except duckdb.Error as error:
        raise ExpressionError(_said(error, names)) from error
    kind = _KINDS.get(bound.partition("(")[0])
    if kind is None:
        raise ExpressionError(f"its values are of the type {bound}, which no column holds")
    return kind


@lru_cache(1024)
def _described(query: str) -> str:
    """Return the type of the one column that a query gives over an empty database."""
    [row] = connect_to_nothing().execute(query).fetchall()
    return str(row[1])


def connect_to_nothing() -> duckdb.DuckDBPyConnection:
    """Connect to this process's empty database; what is registered with the connection is its own."""
    return _empty_database(os.getpid()).cursor()


@cache
def _empty_database(process_id: int) -> duckdb.DuckDBPyConnection:
    """Open the database of this process, once: it takes longer to open than to bind a hundred expressions."""
    connection = duckdb.connect(":memory:", config={"threads": 1})
    for setting in (
        "enable_external_access = false",
        "autoinstall_known_extensions = false",
        "autoload_known_extensions = false",
        "python_enable_replacements = false",
        "lock_configuration = true",
    ):
        connection.execute(f"SET {setting}")
    return connection


def _said(error: duckdb.Error, names: Mapping[tuple[str, ...], str]) -> str:
    """Return the first line of what DuckDB says, without its own prefix, in the spec's names."""
    said = str(error).splitlines()[0].partition("Error: ")[2] or str(error).splitlines()[0]
    for path, name in names.items():
        said = said.replace(f'"{name}"', f"`{'.'.join(path)}`")
    return f"DuckDB says: {said}"
