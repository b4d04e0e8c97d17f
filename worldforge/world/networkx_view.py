"""A world's tables, or a part of them, in networkx: entities are nodes, references and relation rows are edges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import networkx as nx
import pyarrow as pa
import pyarrow.parquet as pq

from worldforge.core.errors import InputError
from worldforge.schema.column_paths import PREVIOUS
from worldforge.schema.spec import WorldSpec


def build_graph(
    spec: WorldSpec, entities: Mapping[str, pa.Table], relations: Mapping[str, pa.Table]
) -> nx.MultiDiGraph:
    """Build the graph of the given tables.

    A node is an entity id with the attributes `type`, `name`, and every column that is no reference. An edge's key is
    the reference's or the relation's name, and where a relation has several rows with the same ends the further ones
    are `name/2`, `name/3`; a relation's edge carries its columns, but `previous`: an edge has no id. Edges to entities
    of types that were not given are left out.
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
            graph.add_edges_from(_edges(name, rows))
    return graph


def check_size(spec: WorldSpec, folder: Path, types: Iterable[str], limit: int | None) -> None:
    """Raise InputError where the graph of some types of the world in `folder` has more nodes or edges than `limit`.

    They are counted without reading a table: rows and nulls as Parquet's own statistics have them.
    """
    n_nodes, n_edges = count_graph(spec, folder, types)
    if limit is not None and max(n_nodes, n_edges) > limit:
        raise InputError(
            f"the graph of {folder} has {n_nodes:,} nodes and {n_edges:,} edges; "
            f"networkx is asked for {limit:,} of either at most",
            "ask for less: some types by `world.graph([…])`, what lies around entities or a task by "
            "`world.neighbourhood(ids, hops=2)`, a part by `world.sample(1000)`; or lift the limit: "
            "`world.graph(limit=None)`",
        )


def count_graph(spec: WorldSpec, folder: Path, types: Iterable[str]) -> tuple[int, int]:
    """Count the nodes and edges that the graph of some types has, from the heads of their files."""
    chosen, n_nodes, n_edges = [*types], 0, 0
    for name in chosen:
        keys = [key for key, attribute in spec.types[name].attributes.items() if attribute.references in chosen]
        n_rows, n_filled = _filled(folder / "entities" / f"{name}.parquet", keys)
        n_nodes, n_edges = n_nodes + n_rows, n_edges + n_filled
    for name, relation in spec.relations.items():
        if {relation.source, relation.target} <= {*chosen}:
            n_edges += _filled(folder / "relations" / f"{name}.parquet", ())[0]
    return n_nodes, n_edges


def _filled(path: Path, columns: Iterable[str]) -> tuple[int, int]:
    """Return how many rows a file has, and how many cells of `columns` are not null."""
    try:
        head = pq.read_metadata(path)
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"{path} cannot be read: {error}", "build the world again: `worldforge build`") from error
    places = [head.schema.names.index(column) for column in columns]
    groups = [head.row_group(number).column(place) for number in range(head.num_row_groups) for place in places]
    nulls = (group.statistics.null_count for group in groups if group.is_stats_set)
    return head.num_rows, sum(group.num_values for group in groups) - sum(nulls)


def _edges(name: str, rows: Iterable[dict[str, Any]]) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    met: Counter[tuple[str, str]] = Counter()
    for row in rows:
        ends = row.pop("source"), row.pop("target")
        met[ends] += 1
        yield *ends, name if met[ends] == 1 else f"{name}/{met[ends]}", row


def _all_references(spec: WorldSpec, type_name: str) -> set[str]:
    return {key for key, attribute in spec.types[type_name].attributes.items() if attribute.references}


def _nodes(type_name: str, table: pa.Table, references: set[str]) -> Iterable[tuple[str, dict[str, object]]]:
    columns = [key for key in table.column_names if key not in references and key != "id"]
    for row in table.select(["id", *columns]).to_pylist():
        yield row.pop("id"), {"type": type_name, **row}
