"""Which columns need which: the graph that says in what order a world's columns are drawn and computed.

    column_order(spec)        [("town", "region"), ("town", "chartered"), …, ("club", "founded"), …]
    creation_steps(spec)      the same, columns that are made together as one step

A node is a column (table, column). The rows of a relation are one node, `("plays_for", "target")`: sources, targets and
what is built in are drawn together, before the relation's own columns, and need nothing but the counts of the types
(and with `pairs`, what splits them into groups).

In a relation with `series`, a column may need an earlier row's: such an edge has the attribute `earlier`. Columns of
the relation that need one another that way are one step: they are made row after row.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import networkx as nx

from worldforge.schema.column_paths import built_in_columns, derived_columns, drawn_columns, follow
from worldforge.schema.expressions import (
    Expression,
    Ranking,
    columns_read,
    compile_derived,
    compile_expression,
    compile_terms,
    inline_derived,
)
from worldforge.schema.spec import Attribute, Constraint, WorldSpec

ColumnKey = tuple[str, str]


class ColumnStep(NamedTuple):
    """Columns made at once: one, or where they need one another's earlier rows, several `in_series`, in order."""

    nodes: tuple[ColumnKey, ...]
    in_series: bool


def column_order(spec: WorldSpec) -> list[ColumnKey]:
    """List every column in the order of making: each after what it needs, else as the spec declares them.

    Raises ExpressionError for an expression that cannot be used; a spec that was checked has no cycle.
    """
    return [node for step in creation_steps(spec) for node in step.nodes]


def creation_steps(spec: WorldSpec) -> list[ColumnStep]:
    """List what is made, in order: single columns, and columns that are made together, row after row of a series.

    Raises ExpressionError as `column_order` does.
    """
    return _steps(dependency_graph(spec))


def dependency_graph(spec: WorldSpec) -> nx.DiGraph[ColumnKey]:
    """Build the graph of columns, in the order of the spec; an edge leads from what is needed to what needs it.

    A column that a constraint draws again stands after all else that the constraint reads; an edge that is there for
    that alone has the constraint's number as its attribute `constraint`. Raises ExpressionError.
    """
    graph = _column_graph(spec)
    if cycles(graph):
        return graph
    for number, (constraint, column) in enumerate(zip(spec.constraints, _redrawn(spec, graph), strict=True)):
        redrawn = (constraint.on, column or "")
        for expression in drawn_expressions(spec, constraint) if column is not None else ():
            for needed, earlier in _reads(expression, spec):
                if needed != redrawn or earlier:
                    _add_edge(graph, _rows_node(spec, needed), redrawn, earlier=earlier, constraint=number)
    return graph


def cycles(graph: nx.DiGraph[ColumnKey]) -> list[list[ColumnKey]]:
    """List one cycle for each knot of columns that need one another: each node is needed by the one before it.

    What needs earlier rows alone is no cycle, unless it goes through another table: that needs all rows.
    """
    found = []
    for knot in nx.strongly_connected_components(_same_row(graph)):
        needs = _needs_within(_same_row(graph), knot)
        if needs:
            found.append(_shortest_cycle(needs, next(iter(needs))))
    known = {node for cycle in found for node in cycle}
    for knot in nx.strongly_connected_components(graph):
        series = {node[0] for node in knot if any(graph.edges[edge]["earlier"] for edge in graph.in_edges(node))}
        elsewhere = [node for node in graph if node in knot and node[0] not in series]
        if series and elsewhere and not known & knot:
            found.append(_shortest_cycle(_needs_within(graph, knot), elsewhere[0]))
    declared = {node: place for place, node in enumerate(graph)}
    return sorted(found, key=lambda cycle: declared[cycle[0]])


def parameter_expression(value: Any) -> str | None:
    """Return the expression that a parameter holds (`"= town.founded + 1"`); None where it is a plain value."""
    return value[1:] if isinstance(value, str) and value.startswith("=") else None


def compile_parameters(spec: WorldSpec, table: str, params: Mapping[str, Any]) -> dict[str, Expression]:
    """Compile those parameters of a generator that are expressions, by name. Raises ExpressionError."""
    texts = {name: parameter_expression(value) for name, value in params.items()}
    return {name: compile_expression(text, table, spec) for name, text in texts.items() if text is not None}


def redrawn_columns(spec: WorldSpec) -> list[str | None]:
    """Return for each constraint which column of its table is drawn again where it fails.

    That is the one it gives, else (of `sql`) the last in the order of making among the drawn columns that it reads from
    its own row; None where there is none, so that the constraint can only hold or fail. Raises ExpressionError.
    """
    return _redrawn(spec, _column_graph(spec))


def _redrawn(spec: WorldSpec, graph: nx.DiGraph[ColumnKey]) -> list[str | None]:
    order = [node for step in _steps(graph) for node in step.nodes] if spec.constraints else []
    columns = []
    for constraint in spec.constraints:
        column = constraint.redraw
        if column is None and constraint.sql is not None:
            read = {path[0] for expression in drawn_expressions(spec, constraint) for path in expression.paths}
            own = read.intersection(drawn_columns(spec, constraint.on)) if read else set()
            column = next((name for table, name in reversed(order) if table == constraint.on and name in own), None)
        columns.append(column)
    return columns


def _column_graph(spec: WorldSpec) -> nx.DiGraph[ColumnKey]:
    """Build the graph of what columns themselves need, constraints aside."""
    graph: nx.DiGraph[ColumnKey] = nx.DiGraph()
    for table in [*spec.types, *spec.relations]:
        first = "name" if table in spec.types else "target"
        columns = [first, *drawn_columns(spec, table), *derived_columns(spec, table)]
        graph.add_nodes_from((table, column) for column in columns)
    for node in list(graph):
        for needed, earlier in _needs(spec, node):
            _add_edge(graph, _rows_node(spec, needed), node, earlier=earlier)
    return graph


def _add_edge(
    graph: nx.DiGraph[ColumnKey], needed: ColumnKey, node: ColumnKey, *, earlier: bool, constraint: int | None = None
) -> None:
    """Add an edge, unless it is there and says as much: a need of the same row outdoes one of an earlier row."""
    if not graph.has_edge(needed, node) or (graph.edges[needed, node]["earlier"] and not earlier):
        graph.add_edge(needed, node, earlier=earlier, **({} if constraint is None else {"constraint": constraint}))


def _same_row(graph: nx.DiGraph[ColumnKey]) -> nx.DiGraph[ColumnKey]:
    """Return the graph without what is needed of earlier rows alone."""
    return nx.subgraph_view(graph, filter_edge=lambda needed, node: not graph.edges[needed, node]["earlier"])


def _needs_within(graph: nx.DiGraph[ColumnKey], knot: Collection[ColumnKey]) -> nx.DiGraph[ColumnKey]:
    """Return which nodes of a knot need which others of it: edges lead from what needs to what is needed."""
    needs: nx.DiGraph[ColumnKey] = nx.DiGraph()
    for node in graph:
        if node in knot:
            needs.add_edges_from((node, needed) for needed in graph.predecessors(node) if needed in knot)
    return needs


def _steps(graph: nx.DiGraph[ColumnKey]) -> list[ColumnStep]:
    """List the nodes in order, those that need one another's earlier rows as one step; `graph` has no cycles else."""
    declared = {node: place for place, node in enumerate(graph)}
    knots = nx.condensation(graph)
    members = {knot: sorted(nodes, key=declared.__getitem__) for knot, nodes in knots.nodes(data="members")}
    same_row = _same_row(graph)
    steps = []
    for knot in nx.lexicographical_topological_sort(knots, key=lambda knot: declared[members[knot][0]]):
        nodes = tuple(members[knot])
        if len(nodes) > 1:
            nodes = tuple(nx.lexicographical_topological_sort(same_row.subgraph(nodes), key=declared.__getitem__))
        steps.append(ColumnStep(nodes, in_series=len(nodes) > 1 or graph.has_edge(nodes[0], nodes[0])))
    return steps


def _needs(spec: WorldSpec, node: ColumnKey) -> Iterator[tuple[ColumnKey, bool]]:
    """List what a node needs, and whether of earlier rows of its series alone."""
    table, column = node
    if column in derived_columns(spec, table):
        yield from ((needed, False) for needed in columns_read(compile_derived(spec, table, column), spec))
        return
    drawn = drawn_columns(spec, table)
    if table in spec.relations and column != "target":
        yield (table, "target"), False
    elif table in spec.relations:
        for expression in end_expressions(spec, table):
            yield from ((needed, False) for needed, _ in _reads(expression, spec) if needed[0] != table)
        relation = spec.relations[table]
        if relation.pairs is not None and relation.pairs.within is not None:
            route = follow(spec, relation.source, relation.pairs.within.split("."))
            yield from ((needed, False) for needed in route.columns)
    if column in drawn and drawn[column].where is not None:
        condition = compile_expression(str(drawn[column].where), table, spec)
        for path in condition.paths:
            read = list(_reads(condition, spec, [path]))
            yield from read[1:] if path[0] == column else read
    params = drawn[column].params if column in drawn else spec.types[table].name.params if column == "name" else {}
    for expression in compile_parameters(spec, table, params).values():
        yield from _reads(expression, spec)


def end_expressions(spec: WorldSpec, relation: str) -> list[Expression]:
    """Compile what decides over the rows of a relation: expressions on its two ends. Raises ExpressionError."""
    where = spec.relations[relation].where
    return [*series_orders(spec, relation).terms, *([compile_expression(where, relation, spec)] if where else [])]


def series_orders(spec: WorldSpec, relation: str) -> Ranking:
    """Compile what the rows of a series' owner may be ordered by: `order`, or else what names at the other end hold.

    Of the latter, columns out of which those names are composed, a number, a year or a date counts where it is the only
    one. Raises ExpressionError.
    """
    one = spec.relations[relation]
    if one.order is not None:
        return Ranking(*compile_terms(one.order, relation, spec), within=None)
    if one.series is None or not one.distinct:
        return Ranking((), (), None)
    end = "target" if one.series == "source" else "source"
    other = one.target if one.series == "source" else one.source
    name = spec.types[other].name
    made = compile_parameters(spec, other, name.params) if name.generator == "names.composed" else {}
    paths = dict.fromkeys((end, *path) for one in made.values() for path in one.paths)
    terms = [compile_expression(".".join(f'"{step}"' for step in path), relation, spec) for path in paths]
    return Ranking(tuple(terms), (False,) * len(terms), None)


def _reads(
    expression: Expression, spec: WorldSpec, paths: Sequence[tuple[str, ...]] | None = None
) -> Iterator[tuple[ColumnKey, bool]]:
    """List the columns that an expression on a row reads, and whether of earlier rows of the row's series."""
    for path in expression.paths if paths is None else paths:
        for place, node in enumerate(follow(spec, expression.table, path).columns):
            yield node, place > 0 and expression.table in spec.relations and node[0] == expression.table


def _rows_node(spec: WorldSpec, node: ColumnKey) -> ColumnKey:
    table, column = node
    return (table, "target") if column in ("source", *built_in_columns(spec, table)) else node


def _shortest_cycle(needs: nx.DiGraph[ColumnKey], start: ColumnKey) -> list[ColumnKey]:
    """Return the shortest way from `start` back to it, along what each needs; `start` comes first and once."""
    if needs.has_edge(start, start):
        return [start]
    ways = [nx.shortest_path(needs, needed, start) for needed in needs.successors(start)]
    return [start, *min(ways, key=len)[:-1]]


Steps = tuple[str | int, ...]


def constraint_text(constraint: Constraint) -> str:
    """Write a constraint as its author did, on one line; one of `sql` is that expression."""
    if constraint.unique is not None:
        listed = [one if isinstance(one, str) else f"[{', '.join(one)}]" for one in constraint.unique]
        return f"unique: [{', '.join(listed)}]"
    if constraint.exclusive is not None:
        period = constraint.exclusive
        return f"exclusive: {{per: {period.per}, begin: {period.begin}, end: {period.end}}}"
    return f"acyclic: {constraint.acyclic}" if constraint.acyclic is not None else str(constraint.sql)


def compared_columns(constraint: Constraint) -> dict[Steps, str]:
    """Return the columns that a constraint between rows names, each by where in the constraint it stands."""
    found: dict[Steps, str] = {}
    for place, one in enumerate(constraint.unique or ()):
        if isinstance(one, str):
            found["unique", place] = one
        else:
            found |= {("unique", place, choice): name for choice, name in enumerate(one)}
    if constraint.exclusive is not None:
        period = constraint.exclusive
        found |= {("exclusive", key): getattr(period, key) for key in ("per", "begin", "end")}
    if constraint.acyclic is not None:
        found["acyclic",] = constraint.acyclic
    return found


def column_expression(name: str, table: str, spec: WorldSpec) -> Expression:
    """Compile a column by its name alone. Raises ExpressionError where the table has none of that name."""
    return compile_expression(f'"{name}"', table, spec)


def drawn_expressions(spec: WorldSpec, constraint: Constraint) -> list[Expression]:
    """Compile what a constraint reads, in terms of what is drawn, aggregated and ranked. Raises ExpressionError."""
    if constraint.sql is not None:
        return [inline_derived(compile_expression(constraint.sql, constraint.on, spec), spec)]
    names = dict.fromkeys(compared_columns(constraint).values())
    return [inline_derived(column_expression(name, constraint.on, spec), spec) for name in names]


_AS_MADE = ("names.composed", "names.transliterated")  # generators of names as unlike as what they are made of
_DISTINCTIVE = (
    "values.code",
    "values.sequence",
    "values.year_sequence",
)  # generators whose values tell one entity from another


def shared_attributes(spec: WorldSpec, type_name: str) -> list[str]:
    """List the attributes of a type that near twins have in common, but for one or two that are drawn for each.

    References and what `values.…` draws, but for codes. Left out are references with `capacity`, `where` or to the type
    itself,
    what a constraint between rows names, and what a name is made of that would not be unique else.
    """
    constrained: set[str] = set()
    for constraint in spec.constraints:
        if constraint.on == type_name and constraint.sql is None:
            constrained |= {path[0] for term in drawn_expressions(spec, constraint) for path in term.paths}
            constrained |= {constraint.redraw} if constraint.redraw is not None else set()
    name = spec.types[type_name].name
    if name.generator in _AS_MADE or not name.generator.startswith("names."):
        made_of = compile_parameters(spec, type_name, name.params)
        constrained |= {path[0] for expression in made_of.values() for path in expression.paths}
    return [
        key
        for key, attribute in spec.types[type_name].attributes.items()
        if key not in constrained and _may_be_shared(attribute, type_name)
    ]


def _may_be_shared(attribute: Attribute, type_name: str) -> bool:
    if attribute.references is not None:
        return attribute.references != type_name and (attribute.capacity, attribute.where) == (None, None)
    generator = attribute.generator or ""
    return generator.startswith("values.") and generator not in _DISTINCTIVE


_MADE_OF_OTHERS = ("names.composed", "names.transliterated", "names.short", "names.initials")


def draws_a_name(spec: WorldSpec, table: str, column: str) -> bool:
    """Say whether a column holds names that a generator draws, and does not write out of other columns."""
    if table in spec.types and column == "name":
        return spec.types[table].name.generator not in _MADE_OF_OTHERS
    source = drawn_columns(spec, table).get(column)
    generator = source.generator if source is not None else None
    return (generator or "").startswith("names.") and generator not in _MADE_OF_OTHERS


def types_with_composed_names(spec: WorldSpec) -> frozenset[str]:
    """Return the types whose names are put together out of columns, none of which has to do with a drawn name."""
    graph = dependency_graph(spec)
    drawn = {node for node in graph if draws_a_name(spec, *node)}
    return frozenset(name for name in spec.types if not drawn & {(name, "name"), *nx.ancestors(graph, (name, "name"))})
