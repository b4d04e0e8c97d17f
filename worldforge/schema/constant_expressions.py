"""Expressions that read no column, and so have one value in every row: `= 1900 + 20`, `make_date(1992, 1, 31)`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import duckdb
from sqlglot import exp

from worldforge.schema.column_dependencies import parameter_expression
from worldforge.schema.expression_grammar import ExpressionError
from worldforge.schema.expression_types import connect_to_nothing
from worldforge.schema.expressions import Expression, compile_expression
from worldforge.schema.spec import WorldSpec


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
