"""A world's tables, or a part of them, in networkx: entities are nodes, references and relation rows are edges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import networkx as nx
import pyarrow as pa

from worldforge.core.errors import InputError
from worldforge.schema.column_paths import PREVIOUS
from worldforge.schema.spec import WorldSpec

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
