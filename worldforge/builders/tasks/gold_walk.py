"""Derives a task's gold table by walking the world's graph: the second derivation, which shares no code with the SQL.

Each condition gives candidates: the entities from which the edges lead to the one it names, or those whose attribute
lies on its side of a bound. The walk starts from the fewest and tests the other terms on each, node by node.
"""

from __future__ import annotations

import datetime
import math
import operator
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from worldforge.builders.tasks.gold_sql import QueryResult
from worldforge.builders.tasks.task_family import relations_for_tasks
from worldforge.schema.spec import WorldSpec
from worldforge.world.computed_cells import measure_of
from worldforge.world.graph_arrays import ArrayGraph, Node, Rows
from worldforge.world.task import TaskColumn
from worldforge.world.task_terms import AnyOf, Condition, DescribedTerm, GivenEntities, NoneOf, RelatedTerm, Shape, Term
from worldforge.world.value_text import READ_CANONICAL

_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_SIDES = ("=", "<", "<=", ">", ">=")  # operators that cut sorted values at a bound
_FEW = 200  # candidates that are quicker looked at than narrowed down


def walker_of(spec: WorldSpec, tables: Mapping[str, pa.Table]) -> GoldWalker:
    """Open a walker over a world's types, and its relations where tasks ask about them."""
    relations = {name: tables[name] for name in relations_for_tasks(spec)}
    return GoldWalker(ArrayGraph(spec, {name: tables[name] for name in spec.types}, relations))


class GoldWalker:
    """Answers tasks by walking over the graph of a world, relations included where tasks ask about them."""

    def __init__(self, ground: ArrayGraph) -> None:
        self._ground = ground
        self._described: dict[DescribedTerm, Node | None] = {}
        self._named: dict[str, Node | None] = {}

    def gold(
        self, about: str, terms: Sequence[Term], columns: Sequence[TaskColumn], shape: Shape | None = None
    ) -> QueryResult:
        """Return the gold table, ordered as the entities are numbered; a ranking's rows, as they are ranked."""
        shape = shape or Shape()
        found = self._met(about, terms)
        if shape.limit and shape.within:
            found = sorted(
                node for own in self._divided(found, shape.within).values() for node in self._first(own, shape)
            )
        elif shape.limit:
            found = self._first(found, shape)
        if shape.group:
            return self._by_group(found, columns, shape.group)
        if shape.rows:
            return self._rows_of_relation(found, columns, shape)
        rows = (tuple(self._cell(node, column) for column in columns) for node in found)
        return QueryResult(tuple(map(self._ground.id_of, found)), tuple(rows))

    def _rows_of_relation(self, nodes: Sequence[Node], columns: Sequence[TaskColumn], shape: Shape) -> QueryResult:
        """List the rows of a relation that point to entities, as they are numbered, each under its entity's id."""
        pointing = {
            int(row): node
            for node in nodes
            for row in self._ground.pointing(node, shape.rows, shape.end).tolist()
            if self._holds((shape.rows, int(row)), shape.rows, shape.where)
        }
        cells = (tuple(self._cell((shape.rows, row), column) for column in columns) for row in sorted(pointing))
        return QueryResult(tuple(self._ground.id_of(pointing[row]) for row in sorted(pointing)), tuple(cells))

    def _by_group(self, nodes: Sequence[Node], columns: Sequence[TaskColumn], group: str) -> QueryResult:
        """Group entities, and compute the cells of each group: in the order of what is referred to."""
        members = self._divided(nodes, group)
        referred = any(isinstance(key, tuple) for key in members)
        groups = sorted(members) if referred else list(members)
        keys = [str(self._ground.at(key, "name")) if referred else key for key in groups]
        cells = (tuple(self._computed(members[key], column.path) for column in columns[1:]) for key in groups)
        ids = (self._ground.id_of(key if referred else members[key][0]) for key in groups)
        return QueryResult(tuple(ids), tuple((key, *row) for key, row in zip(keys, cells, strict=True)))

    def _divided(self, nodes: Sequence[Node], group: str) -> dict[Any, list[Node]]:
        """Return entities by the node that a column leads to, or by its value; those without one are left out."""
        members: dict[Any, list[Node]] = {}
        for node in nodes:
            value = self._value(node, group)
            if value is not None:
                members.setdefault(value, []).append(node)
        return members

    def _computed(self, nodes: Sequence[Node], path: str) -> str | None:
        measure = measure_of(path)
        assert measure is not None, path
        if measure.name == "count":
            return str(len(nodes))
        values = [value for node in nodes if (value := self._value(node, measure.column)) is not None]
        if not values:
            return None
        match measure.name:
            case "mean":
                tens = 10**measure.places
                mean = sum(map(Fraction, values), Fraction()) / len(values)
                return _text(float(math.floor(mean * tens + Fraction(1, 2)) / Fraction(tens)))
            case "sum":
                return _text(sum(values))
            case _:
                return _text(max(values) if measure.name == "max" else min(values))

    def _met(self, about: str, terms: Sequence[Term]) -> list[Node]:
        """Return the entities that meet all terms, as they are numbered."""
        candidates = ((about, row) for row in self._candidates(about, terms).tolist())
        return sorted(node for node in candidates if self._holds(node, about, terms))

    def _first(self, nodes: Sequence[Node], shape: Shape) -> list[Node]:
        """Keep those that fewer than `limit` others are ranked before, in the order of their ranks."""
        values = {node: value for node in nodes if (value := self._value(node, shape.order)) is not None}
        ranked = sorted(values, key=lambda node: values[node], reverse=shape.highest)
        if len(ranked) <= shape.limit:
            return ranked
        worst = values[ranked[shape.limit - 1]]
        good = operator.ge if shape.highest else operator.le
        return [node for node in ranked if good(values[node], worst)]

    def _candidates(self, about: str, terms: Sequence[Term]) -> Rows:
        """Return rows among which are all that meet the terms: few, where a condition leaves few."""
        fewest: Rows = np.arange(self._ground.n_rows(about))
        conditions = [term for term in terms if isinstance(term, Condition) and term.operator in _SIDES]
        named = {c: node for c in conditions if c.operator == "=" and (node := self._ground.find(c.value))}
        for condition in conditions:
            if "." not in condition.path and condition.path not in self._ground.references(about):
                fewest = min(fewest, self._beyond(about, condition), key=len)
        for condition, node in named.items():
            if len(fewest) > _FEW:
                fewest = min(fewest, self._leading_to(about, condition.path, node), key=len)
        return fewest

    def _leading_to(self, about: str, path: str, node: Node) -> Rows:
        """Go back along the edges from the entity that a condition names."""
        tables, steps = [about], path.split(".")
        for step in steps:
            tables.append(self._ground.references(tables[-1]).get(step, ""))
        if tables[-1] != node[0]:
            return np.arange(self._ground.n_rows(about))
        rows = [node[1]]
        for table, step, there in zip(tables[-2::-1], reversed(steps), reversed(tables), strict=False):
            rows = [row for one in rows for row in self._ground.pointing((there, one), table, step).tolist()]
        return np.array(rows, np.int64)

    def _beyond(self, about: str, condition: Condition) -> Rows:
        """Cut the entities, sorted by an attribute, at a bound."""
        rows = self._ground.rising(about, condition.path)
        bound, places = READ_CANONICAL[condition.kind](condition.value), range(len(rows))
        first, last = (
            bisect(places, bound, key=lambda place: self._ground.at((about, int(rows[place])), condition.path))
            for bisect in (bisect_left, bisect_right)
        )
        sides = {"=": (first, last), "<": (0, first), "<=": (0, last), ">": (last, None), ">=": (first, None)}
        return rows[slice(*sides[condition.operator])]

    def _holds(self, place: Node, about: str, terms: Sequence[Term]) -> bool:
        return all(self._meets(place, about, term) for term in terms)

    def _meets(self, place: Node, about: str, term: Term) -> bool:
        match term:
            case Condition():
                return self._tests(place, about, term)
            case AnyOf():
                return any(self._holds(place, about, part) for part in term.parts)
            case NoneOf():
                return not any(self._holds(place, about, part) for part in term.parts)
            case RelatedTerm():
                return any(self._holds(other, term.table, term.where) for other in self._pointing(place, term))
            case DescribedTerm():
                if term not in self._described:
                    found = self._met(term.about, term.where)
                    self._described[term] = found[0] if len(found) == 1 else None
                only = self._described[term]
                return only is not None and self._value(place, term.path) == only
            case GivenEntities():
                return self._ground.id_of(place) in term.ids

    def _pointing(self, place: Node, term: RelatedTerm) -> Iterator[Node]:
        """Yield the rows of a table whose column refers to an entity."""
        rows = self._ground.pointing(place, term.table, term.column)
        return ((term.table, row) for row in rows.tolist())

    def _tests(self, place: Node, about: str, condition: Condition) -> bool:
        value = self._value(place, condition.path)
        read = self._find if isinstance(value, tuple) else READ_CANONICAL[condition.kind]
        match condition.operator:
            case "missing":
                return value is None
            case "between":
                return value is not None and read(condition.value) <= value <= read(condition.upper)
            case "highest" | "lowest":
                rows = self._ground.rising(about, condition.path)
                end = -1 if condition.operator == "highest" else 0
                return bool(len(rows)) and value == self._ground.at((about, int(rows[end])), condition.path)
            case _:
                return value is not None and _OPERATORS[condition.operator](value, read(condition.value))

    def _find(self, id_: str) -> Node | None:
        """Find what a condition names; once, however many places are held against it."""
        if id_ not in self._named:
            self._named[id_] = self._ground.find(id_)
        return self._named[id_]

    def _value(self, place: Node, path: str) -> Any:
        """Follow a path: its last step is an attribute where it comes to, or an edge to the node it gives."""
        first, _, rest = path.partition(".")
        value = self._ground.at(place, first)
        return self._value(value, rest) if rest and value is not None else value

    def _cell(self, node: Node, column: TaskColumn) -> str | None:
        value = self._value(node, column.path)
        if isinstance(value, tuple):
            value = self._ground.at(value, "name")
        return None if value is None else _text(value)


def _text(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case float():
            text = f"{value:.6f}".rstrip("0")
            return text.removesuffix(".")
        case datetime.date():
            return value.isoformat()
        case _:
            return str(value)
