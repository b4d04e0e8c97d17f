"""A task's gold table by walking the networkx graph: the second way to it, which shares no code with the SQL.

Each condition gives candidates: the entities from which the edges lead to the one it names, or those whose attribute
lies on its side of a bound. The walk starts from the fewest and tests the other conditions on each.
"""

from __future__ import annotations

import datetime
import operator
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import networkx as nx

from worldforge.builders.tasks.query import Gold
from worldforge.core.columns import ValueKind
from worldforge.world.task import Condition, TaskColumn

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
_FEW = 200  # candidates that are quicker looked at than narrowed down


class Walker:
    """Answers list tasks on a graph as `world.graph()` builds it."""

    def __init__(self, graph: nx.MultiDiGraph) -> None:
        self._nodes = dict(graph.nodes(data=True))
        self._out = dict(graph.adjacency())
        self._in = dict(graph.reverse(copy=False).adjacency())
        self._by_type: dict[str, list[str]] = {}
        self._sorted: dict[tuple[str, str], tuple[list[Any], list[str]]] = {}
        for node, type_name in graph.nodes(data="type"):
            self._by_type.setdefault(type_name, []).append(node)

    def gold(self, about: str, conditions: Sequence[Condition], columns: Sequence[TaskColumn]) -> Gold:
        """Return the gold table, ordered as the entities are numbered."""
        found = [node for node in self._candidates(about, conditions) if self._holds(node, conditions)]
        found.sort(key=lambda node: int(node.rpartition("/")[2]))
        return Gold(tuple(found), tuple(tuple(self._cell(node, column) for column in columns) for node in found))

    def _candidates(self, about: str, conditions: Sequence[Condition]) -> Sequence[str]:
        fewest: Sequence[str] = self._by_type.get(about, [])
        named = [c for c in conditions if c.operator == "=" and c.value in self._nodes]
        for condition in conditions:
            if condition not in named and "." not in condition.path and condition.operator != "!=":
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
        key = (about, condition.path)
        if key not in self._sorted:
            attributes = self._nodes
            nodes = [n for n in self._by_type.get(about, []) if attributes[n].get(condition.path) is not None]
            nodes.sort(key=lambda node: attributes[node][condition.path])
            self._sorted[key] = [attributes[node][condition.path] for node in nodes], nodes
        values, nodes = self._sorted[key]
        bound = _READERS[condition.kind](condition.value)
        first, last = bisect_left(values, bound), bisect_right(values, bound)
        sides = {"=": (first, last), "<": (0, first), "<=": (0, last), ">": (last, None), ">=": (first, None)}
        return nodes[slice(*sides[condition.operator])]

    def _sources(self, node: str, step: str) -> Iterator[str]:
        return (source for source, keys in self._in[node].items() if step in keys)

    def _holds(self, node: str, conditions: Sequence[Condition]) -> bool:
        return all(self._tests(node, condition) for condition in conditions)

    def _tests(self, node: str, condition: Condition) -> bool:
        value = self._value(node, condition.path)
        wanted = _READERS[condition.kind](condition.value)
        return value is not None and _OPERATORS[condition.operator](value, wanted)

    def _value(self, node: str, path: str) -> Any:
        """Follow a path from a node: its last step is an attribute there, or an edge to the node it gives."""
        *steps, last = path.split(".")
        for step in steps:
            node = self._target(node, step)
            if not node:
                return None
        attributes = self._nodes[node]
        return attributes[last] if last in attributes else self._target(node, last) or None

    def _target(self, node: str, step: str) -> str:
        return next((target for target, keys in self._out[node].items() if step in keys), "")

    def _cell(self, node: str, column: TaskColumn) -> str | None:
        value = self._value(node, column.path)
        match value:
            case None:
                return None
            case bool():
                return "yes" if value else "no"
            case float():
                text = f"{value:.6f}".rstrip("0")
                return text.removesuffix(".")
            case datetime.date():
                return value.isoformat()
            case str() if value in self._nodes and column.path != "name":
                return str(self._nodes[value]["name"])
            case _:
                return str(value)
