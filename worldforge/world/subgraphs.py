"""Build networkx graphs of a world: of whole tables, of what lies around entities, of samples.

    graph, part = ArrayGraph(…), nodes_within_hops(graph, [("club", 31)], hops=2, limit=500_000)
    build_graph(spec, *tables_of_part(graph, part))       # entities are nodes, references and relation rows are edges

A part is, for each type, the rows in it, ascending; all that links them is in it as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.core.chance import Stream
from worldforge.core.errors import InputError
from worldforge.schema.column_paths import PREVIOUS
from worldforge.schema.spec import WorldSpec
from worldforge.world.graph_arrays import ArrayGraph, Node, Rows
from worldforge.world.task import Task
from worldforge.world.task_terms import DescribedTerm, GivenEntities, leaves

Tables = Mapping[str, pa.Table]


def build_graph(spec: WorldSpec, entities: Tables, relations: Tables) -> nx.MultiDiGraph:
    """Build the graph of the given tables.

    A node is an entity id with the attributes `type`, `name`, and every column that is no reference. An edge's key is
    the reference's or the relation's name, and where a relation has several rows with the same ends the further ones
    are `name/2`, `name/3`; a relation's edge carries its columns, but `previous`: an edge has no id. Edges to entities
    of types that were not given are left out.
    """
    graph = nx.MultiDiGraph(name=spec.name)
    for name, table in entities.items():
        keys = [key for key, attribute in spec.types[name].attributes.items() if attribute.references]
        for row in table.drop_columns(keys).to_pylist():
            graph.add_node(row.pop("id"), type=name, **row)
    for name, table in entities.items():
        ids = table["id"].to_pylist()
        for key in _references(spec, name, entities):
            targets = table[key].to_pylist()
            graph.add_edges_from((s, t, key) for s, t in zip(ids, targets, strict=True) if t is not None)
    for name, table in _inner_relations(spec, entities, relations):
        rows = table.drop_columns(["id", *([PREVIOUS] if spec.relations[name].series else [])]).to_pylist()
        graph.add_edges_from(_edges(name, rows))
    return graph


def check_size(spec: WorldSpec, entities: Tables, relations: Tables, limit: int) -> None:
    """Raise InputError where the graph of the given tables has more nodes or edges than `limit`."""
    n_nodes = sum(table.num_rows for table in entities.values())
    n_edges = sum(table.num_rows for _, table in _inner_relations(spec, entities, relations))
    for name, table in entities.items():
        n_edges += sum(table.num_rows - table[key].null_count for key in _references(spec, name, entities))
    if max(n_nodes, n_edges) > limit:
        raise InputError(
            f"the graph has {n_nodes:,} nodes and {n_edges:,} edges, more than the limit of {limit:,}",
            "ask for less: some types by `world.graph([…])`, what lies around entities or a task by "
            "`world.neighbourhood(ids, hops=2)`, a part by `world.sample(1000)`; or lift the limit: "
            "`world.graph(limit=None)`",
        )


def _references(spec: WorldSpec, type_name: str, entities: Tables) -> list[str]:
    """List the columns of a type that refer to types in `entities`."""
    return [key for key, attribute in spec.types[type_name].attributes.items() if attribute.references in entities]


def _inner_relations(spec: WorldSpec, entities: Tables, relations: Tables) -> Iterator[tuple[str, pa.Table]]:
    """Yield the relations whose two ends are types in `entities`."""
    for name, table in relations.items():
        if spec.relations[name].source in entities and spec.relations[name].target in entities:
            yield name, table


def _edges(name: str, rows: Iterable[dict[str, Any]]) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    met: Counter[tuple[str, str]] = Counter()
    for row in rows:
        ends = row.pop("source"), row.pop("target")
        met[ends] += 1
        yield *ends, name if met[ends] == 1 else f"{name}/{met[ends]}", row


Part = Mapping[str, Rows]
_BRANCHES = 3  # neighbours through which a sample goes on from an entity
Seen = dict[str, npt.NDArray[np.bool_]]


def nodes_within_hops(graph: ArrayGraph, nodes: Iterable[Node], hops: int, limit: int | None) -> Part:
    """Find the entities within `hops` references or relation rows of `nodes`, in either direction.

    Raises InputError where there come to be more than `limit`.
    """
    if hops < 0:
        raise InputError(f"{hops} hops lead nowhere", "ask for 0 or more")
    seen = _nothing_seen(graph)
    edge = _by_type(nodes)
    for done in range(hops + 1):
        edge = _new(seen, edge)
        n_found = sum(int(found.sum()) for found in seen.values())
        if limit is not None and n_found > limit:
            raise InputError(
                f"{done} hops lead to {n_found:,} entities, and {limit:,} are asked for at most",
                "go fewer hops, begin at fewer entities, or lift the limit: `limit=None`",
            )
        if done < hops:
            edge = _joined(_steps(graph, edge))
    return {name: np.flatnonzero(found) for name, found in seen.items()}


def snowball_sample(graph: ArrayGraph, n_nodes: int, seed: int) -> Part:
    """Draw `n_nodes` connected entities: one, some of its neighbours, some of theirs, and so on.

    Of each entity's new neighbours those with the smallest draws are taken, at most 3 (snowball sampling, Goodman
    1961). Where that ends early it begins again elsewhere. The same world and seed give the same sample; there are
    fewer where the world has fewer. Raises InputError for a number below 0.
    """
    if n_nodes < 0:
        raise InputError(f"a sample of {n_nodes} entities cannot be drawn", "ask for 0 or more")
    draws = {name: Stream(seed).child("sample", name).uniform(np.arange(graph.n_rows(name))) for name in graph.types}
    starts = sorted((draw, name, row) for name in graph.types for row, draw in _smallest(draws[name], n_nodes))
    seen, n_left, waiting = _nothing_seen(graph), n_nodes, list[Node]()
    for _, name, row in starts:
        waiting.append((name, row))
        while waiting and n_left:
            here, at = waiting.pop(0)
            if seen[here][at]:
                continue
            seen[here][at] = True
            n_left -= 1
            near = {(there, one) for there, rows in _steps(graph, {here: np.array([at])}) for one in rows.tolist()}
            fresh = sorted((draws[there][one], there, one) for there, one in near if not seen[there][one])
            waiting += [(there, one) for _, there, one in fresh[:_BRANCHES]]
    return {name: np.flatnonzero(found) for name, found in seen.items()}


def tables_of_part(graph: ArrayGraph, part: Part) -> tuple[dict[str, pa.Table], dict[str, pa.Table]]:
    """Take the rows of a part out of the tables of types and relations; references out of it become null."""
    inside = _nothing_seen(graph)
    _new(inside, part)
    entities, relations = {}, {}
    for name in graph.types:
        rows = part[name]
        table = graph.table(name).take(pa.array(rows))
        for column, target in graph.references(name).items():
            kept = _within(inside[target], graph.reference(name, column).targets[rows])
            values = pc.if_else(pa.array(kept), table[column].combine_chunks(), pa.scalar(None, pa.string()))
            table = table.set_column(table.column_names.index(column), column, values)
        entities[name] = table
    for name in graph.relations:
        ends = graph.reference(name, "source"), graph.reference(name, "target")
        rows = np.sort(ends[0].rows_to_any(part[ends[0].target]))
        rows = rows[_within(inside[ends[1].target], ends[1].targets[rows])]
        relations[name] = graph.table(name).take(pa.array(rows))
    return entities, relations


def ids_of_task(task: Task) -> list[str]:
    """List the ids that a task is about: rows of its gold, what its conditions name; in order, each once."""
    ids = [fact.partition("#")[0] for fact in task.needed_facts]
    ids += [one.value for one in leaves(task.conditions)]
    ids += [id_ for term in task.conditions if isinstance(term, GivenEntities) for id_ in term.ids]
    ids += [term.value for term in task.conditions if isinstance(term, DescribedTerm)]
    return list(dict.fromkeys(ids))


def _steps(graph: ArrayGraph, edge: Part) -> Iterator[tuple[str, Rows]]:
    """Give what lies one step from some entities, either way: a type and rows of it, some more than once."""
    nothing = np.empty(0, np.int64)
    for name in graph.types:
        for column, target in graph.references(name).items():
            reference = graph.reference(name, column)
            ahead = reference.targets[edge.get(name, nothing)]
            yield target, ahead[ahead >= 0]
            if len(edge.get(target, nothing)):
                yield name, reference.rows_to_any(edge[target])
    for name in graph.relations:
        ends = graph.reference(name, "source"), graph.reference(name, "target")
        for near, far in (ends, ends[::-1]):
            if len(edge.get(near.target, nothing)):
                ahead = far.targets[near.rows_to_any(edge[near.target])]
                yield far.target, ahead[ahead >= 0]


def _joined(steps: Iterable[tuple[str, Rows]]) -> Part:
    rows: dict[str, list[Rows]] = {}
    for name, found in steps:
        rows.setdefault(name, []).append(found)
    return {name: np.concatenate(found) for name, found in rows.items()}


def _new(seen: Seen, edge: Part) -> Part:
    """Mark entities as seen; return those that were not, each once."""
    fresh = {}
    for name, rows in edge.items():
        rows = np.unique(rows)
        fresh[name] = rows[~seen[name][rows]]
        seen[name][rows] = True
    return fresh


def _nothing_seen(graph: ArrayGraph) -> Seen:
    return {name: np.zeros(graph.n_rows(name), np.bool_) for name in graph.types}


def _by_type(nodes: Iterable[Node]) -> Part:
    return _joined((name, np.array([row])) for name, row in nodes)


def _within(inside: npt.NDArray[np.bool_], rows: Rows) -> npt.NDArray[np.bool_]:
    return (rows >= 0) & inside[np.maximum(rows, 0)] if len(inside) else np.zeros(len(rows), np.bool_)


def _smallest(draws: npt.NDArray[np.float64], n: int) -> Iterator[tuple[int, float]]:
    rows = np.argsort(draws, kind="stable")[:n]
    return zip(rows.tolist(), draws[rows].tolist(), strict=True)
