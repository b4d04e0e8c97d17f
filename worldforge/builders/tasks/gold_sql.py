"""Writes a task as SQL: the first of two independent derivations of its gold table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import duckdb

from worldforge.core.columns import ValueKind
from worldforge.schema.column_paths import references_of
from worldforge.schema.spec import WorldSpec
from worldforge.world.computed_cells import measure_of
from worldforge.world.database import quote
from worldforge.world.task import CellKind, TaskColumn
from worldforge.world.task_terms import AnyOf, Condition, DescribedTerm, GivenEntities, NoneOf, RelatedTerm, Shape, Term

_CANONICAL: dict[CellKind, str] = {
    "integer": "CAST({} AS VARCHAR)",
    "year": "CAST({} AS VARCHAR)",
    "number": "rtrim(rtrim(printf('%.6f', {}), '0'), '.')",
    "text": "{}",
    "address": "{}",
    "date": "strftime({}, '%Y-%m-%d')",
    "boolean": "CASE WHEN {0} THEN 'yes' WHEN NOT {0} THEN 'no' END",
}
_LITERAL: dict[ValueKind, str] = {"text": "'{}'", "date": "DATE '{}'", "boolean": "('{}' = 'yes')"}


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The result of a query: entity ids, and a row of canonical cells for each; None is an empty cell."""

    ids: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]


def gold_query(
    spec: WorldSpec, about: str, terms: Sequence[Term], columns: Sequence[TaskColumn], shape: Shape | None = None
) -> str:
    """Write the SQL of a task: the id, then each column in canonical form, in row order.

    A column whose path ends in a reference gives the name of the entity referred to; a condition there compares ids.
    A ranking's rows come in its order, but not where it is one for each group. A row of a relation has the id of the
    entity that it is asked for.
    """
    shape = shape or Shape()
    if shape.rows:
        return _relation_query(spec, about, terms, columns, shape)
    scope = _Scope(spec, about)
    tests = [scope.test(term) for term in terms]
    if shape.group:
        return _grouped_query(scope, tests, columns, shape.group)
    cells = [scope.cell(column) for column in columns]
    selected = ", ".join(f"{cell} AS {quote(column.label)}" for cell, column in zip(cells, columns, strict=True))
    ranked, by_rank = "", ""
    if shape.limit:
        tests.append(f"{scope.value(shape.order)} IS NOT NULL")
        order = f"{scope.value(shape.order)} {'DESC' if shape.highest else 'ASC'}"
        each = ""
        if shape.within:
            tests.append(f"{scope.value(shape.within)} IS NOT NULL")
            each = f"PARTITION BY {scope.value(shape.within)} "
        ranked = f" QUALIFY rank() OVER ({each}ORDER BY {order}) <= {shape.limit}"
        by_rank = f"{order}, " if shape.is_ordered else ""
    where = f" WHERE {' AND '.join(tests)}" if tests else ""
    return f'SELECT _self.id, {selected} FROM {scope.tables()}{where}{ranked} ORDER BY {by_rank}_self."_row"'


def _relation_query(
    spec: WorldSpec, about: str, terms: Sequence[Term], columns: Sequence[TaskColumn], shape: Shape
) -> str:
    """Write one row for each row of a relation at whose end stands an entity that meets the terms."""
    scope, inner = _Scope(spec, shape.rows), _Scope(spec, about, 1)
    tests = [inner.test(term) for term in terms]
    where = f" WHERE {' AND '.join(tests)}" if tests else ""
    end = f"{scope.own}.{quote(shape.end)}"
    cells = [f"{scope.cell(column)} AS {quote(column.label)}" for column in columns]
    met = [f"{end} IN (SELECT {inner.own}.id FROM {inner.tables()}{where})", *map(scope.test, shape.where)]
    tables = scope.tables()
    return f'SELECT {end} AS id, {", ".join(cells)} FROM {tables} WHERE {" AND ".join(met)} ORDER BY {scope.own}."_row"'


def rows_query(spec: WorldSpec, about: str, terms: Sequence[Term]) -> str:
    """Write the SQL for the rows of a table that meet terms, ascending: one column, `_row`."""
    scope = _Scope(spec, about)
    tests = [scope.test(term) for term in terms]
    where = f" WHERE {' AND '.join(tests)}" if tests else ""
    return f'SELECT _self."_row" FROM {scope.tables()}{where} ORDER BY 1'


def counts_query(spec: WorldSpec, about: str, terms: Sequence[Term]) -> str:
    """Write the SQL that counts the rows of a table that meet all terms, and those that fail exactly one."""
    scope = _Scope(spec, about)
    n_met = " + ".join(f"coalesce({scope.test(term)}, false)::INTEGER" for term in terms) or "0"
    counts = (f"count(*) FILTER (n_met = {n})" for n in (len(terms), len(terms) - 1))
    return f"SELECT {', '.join(counts)} FROM (SELECT {n_met} AS n_met FROM {scope.tables()})"


def _grouped_query(scope: _Scope, tests: Sequence[str], columns: Sequence[TaskColumn], group: str) -> str:
    """Write one row for each group: what is referred to, as it is numbered, or a value, as its first member is."""
    value, own = scope.value(group), scope.own
    if referred_type(scope.spec, scope.table, (group,)) is not None:
        there = scope.reach((group,))
        id_, name, row, by = (
            f"{there}.id",
            f"{there}.name",
            f'{there}."_row"',
            f'{there}.id, {there}.name, {there}."_row"',
        )
    else:
        id_, name, row, by = f'arg_min({own}.id, {own}."_row")', value, f'min({own}."_row")', value
    cells = [name, *(_computed(scope, column) for column in columns[1:])]
    selected = ", ".join(f"{cell} AS {quote(column.label)}" for cell, column in zip(cells, columns, strict=True))
    where = " AND ".join([*tests, f"{value} IS NOT NULL"])
    return f"SELECT {id_} AS id, {selected} FROM {scope.tables()} WHERE {where} GROUP BY {by} ORDER BY {row}"


def _computed(scope: _Scope, column: TaskColumn) -> str:
    measure = measure_of(column.path)
    assert measure is not None, column
    if measure.name == "count":
        return _CANONICAL["integer"].format("count(*)")
    value = scope.value(measure.column)
    if measure.name == "mean":
        rounded = f"printf('%.{measure.places}f', round(avg({value}), {measure.places}) + 0)"  # no zero below zero
        return f"rtrim(rtrim({rounded}, '0'), '.')"
    return _CANONICAL[column.kind].format(f"{measure.name}({value})")


def run_gold_query(connection: duckdb.DuckDBPyConnection, query: str) -> QueryResult:
    """Run a gold query; cells come back as canonical text."""
    rows = connection.execute(query).fetchall()
    return QueryResult(tuple(row[0] for row in rows), tuple(tuple(row[1:]) for row in rows))


def referred_type(spec: WorldSpec, about: str, steps: Iterable[str]) -> str | None:
    """Return the type that a path of references from `about` ends in; None where its last step is no reference."""
    here: str | None = about
    for step in steps:
        here = references_of(spec, here).get(step) if here is not None else None
    return here


@dataclass
class _Scope:
    """One table of a query, and those joined to it along references."""

    spec: WorldSpec
    table: str
    depth: int = 0
    joins: dict[tuple[str, ...], str] = field(default_factory=dict)

    @property
    def own(self) -> str:
        return f"_at{self.depth}" if self.depth else "_self"

    def tables(self) -> str:
        """Write what stands after FROM; every path must have been reached before."""
        return f"{quote(self.table)} AS {self.own}{''.join(self.joins.values())}"

    def reach(self, steps: tuple[str, ...]) -> str:
        """Return the alias of the table that `steps` lead to, and note the joins that lead there."""
        if not steps:
            return self.own
        path = ".".join(steps)
        alias = quote(f"{self.own}.{path}" if self.depth else path)
        if steps not in self.joins:
            target = str(referred_type(self.spec, self.table, steps))
            before = self.reach(steps[:-1])
            self.joins[steps] = f" LEFT JOIN {quote(target)} AS {alias} ON {before}.{quote(steps[-1])} = {alias}.id"
        return alias

    def value(self, path: str) -> str:
        steps = tuple(path.split("."))
        return f"{self.reach(steps[:-1])}.{quote(steps[-1])}"

    def cell(self, column: TaskColumn) -> str:
        steps = tuple(column.path.split("."))
        if referred_type(self.spec, self.table, steps) is not None:
            return f"{self.reach(steps)}.name"
        return _CANONICAL[column.kind].format(self.value(column.path))

    def test(self, term: Term) -> str:
        match term:
            case Condition():
                return self._compare(term)
            case AnyOf():
                return f"({' OR '.join(self._all(part) for part in term.parts)})"
            case NoneOf():
                return f"NOT coalesce({' OR '.join(self._all(part) for part in term.parts)}, false)"
            case RelatedTerm():
                inner = _Scope(self.spec, term.table, self.depth + 1)
                tests = [f"{inner.own}.{quote(term.column)} = {self.own}.id", *map(inner.test, term.where)]
                return f"EXISTS (SELECT 1 FROM {inner.tables()} WHERE {' AND '.join(tests)})"
            case DescribedTerm():
                inner = _Scope(self.spec, term.about, self.depth + 1)
                where = " AND ".join(map(inner.test, term.where))
                only = f"CASE WHEN count(*) = 1 THEN max({inner.own}.id) END"
                return f"{self.value(term.path)} = (SELECT {only} FROM {inner.tables()} WHERE {where})"
            case GivenEntities():
                return f"{self.own}.id IN ({', '.join(_literal(id_, 'text') for id_ in term.ids)})"

    def _all(self, part: Sequence[Term]) -> str:
        return " AND ".join(map(self.test, part))

    def _compare(self, condition: Condition) -> str:
        left = self.value(condition.path)
        match condition.operator:
            case "missing":
                return f"{left} IS NULL"
            case "between":
                low, high = (_literal(bound, condition.kind) for bound in (condition.value, condition.upper))
                return f"{left} BETWEEN {low} AND {high}"
            case "highest" | "lowest":
                best = "max" if condition.operator == "highest" else "min"
                return f"{left} = (SELECT {best}({quote(condition.path)}) FROM {quote(self.table)})"
            case _:
                return f"{left} {condition.operator} {_literal(condition.value, condition.kind)}"


def _literal(value: str, kind: ValueKind) -> str:
    return _LITERAL.get(kind, "{}").format(value.replace("'", "''"))
