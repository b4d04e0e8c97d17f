"""Build networkx graphs of a world: of whole tables, of what lies around entities, of samples.

ids = ids_within_hops(edges_of(spec, tables), ["club/0031"], hops=2, limit=500_000)
build_graph(spec, *tables_of_part(spec, tables, ids))    # entities are nodes, references and relation rows edges
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.core.chance import Stream
from worldforge.core.errors import InputError
from worldforge.schema.column_paths import PREVIOUS, references_of
from worldforge.schema.spec import WorldSpec
from worldforge.world.database import connect
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


_BRANCHES = 3  # neighbours through which a sample goes on from an entity


def edges_of(spec: WorldSpec, tables: Tables) -> pa.Table:
    """Return the ids of both ends of every reference between entities and of every relation row: source, target."""
    pairs = [(tables[name]["id"], tables[name][key]) for name in spec.types for key in references_of(spec, name)]
    pairs += [(tables[name]["source"], tables[name]["target"]) for name in spec.relations]
    listed = [pa.table({"source": source, "target": target}) for source, target in pairs]
    nothing = pa.schema([("source", pa.string()), ("target", pa.string())]).empty_table()
    return pa.concat_tables([nothing, *listed]).drop_null()


_EITHER_WAY = "SELECT source AS near, target AS far FROM edges UNION ALL SELECT target, source FROM edges"


def ids_within_hops(edges: pa.Table, ids: Iterable[str], hops: int, limit: int | None) -> pa.Array:
    """Find the entities within `hops` edges of some entities, in either direction.

    Raises InputError where there come to be more than `limit`.
    """
    if hops < 0:
        raise InputError(f"{hops} hops lead nowhere", "ask for 0 or more")
    database = connect({"edges": edges, "found": pa.table({"id": pa.array(sorted(set(ids)), pa.string())})})
    database.execute("ALTER TABLE found ADD COLUMN hop INTEGER DEFAULT 0")
    for hop in range(hops + 1):
        if hop:
            database.execute(
                f"INSERT INTO found (id, hop) SELECT DISTINCT far, {hop} FROM ({_EITHER_WAY}) "
                f"WHERE near IN (SELECT id FROM found WHERE hop = {hop - 1}) AND far NOT IN (SELECT id FROM found)"
            )
        (n_found,) = database.sql("SELECT count(*) FROM found").fetchall()[0]
        if limit is not None and n_found > limit:
            raise InputError(
                f"{hop} hops lead to {n_found:,} entities, and {limit:,} are asked for at most",
                "go fewer hops, begin at fewer entities, or lift the limit: `limit=None`",
            )
    return database.sql("SELECT id FROM found").to_arrow_table()["id"]


def snowball_sample(spec: WorldSpec, tables: Tables, n_nodes: int, seed: int) -> pa.Array:
    """Draw `n_nodes` connected entities: one, some of its neighbours, some of theirs, and so on; return their ids.

    Of each entity's new neighbours those with the smallest draws are taken, at most 3 (snowball sampling, Goodman
    1961). Where that ends early it begins again elsewhere, each time at twice as many places. The same world and seed
    give the same sample; there are fewer where the world has fewer. Raises InputError for a number below 0.
    """
    if n_nodes < 0:
        raise InputError(f"a sample of {n_nodes} entities cannot be drawn", "ask for 0 or more")
    draws = [
        pa.table(
            {"id": tables[name]["id"], "draw": Stream(seed).child("sample", name).uniform(np.arange(len(tables[name])))}
        )
        for name in spec.types
    ]
    nothing = pa.schema([("id", pa.string())]).empty_table()
    database = connect({"edges": edges_of(spec, tables), "nodes": pa.concat_tables(draws), "found": nothing})
    database.execute("ALTER TABLE found ADD COLUMN turn INTEGER")
    turn, n_starts, n_left = 0, 1, min(n_nodes, sum(map(len, draws)))
    while n_left:
        new = f"""
            SELECT id FROM (
                SELECT id, draw, row_number() OVER (PARTITION BY near ORDER BY draw, id) AS place
                FROM (
                    SELECT DISTINCT near, far AS id FROM ({_EITHER_WAY})
                    WHERE near IN (SELECT id FROM found WHERE turn = {turn}) AND far NOT IN (SELECT id FROM found)
                ) JOIN nodes USING (id)
            ) WHERE place <= {_BRANCHES} GROUP BY id ORDER BY min(draw), id LIMIT {n_left}
        """
        start = f"""
            SELECT id FROM nodes WHERE id NOT IN (SELECT id FROM found) ORDER BY draw, id LIMIT {min(n_starts, n_left)}
        """
        for query in (new, start):
            (n_new,) = database.execute(
                f"INSERT INTO found (id, turn) SELECT id, {turn + 1} FROM ({query})"
            ).fetchall()[0]
            if n_new:
                break
            n_starts *= 2
        turn, n_left = turn + 1, n_left - n_new
    return database.sql("SELECT id FROM found").to_arrow_table()["id"]


def tables_of_part(spec: WorldSpec, tables: Tables, ids: pa.Array) -> tuple[dict[str, pa.Table], dict[str, pa.Table]]:
    """Take some entities and what links them out of the tables of types and relations.

    References out of the part become null.
    """
    entities, relations = {}, {}
    for name in spec.types:
        table = tables[name].filter(pc.is_in(tables[name]["id"], ids))
        for key in references_of(spec, name):
            inside = pc.if_else(pc.is_in(table[key], ids), table[key], pa.scalar(None, pa.string()))
            table = table.set_column(table.column_names.index(key), key, inside)
        entities[name] = table
    for name in spec.relations:
        table = tables[name]
        relations[name] = table.filter(pc.and_(pc.is_in(table["source"], ids), pc.is_in(table["target"], ids)))
    return entities, relations


def ids_of_task(task: Task) -> list[str]:
    """List the ids that a task is about: rows of its gold, what its conditions name; in order, each once."""
    ids = [fact.partition("#")[0] for fact in task.needed_facts]
    ids += [one.value for one in leaves(task.conditions)]
    ids += [id_ for term in task.conditions if isinstance(term, GivenEntities) for id_ in term.ids]
    ids += [term.value for term in task.conditions if isinstance(term, DescribedTerm)]
    return list(dict.fromkeys(ids))
