"""A task's conditions and columns as SQL: the first of the two ways to its gold table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import duckdb

from worldforge.core.columns import ValueKind
from worldforge.schema.spec import WorldSpec
from worldforge.world.database import quote
from worldforge.world.task import Condition, TaskColumn

_CANONICAL: dict[ValueKind, str] = {
    "integer": "CAST({} AS VARCHAR)",
    "year": "CAST({} AS VARCHAR)",
    "number": "rtrim(rtrim(printf('%.6f', {}), '0'), '.')",
    "text": "{}",
    "date": "strftime({}, '%Y-%m-%d')",
    "boolean": "CASE WHEN {0} THEN 'yes' WHEN NOT {0} THEN 'no' END",
}
_LITERAL: dict[ValueKind, str] = {"text": "'{}'", "date": "DATE '{}'", "boolean": "('{}' = 'yes')"}


@dataclass(frozen=True, slots=True)
class Gold:
    """What a query returned: entity ids, then one row of canonical cells for each; None is an empty cell."""

    ids: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]


def gold_query(spec: WorldSpec, about: str, conditions: Sequence[Condition], columns: Sequence[TaskColumn]) -> str:
    """Write the SQL of a list task: the id, then each column in canonical form, in row order.

    A column whose path ends in a reference gives the name of the entity referred to; a condition there compares ids.
    """
    joined: dict[tuple[str, ...], str] = {}
    cells = [_cell(spec, about, column, joined) for column in columns]
    tests = [_test(spec, about, condition, joined) for condition in conditions]
    selected = ", ".join(f"{cell} AS {quote(column.label)}" for cell, column in zip(cells, columns, strict=True))
    joins = "".join(joined.values())
    where = f" WHERE {' AND '.join(tests)}" if tests else ""
    return f'SELECT _self.id, {selected} FROM {quote(about)} AS _self{joins}{where} ORDER BY _self."_row"'


def run_gold_query(connection: duckdb.DuckDBPyConnection, query: str) -> Gold:
    """Run a gold query; cells come back as canonical text."""
    rows = connection.execute(query).fetchall()
    return Gold(tuple(row[0] for row in rows), tuple(tuple(row[1:]) for row in rows))


def referred_type(spec: WorldSpec, about: str, steps: Iterable[str]) -> str | None:
    """Return the type that a path of references from `about` ends in; None where its last step is no reference."""
    here: str | None = about
    for step in steps:
        attribute = spec.types[here].attributes.get(step) if here is not None else None
        here = attribute.references if attribute is not None else None
    return here


def _cell(spec: WorldSpec, about: str, column: TaskColumn, joined: dict[tuple[str, ...], str]) -> str:
    steps = tuple(column.path.split("."))
    if referred_type(spec, about, steps) is not None:
        return f"{_table(spec, about, steps, joined)}.name"
    return _CANONICAL[column.kind].format(f"{_table(spec, about, steps[:-1], joined)}.{quote(steps[-1])}")


def _test(spec: WorldSpec, about: str, condition: Condition, joined: dict[tuple[str, ...], str]) -> str:
    steps = tuple(condition.path.split("."))
    left = f"{_table(spec, about, steps[:-1], joined)}.{quote(steps[-1])}"
    literal = _LITERAL.get(condition.kind, "{}").format(condition.value.replace("'", "''"))
    return f"{left} {condition.operator} {literal}"


def _table(spec: WorldSpec, about: str, steps: tuple[str, ...], joined: dict[tuple[str, ...], str]) -> str:
    """Return the alias of the table that `steps` lead to, and note the joins that lead there."""
    if not steps:
        return "_self"
    alias, target = quote(".".join(steps)), referred_type(spec, about, steps)
    if steps not in joined:
        before = _table(spec, about, steps[:-1], joined)
        joined[steps] = f" LEFT JOIN {quote(str(target))} AS {alias} ON {before}.{quote(steps[-1])} = {alias}.id"
    return alias
