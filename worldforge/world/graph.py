"""A world's tables as a networkx graph: entities are nodes, references and relation rows are edges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import networkx as nx
import pyarrow as pa

from worldforge.schema.paths import PREVIOUS
from worldforge.schema.spec import WorldSpec


def build_graph(
    spec: WorldSpec, entities: Mapping[str, pa.Table], relations: Mapping[str, pa.Table]
) -> nx.MultiDiGraph:
    """Build the graph of the given tables.

    A node is an entity id with the attributes `type`, `name`, and every column that is no reference. An edge's key is
    the reference's or the relation's name; a relation's edge carries its columns, but `previous`: an edge has no id.
    Edges to entities of types that were not given are left out.
    """
    graph = nx.MultiDiGraph(name=spec.name)
    references = {
        name: [key for key, attribute in spec.types[name].attributes.items() if attribute.references in entities]
        for name in entities
    }
    for name, table in entities.items():
        graph.add_nodes_from(_nodes(name, table, _all_references(spec, name)))
    for name, table in entities.items():
        ids = table["id"].to_pylist()
        for key in references[name]:
            targets = table[key].to_pylist()
            graph.add_edges_from((s, t, key) for s, t in zip(ids, targets, strict=True) if t is not None)
    for name, table in relations.items():
        if spec.relations[name].source in entities and spec.relations[name].target in entities:
            rows = table.drop_columns(["id", *([PREVIOUS] if spec.relations[name].series else [])]).to_pylist()
            graph.add_edges_from((row.pop("source"), row.pop("target"), name, row) for row in rows)
    return graph


def _all_references(spec: WorldSpec, type_name: str) -> set[str]:
    return {key for key, attribute in spec.types[type_name].attributes.items() if attribute.references}


def _nodes(type_name: str, table: pa.Table, references: set[str]) -> Iterable[tuple[str, dict[str, object]]]:
    columns = [key for key in table.column_names if key not in references and key != "id"]
    for row in table.select(["id", *columns]).to_pylist():
        yield row.pop("id"), {"type": type_name, **row}
