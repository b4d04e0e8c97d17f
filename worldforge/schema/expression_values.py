"""Evaluate expressions in an empty DuckDB database: the type of their values, and constants by their value.

The database is in memory, of one thread, and closed to files, network and settings.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

import duckdb
from sqlglot import exp

from worldforge.core.columns import ValueKind
from worldforge.schema.column_dependencies import parameter_expression
from worldforge.schema.expression_grammar import ExpressionError
from worldforge.schema.expressions import Expression, compile_expression, path_column, substitute
from worldforge.schema.spec import WorldSpec

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


def is_constant(expression: Expression) -> bool:
    """Say whether an expression reads no column."""
    return not expression.paths and not expression.aggregates


def value_of(tree: exp.Expr) -> Any:
    """Return the value of a tree that reads no column. Raises ExpressionError where there is none: `1 / 'a'`."""
    return _value(tree.sql("duckdb", comments=False))


def constant_parameters(spec: WorldSpec, table: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a generator that are the same in every row: plain ones, and expressions by their value.

    Raises ExpressionError.
    """
    constants = {}
    for name, given in params.items():
        text = parameter_expression(given)
        expression = None if text is None else compile_expression(text, table, spec)
        if expression is None:
            constants[name] = given
        elif is_constant(expression):
            constants[name] = value_of(expression.tree)
    return constants


@lru_cache(1024)
def _value(sql: str) -> Any:
    try:
        row = connect_to_nothing().execute(f"SELECT {sql}").fetchone()
    except duckdb.Error as error:
        said = str(error).splitlines()[0].partition("Error: ")[2] or str(error).splitlines()[0]
        raise ExpressionError(f"DuckDB says: {said}") from error
    return row[0] if row else None
