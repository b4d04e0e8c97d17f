"""A task's gold table by walking the networkx graph: the second way to it, which shares no code with the SQL.

Each condition gives candidates: the entities from which the edges lead to the one it names, or those whose attribute
lies on its side of a bound. The walk starts from the fewest and tests the other terms on each.
"""

from __future__ import annotations

import datetime
import math
import operator
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import networkx as nx

from worldforge.builders.tasks.query import Gold
from worldforge.core.columns import ValueKind
from worldforge.world.computed import measure_of
from worldforge.world.task import TaskColumn
from worldforge.world.terms import AnyOf, Condition, Described, Given, NoneOf, Related, Shape, Term

_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_READERS: dict[ValueKind, Callable[[str], Any]] = {
    "integer": int,
    "year": int,
    "number": float,
    "text": str,
    "date": datetime.date.fromisoformat,
    "boolean": lambda text: text == "yes",
}
_SIDES = ("=", "<", "<=", ">", ">=")  # operators that cut sorted values at a bound
_FEW = 200  # candidates that are quicker looked at than narrowed down


@dataclass(frozen=True, slots=True)
class _Edge:
    """A row of a relation: the entities at its ends, and its columns."""

    source: str
    target: str
    columns: Mapping[str, Any]


_Place = str | _Edge
"""Where a walk stands: at an entity, by its id, or on a row of a relation."""


class Walker:
    """Answers tasks on a graph as `world.graph()` builds it, relations included where tasks ask about them."""

    def __init__(self, graph: nx.MultiDiGraph) -> None:
        self._nodes = dict(graph.nodes(data=True))
        self._out = dict(graph.adjacency())
        self._in = dict(graph.reverse(copy=False).adjacency())
        self._by_type: dict[str, list[str]] = {}
        self._sorted: dict[tuple[str, str], tuple[list[Any], list[str]]] = {}
        self._described: dict[Described, str] = {}
        for node, type_name in graph.nodes(data="type"):
            self._by_type.setdefault(type_name, []).append(node)

    def gold(
        self, about: str, terms: Sequence[Term], columns: Sequence[TaskColumn], shape: Shape | None = None
    ) -> Gold:
        """Return the gold table, ordered as the entities are numbered."""
        shape = shape or Shape()
        found = self.met(about, terms)
        if shape.limit:
            found = self._first(found, shape)
        if shape.group:
            return self._by_group(found, columns, shape.group)
        return Gold(tuple(found), tuple(tuple(self._cell(node, column) for column in columns) for node in found))

    def _by_group(self, nodes: Sequence[str], columns: Sequence[TaskColumn], group: str) -> Gold:
        """Put entities into groups, and compute of each what is asked for."""
        members: dict[str, list[str]] = {}
        for node in nodes:
            value = self._value(node, group)
            if value is not None:
                members.setdefault(value, []).append(node)
        referred = [key for key in members if self._target(members[key][0], group)]
        ids = sorted(members, key=_number) if referred else list(members)
        keys = [str(self._nodes[id_]["name"]) if referred else id_ for id_ in ids]
        rows = (tuple(self._computed(members[id_], column.path) for column in columns[1:]) for id_ in ids)
        named = tuple((key, *cells) for key, cells in zip(keys, rows, strict=True))
        return Gold(tuple(ids if referred else [members[id_][0] for id_ in ids]), named)

    def _computed(self, nodes: Sequence[str], path: str) -> str | None:
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

    def met(self, about: str, terms: Sequence[Term]) -> list[str]:
        """Return the entities that meet all terms, as they are numbered."""
        found = [node for node in self._candidates(about, terms) if self._holds(node, about, terms)]
        return sorted(found, key=_number)

    def _first(self, nodes: Sequence[str], shape: Shape) -> list[str]:
        """Keep those that fewer than `limit` others are ranked before."""
        values = {node: value for node in nodes if (value := self._value(node, shape.order)) is not None}
        if len(values) <= shape.limit:
            return list(values)
        ranked = sorted(values.values())
        worst = ranked[-shape.limit] if shape.highest else ranked[shape.limit - 1]
        good = operator.ge if shape.highest else operator.le
        return [node for node, value in values.items() if good(value, worst)]

    def _candidates(self, about: str, terms: Sequence[Term]) -> Sequence[str]:
        fewest: Sequence[str] = self._by_type.get(about, [])
        conditions = [term for term in terms if isinstance(term, Condition)]
        named = [c for c in conditions if c.operator == "=" and c.value in self._nodes]
        for condition in conditions:
            if condition not in named and "." not in condition.path and condition.operator in _SIDES:
                fewest = min(fewest, self._beyond(about, condition), key=len)
        for condition in named:
            if len(fewest) > _FEW:
                fewest = min(fewest, self._leading_to(about, condition), key=len)
        return fewest

    def _leading_to(self, about: str, condition: Condition) -> Sequence[str]:
        """Go back along the edges from the entity that a condition names."""
        reached = {condition.value}
        for step in reversed(condition.path.split(".")):
            reached = {source for node in reached for source in self._sources(node, step)}
        return [node for node in reached if self._nodes[node]["type"] == about]

    def _beyond(self, about: str, condition: Condition) -> Sequence[str]:
        """Cut the entities, sorted by an attribute, at a bound."""
        values, nodes = self._rising(about, condition.path)
        bound = _READERS[condition.kind](condition.value)
        first, last = bisect_left(values, bound), bisect_right(values, bound)
        sides = {"=": (first, last), "<": (0, first), "<=": (0, last), ">": (last, None), ">=": (first, None)}
        return nodes[slice(*sides[condition.operator])]

    def _rising(self, about: str, column: str) -> tuple[list[Any], list[str]]:
        """Return an attribute's values, sorted, and the entities that have them."""
        key = (about, column)
        if key not in self._sorted:
            attributes = self._nodes
            nodes = [n for n in self._by_type.get(about, []) if attributes[n].get(column) is not None]
            nodes.sort(key=lambda node: attributes[node][column])
            self._sorted[key] = [attributes[node][column] for node in nodes], nodes
        return self._sorted[key]

    def _sources(self, node: str, step: str) -> Iterator[str]:
        return (source for source, keys in self._in[node].items() if step in keys)

    def _holds(self, place: _Place, about: str, terms: Sequence[Term]) -> bool:
        return all(self._meets(place, about, term) for term in terms)

    def _meets(self, place: _Place, about: str, term: Term) -> bool:
        match term:
            case Condition():
                return self._tests(place, about, term)
            case AnyOf():
                return any(self._holds(place, about, part) for part in term.parts)
            case NoneOf():
                return not any(self._holds(place, about, part) for part in term.parts)
            case Related():
                return any(self._holds(other, term.table, term.where) for other in self._pointing(place, term))
            case Described():
                if term not in self._described:
                    found = self.met(term.about, term.where)
                    self._described[term] = found[0] if len(found) == 1 else ""
                only = self._described[term]
                return bool(only) and self._value(place, term.path) == only
            case Given():
                return place in term.ids

    def _pointing(self, place: _Place, term: Related) -> Iterator[_Place]:
        """Give the rows of a table whose column refers to an entity."""
        if isinstance(place, _Edge):
            return
        if term.table in self._by_type:
            yield from (s for s in self._sources(place, term.column) if self._nodes[s]["type"] == term.table)
            return
        beyond = self._out[place] if term.column == "source" else self._in[place]
        for other, keys in beyond.items():
            if term.table in keys:
                source, target = (place, other) if term.column == "source" else (other, place)
                yield _Edge(source, target, keys[term.table])

    def _tests(self, place: _Place, about: str, condition: Condition) -> bool:
        value = self._value(place, condition.path)
        read = _READERS[condition.kind]
        match condition.operator:
            case "missing":
                return value is None
            case "between":
                return value is not None and read(condition.value) <= value <= read(condition.upper)
            case "highest" | "lowest":
                values, _ = self._rising(about, condition.path)
                return bool(values) and value == values[-1 if condition.operator == "highest" else 0]
            case _:
                return value is not None and _OPERATORS[condition.operator](value, read(condition.value))

    def _value(self, place: _Place, path: str) -> Any:
        """Follow a path: its last step is an attribute where it comes to, or an edge to the node it gives."""
        first, _, rest = path.partition(".")
        if isinstance(place, _Edge):
            node = {"source": place.source, "target": place.target}.get(first, place.columns.get(first))
            return self._value(node, rest) if rest and node is not None else node
        attributes = self._nodes[place]
        if not rest and first in attributes:
            return attributes[first]
        node = self._target(place, first) or None
        return self._value(node, rest) if rest and node is not None else node

    def _target(self, node: str, step: str) -> str:
        return next((target for target, keys in self._out[node].items() if step in keys), "")

    def _cell(self, node: str, column: TaskColumn) -> str | None:
        value = self._value(node, column.path)
        if isinstance(value, str) and value in self._nodes and column.path != "name":
            return str(self._nodes[value]["name"])
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


def _number(node: str) -> int:
    return int(node.rpartition("/")[2])
