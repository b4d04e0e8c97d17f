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
from worldforge.schema.column_dependencies import parameter_expression
from worldforge.schema.column_paths import Hop, follow
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

SELF = "_self"
_TREE = "_tree"


def select_sql(
    spec: WorldSpec, table: str, outputs: Mapping[str, Expression], where: Expression | None = None, rows_in: str = ""
) -> str:
    """Write the query that gives `_row` and each output, by name, for the rows of `table` that `where` makes true.

    `rows_in` names a table that holds the rows asked about, where those are not all.
    """
    expressions = [*outputs.values(), *([where] if where else [])]
    items = [_column(SELF, "_row"), *(_named(_placed(one), name) for name, one in outputs.items())]
    query = _from(spec, table, expressions, items, rows_in)
    if where is not None:
        query = query.where(_placed(where), copy=False)
    return _written(query.order_by(_column(SELF, "_row"), copy=False))


def aggregate_sql(spec: WorldSpec, type_name: str, name: str, item: Aggregate) -> str:
    """Write the query that gives `_row` and an aggregate, as `name`, for every entity of a type.

    An entity that no row refers to has a count and a sum of 0; every other aggregate is null there.
    """
    grouped, value = _grouped(spec, name, item)
    joined = exp.EQ(this=_column(name, "_key"), expression=_column(SELF, "id"))
    query = exp.Select().select(_column(SELF, "_row"), _named(value, name)).from_(_table(type_name, SELF), copy=False)
    query = _joined(query, grouped.subquery(_identifier(name), copy=False), joined)
    return _written(query.order_by(_column(SELF, "_row"), copy=False))


def rank_sql(spec: WorldSpec, type_name: str, name: str, ranking: Ranking) -> str:
    """Write the query that gives `_row` and the rank, as `name`, of every entity of a type; null where `within` is.

    Ranks count from 1; rows that are alike share one, and leave out as many after it. Null comes last either way.
    """
    ordered: list[exp.Expr] = [
        exp.Ordered(this=_placed(term), desc=descending, nulls_first=False)
        for term, descending in zip(ranking.terms, ranking.descending, strict=True)
    ]
    apart = [_placed(ranking.within)] if ranking.within else []
    order = exp.Order(expressions=ordered)
    value: exp.Expr = exp.Window(this=exp.Rank(), partition_by=apart, order=order, over="OVER")
    for group in apart:
        filled = exp.Not(this=exp.Is(this=group.copy(), expression=exp.Null()))
        value = exp.Case(ifs=[exp.If(this=filled, true=value)])
    query = _from(spec, type_name, ranking.expressions, [_column(SELF, "_row"), _named(value, name)])
    return _written(query.order_by(_column(SELF, "_row"), copy=False))


def derived_sql(spec: WorldSpec, type_name: str, name: str, compiled: Compiled) -> str:
    """Write the query that gives `_row` and the derived column `name` of every entity of a type."""
    if isinstance(compiled, Aggregate):
        return aggregate_sql(spec, type_name, name, compiled)
    if isinstance(compiled, Ranking):
        return rank_sql(spec, type_name, name, compiled)
    return select_sql(spec, type_name, {name: compiled})


def _grouped(spec: WorldSpec, name: str, item: Aggregate) -> tuple[exp.Select, exp.Expr]:
    """Return the query that aggregates by entity, and the value that the entity's row makes of it."""
    value, over = _placed(item.expression), item.over
    key = _column(_TREE, "above") if over.tree else _placed(over.key)
    items: list[exp.Expr] = [_named(key, "_key")]
    for number, call in enumerate(aggregate_calls(value)):
        result = _result(call, _column(name, f"_{number}"))
        items.append(_named(call.copy(), f"_{number}"))
        if call is value:
            value = result
        else:
            call.replace(result)
    expressions = [item.expression, *([item.where] if item.where else []), *([] if over.tree else [over.key])]
    query = _from(spec, over.table, expressions, items)
    if over.tree:
        leads = exp.EQ(this=_column(_TREE, "id"), expression=_column(SELF, "id"))
        query = _joined(query, _tree(over), leads)
    if item.where is not None:
        query = query.where(_placed(item.where), copy=False)
    return query.group_by(key.copy(), copy=False), value


def _tree(over: Over) -> exp.Expr:
    """Write each entity's id beside its own, and beside those that the tree's reference leads to from it, as `above`.

    UNION takes a pair once, so that it ends where chains come back.
    """
    table, step = (_identifier(name).sql("duckdb") for name in (over.table, over.path[0]))
    steps = f"SELECT id, id FROM {table} UNION SELECT t.id, a.{step} FROM t JOIN {table} AS a ON a.id = t.above"
    query = f"WITH RECURSIVE t(id, above) AS ({steps} WHERE a.{step} IS NOT NULL) SELECT id, above FROM t"
    return exp.maybe_parse(query, dialect="duckdb").subquery(_identifier(_TREE))


def _result(call: exp.Expr, column: exp.Expr) -> exp.Expr:
    function = call.this if isinstance(call, exp.Filter) else call
    if isinstance(function, exp.Count | exp.Sum):
        return exp.Coalesce(this=column, expressions=[exp.Literal.number(0)])
    return column


def _from(
    spec: WorldSpec, table: str, expressions: Sequence[Expression], items: Sequence[exp.Expr], rows_in: str = ""
) -> exp.Select:
    """Select `items` from `table`, joined with every table that a path of `expressions` passes through."""
    joins: dict[tuple[str, ...], Hop] = {}
    for path in dict.fromkeys(path for expression in expressions for path in expression.paths):
        for depth, hop in enumerate(follow(spec, table, path).hops, start=1):
            joins[path[:depth]] = hop
    query = exp.Select().select(*items, copy=False).from_(_table(rows_in or table, SELF), copy=False)
    for path, hop in sorted(joins.items(), key=lambda join: len(join[0])):
        alias, before = ".".join(path), ".".join(path[:-1]) or SELF
        joined = exp.EQ(this=_column(before, hop.column), expression=_column(alias, "id"))
        query = _joined(query, _table(hop.target, alias), joined)
    return query


def _joined(query: exp.Select, other: exp.Expr, on: exp.Expr) -> exp.Select:
    """Add a left join to `query`: given one in words, sqlglot would parse a query to read what they mean."""
    return query.join(exp.Join(this=other, side="LEFT", on=on), copy=False)


def _placed(expression: Expression) -> exp.Expr:
    """Return the expression's tree, each path written as a column of the table it leads to."""
    places = {".".join(path): _column(".".join(path[:-1]) or SELF, path[-1]) for path in expression.paths}
    return substitute(expression.tree, places)


def _table(name: str, alias: str) -> exp.Expr:
    return exp.alias_(exp.Table(this=_identifier(name)), _identifier(alias), table=True)


def _column(table: str, name: str) -> exp.Expr:
    return exp.Column(this=_identifier(name), table=_identifier(table))


def _named(value: exp.Expr, name: str) -> exp.Expr:
    return exp.Alias(this=value, alias=_identifier(name))


def _identifier(name: str) -> exp.Identifier:
    return exp.Identifier(this=name, quoted=True)


def _written(query: exp.Expr) -> str:
    try:
        return query.sql("duckdb", comments=False)
    except RecursionError as error:
        raise InputError("an expression is nested too deeply") from error


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
    """Run a query over one table, `asked`, that has these columns."""
    connection = connect_to_nothing()
    connection.register("asked", pa.table(dict(columns)))
    return connection.sql(query).to_arrow_table()


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


def _error(error: duckdb.Error, names: Mapping[tuple[str, ...], str]) -> ExpressionError:
    """Return the first line of what DuckDB says, without its own prefix, in the spec's names."""
    said = str(error).splitlines()[0].partition("Error: ")[2] or str(error).splitlines()[0]
    for path, name in names.items():
        said = said.replace(f'"{name}"', f"`{'.'.join(path)}`")
    return ExpressionError(f"DuckDB says: {said}")


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
