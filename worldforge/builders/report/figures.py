"""The numbers that a report draws, from an opened world."""

from __future__ import annotations

from collections import Counter
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.schema.column_paths import references_of
from worldforge.world.evidence import Evidence
from worldforge.world.task import Task
from worldforge.world.world import World

Counts = list[tuple[str, float]]

_MOST_NODES = 44
_NEIGHBOURS = 3  # of an entity, by each way that leads to or from it


def edges(world: World) -> list[tuple[str, str, str, pa.Array, pa.Array]]:
    """List what links entities: name, source type, target type, and the ids at both ends, nulls left out."""
    found = []
    for name in world.spec.types:
        table = world.entities(name)
        for column, target in references_of(world.spec, name).items():
            found.append((column, name, target, *_whole(table["id"], table[column])))
    for name, relation in world.spec.relations.items():
        table = world.relation(name)
        found.append((name, relation.source, relation.target, *_whole(table["source"], table["target"])))
    return found


def _whole(source: pa.ChunkedArray, target: pa.ChunkedArray) -> tuple[pa.Array, pa.Array]:
    there = pc.and_(pc.is_valid(source), pc.is_valid(target))
    return source.filter(there).combine_chunks(), target.filter(there).combine_chunks()


def degrees(world: World) -> list[tuple[float, float]]:
    """Count entities by how many references and relation rows they stand in: pairs of degree and entities."""
    ends = [pa.concat_arrays([source, target]) for *_, source, target in edges(world)]
    if not ends:
        return []
    each = pa.concat_arrays(ends).value_counts().field("counts").value_counts().to_pylist()
    return sorted((float(entry["values"]), float(entry["counts"])) for entry in each)


def sample_graph(world: World) -> nx.Graph:
    """Walk from the first entity of the largest type to its neighbours, until a few dozen are there.

    Nodes have `label` (the name) and `kind` (the type), edges `label`.
    """
    ways = edges(world)
    start = max(world.spec.types, key=lambda name: world.entities(name).num_rows)
    sample, waiting = nx.Graph(), [f"{start}/0000"]
    chosen = set(waiting)
    while waiting:
        here = waiting.pop(0)
        kind = here.partition("/")[0]
        for name, source, target, sources, targets in ways:
            for near, far, mine in ((sources, targets, source), (targets, sources, target)):
                if mine != kind:
                    continue
                for other in far.filter(pc.equal(near, here)).slice(0, _NEIGHBOURS).to_pylist():
                    if other not in chosen and len(chosen) < _MOST_NODES:
                        chosen.add(other)
                        waiting.append(other)
                    if other in chosen and other != here:
                        sample.add_edge(here, other, label=name)
    for node in sample:
        kind, row = node.split("/")
        sample.nodes[node].update(label=world.entities(kind)["name"][int(row)].as_py(), kind=kind)
    return sample


def top(values: pa.ChunkedArray | pa.Array, most: int = 10) -> tuple[Counts, str]:
    """Count values: the most frequent first; and say what is left out."""
    counted = Counter({str(entry["values"]): entry["counts"] for entry in values.value_counts().to_pylist()})
    ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    rest = sum(count for _, count in ordered[most:])
    said = f"{len(ordered) - most:,} other values in {rest:,}" if rest else ""
    return [(name, float(count)) for name, count in ordered[:most]], said


def pages_by_fact(mentions: pa.Table) -> npt.NDArray[np.float64]:
    """Return for each fact that is stated how many pages state it."""
    told = mentions.select(["fact", "page"]).group_by("fact").aggregate([("page", "count_distinct")])
    return told["page_count_distinct"].to_numpy().astype(np.float64)


def lengths(pages: pa.Table) -> npt.NDArray[np.float64]:
    """Return how many characters each page's text has."""
    return pc.utf8_length(pages["text"]).to_numpy().astype(np.float64)


def reasons(set_aside: pa.Table) -> tuple[Counts, str]:
    """Count tasks set aside by the gate that refused them: what stands before the reason's first colon."""
    return top(pc.list_element(pc.split_pattern(set_aside["reason"], ":", max_splits=1), 0))


def pages_behind(task: Task, evidence: Evidence, pages: pa.Table, most: int = 6) -> list[dict[str, Any]]:
    """Return the pages that state most of a task's facts: id, title, address, kind, and how many facts."""
    facts = task.needed_facts
    stating = [np.unique(evidence.page[evidence.of(fact)]) for fact in dict.fromkeys(facts)]
    counts = Counter(np.concatenate([np.empty(0, np.int64), *stating]).tolist())
    best = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:most]
    columns = pages.select(["id", "title", "url", "kind"])
    return [{**columns.slice(row, 1).to_pylist()[0], "facts": n} for row, n in best]
