"""A world's tables as a graph in numpy arrays: for worlds too large for networkx.

    graph = ArrayGraph(spec, entities, relations)
    graph.at(("club", 31), "founded")                  # 1904
    graph.at(("club", 31), "town")                     # ("town", 12): where a reference leads
    graph.pointing(("town", 12), "club", "town")       # the rows of clubs that refer to it

A node is a table and a row number: of a type, or of a relation, whose rows lead to their ends. References become arrays
of row numbers, and compressed sparse rows for the way back, when they are first asked for; values stay in Arrow.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.schema.column_paths import PREVIOUS, references_of
from worldforge.schema.spec import WorldSpec

Node = tuple[str, int]
"""A table, and a row of it."""
Rows = npt.NDArray[np.int64]


class ArrayGraph:
    """The tables of types and of relations, by name. A reference to a type that is not among them leads nowhere."""

    def __init__(self, spec: WorldSpec, entities: Mapping[str, pa.Table], relations: Mapping[str, pa.Table]) -> None:
        self._tables = {**entities, **relations}
        self._types, self._relations = tuple(entities), tuple(relations)
        self._refer = {
            name: {key: there for key, there in references_of(spec, name).items() if there in entities}
            for name in self._tables
        }
        self._targets = lru_cache(maxsize=None)(self._rows_referred_to)
        self._back = lru_cache(maxsize=None)(self._rows_by_target)
        self.rising = lru_cache(maxsize=None)(self._rising)

    def n_rows(self, table: str) -> int:
        """Return how many rows a table has; 0 where there is no such table."""
        return int(self._tables[table].num_rows) if table in self._tables else 0

    def references(self, table: str) -> Mapping[str, str]:
        """Return which columns of a table refer to which types."""
        return self._refer[table]

    def find(self, id_: str) -> Node | None:
        """Find the entity that an id names; None where there is none."""
        table, _, digits = id_.partition("/")
        if table not in self._types or not digits.isdecimal():
            return None
        row = int(digits)
        return (table, row) if row < self.n_rows(table) and self.id_of((table, row)) == id_ else None

    def id_of(self, node: Node) -> str:
        """Return the id of a row."""
        return str(self.at(node, "id"))

    def at(self, node: Node, column: str) -> Any:
        """Return a row's value, or the node that it refers to; None where it has none, or no such column."""
        table, row = node
        if column in self._refer.get(table, {}):
            target = int(self._targets(table, column)[row])
            return (self._refer[table][column], target) if target >= 0 else None
        return self._tables[table][column][row].as_py() if self._has(table, column) else None

    def pointing(self, node: Node, table: str, column: str) -> Rows:
        """Return the rows of a table whose column refers to a node, ascending."""
        if self._refer.get(table, {}).get(column) != node[0]:
            return np.empty(0, np.int64)
        order, starts = self._back(table, column)
        return order[starts[node[1]] : starts[node[1] + 1]]

    def _rows_referred_to(self, table: str, column: str) -> Rows:
        """Return the row that each reference of a column leads to; -1 for none."""
        ids = self._tables[self._refer[table][column]]["id"].combine_chunks()
        places = pc.fill_null(pc.index_in(self._tables[table][column].combine_chunks(), value_set=ids), -1)
        targets: Rows = places.cast(pa.int64()).to_numpy()
        return targets

    def _rows_by_target(self, table: str, column: str) -> tuple[Rows, Rows]:
        """Sort the rows of a table by what they refer to; return them, and where those of each target begin."""
        targets = self._targets(table, column)
        order = np.argsort(targets, kind="stable")
        n_targets = self.n_rows(self._refer[table][column])
        return order, np.searchsorted(targets[order], np.arange(n_targets + 1))

    def _rising(self, table: str, column: str) -> Rows:
        """Return the rows that have a value in a column, from the lowest to the highest."""
        if not self._has(table, column):
            return np.empty(0, np.int64)
        held = self._tables[table][column].combine_chunks()
        rows: Rows = pc.array_sort_indices(held)[: len(held) - held.null_count].to_numpy().astype(np.int64)
        return rows

    def _has(self, table: str, column: str) -> bool:
        """Say whether a table has a column; a relation's `previous` is none: its rows are no nodes."""
        known = table in self._tables and column in self._tables[table].column_names
        return known and not (column == PREVIOUS and table in self._relations)
