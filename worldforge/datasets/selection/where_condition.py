"""Compile `--where`: a condition on one trajectory, in the language of a spec's expressions.

    compile_where("item_f1 >= 0.5 and n_steps < 30 and agent like 'qwen%'")

The words that may stand in it are listed (`schema.grammar`): no statement, no subquery, no function that reads a file,
the clock or chance. What is handed to the engine is written from the tree that was read, never the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import pyarrow as pa

from worldforge.core.columns import ValueKind
from worldforge.core.errors import InputError
from worldforge.core.suggestions import did_you_mean
from worldforge.rollouts.trajectory import TRAJECTORIES
from worldforge.schema.expression_grammar import ExpressionError, read_tokens
from worldforge.schema.expression_sql import bind
from worldforge.schema.expressions import compile_expression
from worldforge.schema.spec import WorldSpec

RUN, PASS_RATE, N_CELLS, SIDE = "run", "pass_rate", "n_cells", "side"
_TABLE = "trajectory"
_HELD: dict[pa.DataType, ValueKind] = {
    pa.string(): "text",
    pa.int32(): "integer",
    pa.int64(): "integer",
    pa.float64(): "number",
    pa.bool_(): "boolean",
}
KINDS: dict[str, ValueKind] = {
    **{field.name: _HELD[field.type] for field in TRAJECTORIES if field.type in _HELD},
    RUN: "text",
    PASS_RATE: "number",
    N_CELLS: "integer",
    SIDE: "text",
}
"""What a condition may read: a trajectory's columns of one value each, and what is known of its run and task."""


@dataclass(frozen=True, slots=True)
class WhereCondition:
    """A checked condition: the `columns` it reads, and its `sql` for DuckDB over a table that has them."""

    columns: tuple[str, ...]
    sql: str


def compile_where(text: str) -> WhereCondition:
    """Check and compile a condition. Raises InputError if it does not parse, is not allowed, or is not a condition."""
    try:
        for column in read_tokens(text, aggregates=False)[1]:
            _check_column(".".join(column.path), column.quoted)
        expression = compile_expression(text, _TABLE, _columns_as_spec())
        kind = bind(expression, {path: KINDS[path[0]] for path in expression.paths})
    except ExpressionError as error:
        raise InputError(f"where `{text}`: {error.message}", error.hint) from error
    if kind != "boolean":
        raise InputError(f"where `{text}`: it is no condition", "compare something: `item_f1 >= 0.5`")
    columns = tuple(name for (name,) in expression.paths)
    return WhereCondition(columns, expression.tree.sql("duckdb", comments=False))


def _check_column(name: str, quoted: bool) -> None:
    if name in KINDS:
        return
    hint = "text is written in single quotes" if quoted else did_you_mean(name, KINDS)
    if name in TRAJECTORIES.names:
        hint = "a condition reads columns of one number or text each"
    raise ExpressionError(f"there is no column `{name}` to choose by", hint)


@cache
def _columns_as_spec() -> WorldSpec:
    """Return a spec with the columns as the attributes of a type, to check expressions against."""
    attributes = {name: {"generator": "values.any"} for name in KINDS}
    kind = {"count": 1, "name": {"generator": "names.any"}, "attributes": attributes}
    return WorldSpec.model_validate({"name": _TABLE, "types": {_TABLE: kind}})
