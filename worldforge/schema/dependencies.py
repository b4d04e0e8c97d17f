"""Which columns need which: the graph that says in what order a world's columns are drawn and computed.

    column_order(spec)        [("town", "region"), ("town", "chartered"), …, ("club", "founded"), …]

A node is a column (table, column). The rows of a relation are one node, `("plays_for", "target")`: sources and targets
are drawn together, before the relation's own columns, and need nothing but the counts of the types.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import networkx as nx

from worldforge.schema.expressions import (
    Expression,
    columns_read,
    compile_derived,
    compile_expression,
    inline_derived,
)
from worldforge.schema.paths import derived_columns, drawn_columns
from worldforge.schema.spec import Constraint, WorldSpec

Node = tuple[str, str]


def column_order(spec: WorldSpec) -> list[Node]:
    """List every column in the order of making: each after what it needs, else as the spec declares them.

    Raises ExpressionError for an expression that cannot be used; a spec that was checked has no cycle.
    """
    return _order(dependency_graph(spec))


def dependency_graph(spec: WorldSpec) -> nx.DiGraph[Node]:
    """Build the graph of columns, in the order of the spec; an edge leads from what is needed to what needs it.

    A column that a constraint draws again stands after all else that the constraint reads; an edge that is there for
    that alone has the constraint's number as its attribute `constraint`. Raises ExpressionError.
    """
    graph = _column_graph(spec)
    if nx.is_directed_acyclic_graph(graph):
        order = _order(graph)
        for number, constraint in enumerate(spec.constraints):
            edges = [edge for edge in _redraw_edges(spec, constraint, order) if not graph.has_edge(*edge)]
            graph.add_edges_from(edges, constraint=number)
    return graph


def cycles(graph: nx.DiGraph[Node]) -> list[list[Node]]:
    """List one cycle for each knot of columns that need one another: each node is needed by the one before it."""
    found = []
    for knot in nx.strongly_connected_components(graph):
        needs: nx.DiGraph[Node] = nx.DiGraph()
        for node in graph:
            if node in knot:
                needs.add_edges_from((node, needed) for needed in graph.predecessors(node) if needed in knot)
        if needs:
            found.append(_shortest_cycle(needs, next(iter(needs))))
    declared = {node: place for place, node in enumerate(graph)}
    return sorted(found, key=lambda cycle: declared[cycle[0]])


def parameter_expression(value: Any) -> str | None:
    """Return the expression that a parameter holds (`"= town.founded + 1"`); None where it is a plain value."""
    return value[1:] if isinstance(value, str) and value.startswith("=") else None


def compile_parameters(spec: WorldSpec, table: str, params: Mapping[str, Any]) -> dict[str, Expression]:
    """Compile those parameters of a generator that are expressions, by name. Raises ExpressionError."""
    texts = {name: parameter_expression(value) for name, value in params.items()}
    return {name: compile_expression(text, table, spec) for name, text in texts.items() if text is not None}


def redrawn_column(spec: WorldSpec, constraint: Constraint) -> str | None:
    """Return which column of its table is drawn again where a constraint fails.

    That is the one it gives, else the last in the order of making among the drawn columns that it reads from its own
    row; None where it reads none, so that the constraint can only hold or fail. Raises ExpressionError.
    """
    return _redrawn(spec, constraint, _order(_column_graph(spec)))


def _column_graph(spec: WorldSpec) -> nx.DiGraph[Node]:
    """Build the graph of what columns themselves need, constraints aside."""
    graph: nx.DiGraph[Node] = nx.DiGraph()
    for table in [*spec.types, *spec.relations]:
        graph.add_nodes_from(_nodes(spec, table))
    for node in list(graph):
        graph.add_edges_from((_rows_node(spec, needed), node) for needed in _needs(spec, node))
    return graph


def _order(graph: nx.DiGraph[Node]) -> list[Node]:
    declared = {node: place for place, node in enumerate(graph)}
    return list(nx.lexicographical_topological_sort(graph, key=declared.__getitem__))


def _nodes(spec: WorldSpec, table: str) -> list[Node]:
    first = "name" if table in spec.types else "target"
    return [(table, column) for column in [first, *drawn_columns(spec, table), *derived_columns(spec, table)]]


def _needs(spec: WorldSpec, node: Node) -> Iterator[Node]:
    table, column = node
    if column in derived_columns(spec, table):
        yield from columns_read(compile_derived(spec, table, column), spec)
        return
    drawn = drawn_columns(spec, table)
    if table in spec.relations and column != "target":
        yield table, "target"
    params = drawn[column].params if column in drawn else spec.types[table].name.params if column == "name" else {}
    for expression in compile_parameters(spec, table, params).values():
        yield from columns_read(expression, spec)


def _redrawn(spec: WorldSpec, constraint: Constraint, order: Sequence[Node]) -> str | None:
    if constraint.redraw is not None:
        return constraint.redraw
    expression = _own_terms(spec, constraint)
    own = {(constraint.on, path[0]) for path in expression.paths if path[0] in drawn_columns(spec, constraint.on)}
    return next((column for table, column in reversed(order) if (table, column) in own), None)


def _redraw_edges(spec: WorldSpec, constraint: Constraint, order: Sequence[Node]) -> Iterator[tuple[Node, Node]]:
    column = _redrawn(spec, constraint, order)
    if column is None:
        return
    redrawn = (constraint.on, column)
    for needed in columns_read(_own_terms(spec, constraint), spec):
        if needed != redrawn:
            yield _rows_node(spec, needed), redrawn


def _own_terms(spec: WorldSpec, constraint: Constraint) -> Expression:
    """Compile a constraint in terms of what is drawn and aggregated."""
    return inline_derived(compile_expression(constraint.sql, constraint.on, spec), spec)


def _rows_node(spec: WorldSpec, node: Node) -> Node:
    table, column = node
    return (table, "target") if table in spec.relations and column == "source" else node


def _shortest_cycle(needs: nx.DiGraph[Node], start: Node) -> list[Node]:
    """Return the shortest way from `start` back to it, along what each needs; `start` comes first and once."""
    if needs.has_edge(start, start):
        return [start]
    ways = [nx.shortest_path(needs, needed, start) for needed in needs.successors(start)]
    return [start, *min(ways, key=len)[:-1]]
