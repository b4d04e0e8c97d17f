"""Expressions written as whole queries: one row a row of the table, in the order of the table's rows.

A table holds `_row` (from 0), `id`, its columns, and for a type `name`. The row at hand is `_self`; a table reached
through references goes by its dotted path: `"town.region"."area"`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

import duckdb
import pyarrow as pa
from sqlglot import exp

from worldforge.core.columns import ValueKind
from worldforge.core.errors import InputError
from worldforge.core.locked_database import open_locked
from worldforge.schema.column_dependencies import parameter_expression
from worldforge.schema.column_paths import follow
from worldforge.schema.expression_grammar import ExpressionError
from worldforge.schema.expressions import (
    Aggregate,
    Compiled,
    Expression,
    Over,
    Ranking,
    aggregate_calls,
    compile_expression,
    path_column,
    substitute,
)
from worldforge.schema.spec import WorldSpec

_SELF = '"_self"'


def select_sql(
    spec: WorldSpec, table: str, outputs: Mapping[str, Expression], where: Expression | None = None, rows_in: str = ""
) -> str:
    """Write the query that gives `_row` and each output, by name, for the rows of `table` that `where` makes true.

    `rows_in` names a table that holds the rows to select from, where those are not all.
    """
    items = [f'{_SELF}."_row"', *(f"{_expression_text(one)} AS {_quoted(name)}" for name, one in outputs.items())]
    query = _from(spec, table, [*outputs.values(), *([where] if where else [])], items, rows_in)
    condition = f" WHERE {_expression_text(where)}" if where is not None else ""
    return f'{query}{condition} ORDER BY {_SELF}."_row"'


def derived_sql(spec: WorldSpec, type_name: str, name: str, compiled: Compiled) -> str:
    """Write the query that gives `_row` and the derived column `name` of every entity of a type."""
    if isinstance(compiled, Aggregate):
        return _aggregate_sql(spec, type_name, name, compiled)
    if isinstance(compiled, Ranking):
        return _rank_sql(spec, type_name, name, compiled)
    return select_sql(spec, type_name, {name: compiled})


def _aggregate_sql(spec: WorldSpec, type_name: str, name: str, item: Aggregate) -> str:
    """Aggregate rows by entity. Without any row a count and a sum are 0; every other aggregate is null."""
    value, over, alias = _with_tables(item.expression), item.over, _quoted(name)
    key = "_tree.above" if over.tree else _expression_text(over.key)
    items = [f'{key} AS "_key"']
    for number, call in enumerate(aggregate_calls(value)):
        items.append(f'{_sql(call)} AS "_{number}"')
        result: exp.Expr = exp.column(f"_{number}", name, quoted=True)
        if isinstance(call.this if isinstance(call, exp.Filter) else call, exp.Count | exp.Sum):
            result = exp.Coalesce(this=result, expressions=[exp.Literal.number(0)])
        if call is value:
            value = result
        else:
            call.replace(result)
    expressions = [item.expression, *([item.where] if item.where else []), *([] if over.tree else [over.key])]
    grouped = _from(spec, over.table, expressions, items)
    if over.tree:
        grouped += f" LEFT JOIN ({_tree_sql(over)}) AS _tree ON _tree.id = {_SELF}.id"
    if item.where is not None:
        grouped += f" WHERE {_expression_text(item.where)}"
    return (
        f'SELECT {_SELF}."_row", {_sql(value)} AS {alias} FROM {_quoted(type_name)} AS {_SELF} '
        f'LEFT JOIN ({grouped} GROUP BY {key}) AS {alias} ON {alias}."_key" = {_SELF}."id" ORDER BY {_SELF}."_row"'
    )


def _tree_sql(over: Over) -> str:
    """Write each entity's id beside its own, and beside those that the tree's reference leads to from it, as `above`.

    UNION takes a pair once, so that it ends where chains come back.
    """
    table, step = _quoted(over.table), _quoted(over.path[0])
    steps = f"SELECT id, id FROM {table} UNION SELECT t.id, a.{step} FROM t JOIN {table} AS a ON a.id = t.above"
    return f"WITH RECURSIVE t(id, above) AS ({steps} WHERE a.{step} IS NOT NULL) SELECT id, above FROM t"


def _rank_sql(spec: WorldSpec, type_name: str, name: str, ranking: Ranking) -> str:
    """Rank every entity of a type from 1; null where `within` is. Rows that are alike share a rank; null comes last."""
    order = ", ".join(
        f"{_expression_text(term)} {'DESC' if descending else 'ASC'} NULLS LAST"
        for term, descending in zip(ranking.terms, ranking.descending, strict=True)
    )
    value = f"RANK() OVER (ORDER BY {order})"
    if ranking.within is not None:
        group = _expression_text(ranking.within)
        value = f"CASE WHEN {group} IS NOT NULL THEN RANK() OVER (PARTITION BY {group} ORDER BY {order}) END"
    query = _from(spec, type_name, ranking.expressions, [f'{_SELF}."_row"', f"{value} AS {_quoted(name)}"])
    return f'{query} ORDER BY {_SELF}."_row"'


def _from(
    spec: WorldSpec, table: str, expressions: Sequence[Expression], items: Sequence[str], rows_in: str = ""
) -> str:
    """Select `items` from `table`, joined with every table that a path of `expressions` passes through."""
    joins: dict[tuple[str, ...], str] = {}
    for path in dict.fromkeys(path for expression in expressions for path in expression.paths):
        for depth, (target, _) in enumerate(follow(spec, table, path).columns[1:], start=1):
            joins[path[:depth]] = target
    query = f"SELECT {', '.join(items)} FROM {_quoted(rows_in or table)} AS {_SELF}"
    for path, target in sorted(joins.items(), key=lambda join: len(join[0])):
        alias, before = _quoted(".".join(path)), _quoted(".".join(path[:-1]) or "_self")
        query += f' LEFT JOIN {_quoted(target)} AS {alias} ON {before}.{_quoted(path[-1])} = {alias}."id"'
    return query


def _with_tables(expression: Expression) -> exp.Expr:
    """Return the expression's tree, each path written as a column of the table it leads to."""
    places: dict[str, exp.Expr] = {
        ".".join(path): exp.column(path[-1], ".".join(path[:-1]) or "_self", quoted=True) for path in expression.paths
    }
    return substitute(expression.tree, places)


def _expression_text(expression: Expression) -> str:
    return _sql(_with_tables(expression))


def _sql(tree: exp.Expr) -> str:
    try:
        return tree.sql("duckdb", comments=False)
    except RecursionError as error:
        raise InputError("an expression is nested too deeply") from error


def _quoted(name: str) -> str:
    return f'"{name}"'


SQL_TYPES: dict[ValueKind, str] = {
    "integer": "BIGINT",
    "year": "INTEGER",
    "number": "DOUBLE",
    "text": "VARCHAR",
    "date": "DATE",
    "boolean": "BOOLEAN",
}
"""How DuckDB holds each kind of column."""

_KINDS: dict[str, ValueKind] = {
    "TINYINT": "integer", "SMALLINT": "integer", "INTEGER": "integer", "BIGINT": "integer", "HUGEINT": "integer",
    "UTINYINT": "integer", "USMALLINT": "integer", "UINTEGER": "integer", "UBIGINT": "integer", "UHUGEINT": "integer",
    "FLOAT": "number", "DOUBLE": "number", "DECIMAL": "number", "VARCHAR": "text", "DATE": "date", "TIMESTAMP": "date",
    "BOOLEAN": "boolean",
}  # fmt: skip


def bind(expression: Expression, kinds: Mapping[tuple[str, ...], ValueKind]) -> ValueKind:
    """Return what kind of values an expression gives, its paths holding `kinds`. Raises ExpressionError."""
    names = {path: f"_{place}" for place, path in enumerate(expression.paths)}
    columns = [f"NULL::{SQL_TYPES[kinds[path]]} AS {name}" for path, name in names.items()] or ["NULL AS _"]
    tree = substitute(expression.tree, {".".join(path): path_column((name,)) for path, name in names.items()})
    query = f"DESCRIBE SELECT {tree.sql('duckdb', comments=False)} FROM (SELECT {', '.join(columns)})"
    try:
        bound = _described(query)
    except duckdb.Error as error:
        raise _error(error, names) from error
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


def query_columns(query: str, columns: Mapping[str, Any]) -> pa.Table:
    """Run a query over one table, `rows_read`, that has these columns."""
    connection = connect_to_nothing()
    connection.register("rows_read", pa.table(dict(columns)))
    return connection.sql(query).to_arrow_table()


@cache
def _empty_database(process_id: int) -> duckdb.DuckDBPyConnection:
    """Open the database of this process, once: it takes longer to open than to bind a hundred expressions."""
    return open_locked()


def _error(error: duckdb.Error, names: Mapping[tuple[str, ...], str]) -> ExpressionError:
    """Return the first line of what DuckDB says, without its own prefix, in the spec's names."""
    reason = str(error).splitlines()[0].partition("Error: ")[2] or str(error).splitlines()[0]
    for path, name in names.items():
        reason = reason.replace(f'"{name}"', f"`{'.'.join(path)}`")
    return ExpressionError(f"DuckDB says: {reason}")


def is_constant(expression: Expression) -> bool:
    """Say whether an expression reads no column."""
    return not expression.paths and not expression.aggregates


def value_of(tree: exp.Expr) -> Any:
    """Return the value of a tree that reads no column. Raises ExpressionError where there is none: `1 / 'a'`."""
    try:
        row = connect_to_nothing().execute(f"SELECT {tree.sql('duckdb', comments=False)}").fetchone()
    except duckdb.Error as error:
        raise _error(error, {}) from error
    return row[0] if row else None


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
