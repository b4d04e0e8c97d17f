"""Splits entities into those for training tasks and those for evaluation tasks; no task is about both.

    sides.of("club")               bool array, true for evaluation
    sides.side(about, rows, terms)         "train", "evaluation", or nothing where a task would be about both

An exact share of the entities that the split begins with is drawn; what refers to one of them goes with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from worldforge.builders.tasks.table_view import Subset
from worldforge.core.chance import Stream
from worldforge.schema.column_paths import references_of
from worldforge.schema.spec import WorldSpec
from worldforge.schema.task_section import Split, TaskFamily
from worldforge.world.stable_ids import rows_of
from worldforge.world.task_terms import Term, to_plain

TRAIN, EVALUATION = "train", "evaluation"
_ID = re.compile(r'"([a-z][a-z0-9_]*/\d+)"')  # as JSON writes it


class SplitSides:
    """The two sides of a world's entities."""

    def __init__(self, spec: WorldSpec, split: Split, tables: Mapping[str, pa.Table]) -> None:
        self._spec, self._split, self._tables = spec, split, tables
        self._kept: dict[str, npt.NDArray[np.bool_]] = {}

    def of(self, name: str) -> npt.NDArray[np.bool_]:
        """Return for each entity of a type whether it is for evaluation."""
        if name not in self._kept:
            self._kept[name] = self._drawn(name)
        return self._kept[name]

    def side(self, about: str, rows: Subset, terms: Sequence[Term]) -> str:
        """Return the side of a task about `rows` of a type under `terms`; empty where it would be about both."""
        found = set(self.of(about)[rows].tolist())
        for id_ in named_entities(terms):
            table, _, row = id_.partition("/")
            if table in self._spec.types:
                found.add(bool(self.of(table)[int(row)]))
        if len(found) != 1:
            return ""
        return EVALUATION if found.pop() else TRAIN

    def _drawn(self, name: str) -> npt.NDArray[np.bool_]:
        """Draw the sides of a type; where it refers, over as few steps as may be, to where the split begins, follow."""
        n_rows = self._tables[name].num_rows
        targets = np.full(n_rows, -1, np.int64)
        root = self._split.by
        steps = _way(self._spec, name, root) if root is not None else None
        if steps:
            here, targets = name, np.arange(n_rows)
            for step in steps:
                there = rows_of(self._tables[here][step])
                targets = np.where(targets >= 0, there[np.maximum(targets, 0)], -1)
                here = references_of(self._spec, here)[step]
        (own,) = np.nonzero(targets < 0)
        drawn = np.zeros(n_rows, np.bool_)
        if root is not None and steps and len(own) < n_rows:
            drawn[targets >= 0] = self.of(root)[targets[targets >= 0]]
        order = own[np.argsort(Stream(self._spec.seed).child("split", name).uniform(own), kind="stable")]
        n_drawn = round(len(own) * self._split.evaluation)
        drawn[order[: min(max(n_drawn, 1), len(own) - 1) if len(own) > 1 else 0]] = True
        return drawn


def wanted(split: Split | None, family: TaskFamily) -> list[tuple[str, int]]:
    """Return how many tasks of a family are wanted of each side; without a split there is one, unnamed side."""
    if split is None:
        return [("", family.count)]
    n = round(family.count * split.evaluation)
    return [(TRAIN, family.count - n), (EVALUATION, n)]


def named_entities(terms: Sequence[Term]) -> list[str]:
    """Return the ids of the entities that conditions name or describe, however deep they lie."""
    return _ID.findall(json.dumps(to_plain(terms)))


def _way(spec: WorldSpec, start: str, end: str) -> list[str]:
    """Find the fewest references that lead from one type to another; none where it is the same, or none do."""
    ways: dict[str, list[str]] = {start: []}
    queue = [start]
    while queue and end not in ways:
        here = queue.pop(0)
        for column, there in references_of(spec, here).items():
            if there in spec.types and there not in ways:
                ways[there] = [*ways[here], column]
                queue.append(there)
    return ways.get(end, [])
