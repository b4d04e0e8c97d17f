"""The columns of a table as arrays, with the rows for which pages state them.

view = TableView("club", tables, columns, evidence)
view.values, view.references          what tasks may ask about: columns, and chains of one and two references
view.column("founded").numbers        float array, a row an entity
view.column("town").codes             the row of the town that each club refers to, -1 for none
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.core.english import is_superlative
from worldforge.schema.table_columns import ColumnInfo
from worldforge.world.evidence import Evidence
from worldforge.world.stable_ids import rows_of
from worldforge.world.task_terms import Condition
from worldforge.world.value_text import as_written, canonical

Subset = npt.NDArray[np.int64]
"""Row numbers, ascending."""
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class AskableColumn:
    """A column, or the end of a chain of references.

    `stated` marks the rows for which pages state it, and all on the way there. `values` are what it holds; of a chain
    of references `targets` are the rows of the table `target` that it leads to, -1 where it leads nowhere.
    """

    column: ColumnInfo
    path: str
    stated: Flags
    values: pa.Array
    targets: Subset
    target: pa.Table | None = None

    @property
    def ordered(self) -> bool:
        """Whether the values have bounds: numbers, years and dates; not ranks, where 1 is the highest."""
        return not self.column.rank and self.column.kind in ("integer", "year", "number", "date")

    @property
    def comparable(self) -> bool:
        """Whether one may ask who has the most or the least of it: not where its label is a superlative already."""
        return self.ordered and not is_superlative(self.column.label)

    @cached_property
    def numbers(self) -> npt.NDArray[np.float64]:
        """The values as numbers (dates as days since 1970-01-01); NaN where one is missing."""
        values = self.values.cast(pa.int32()) if self.column.kind == "date" else self.values
        return pc.fill_null(values.cast(pa.float64()), float("nan")).to_numpy(zero_copy_only=False)

    @cached_property
    def codes(self) -> Subset:
        """A number for each distinct value, -1 where it is missing; of references the row referred to."""
        if self.target is not None:
            return self.targets
        return pc.fill_null(self._encoded.indices.cast(pa.int64()), -1).to_numpy(zero_copy_only=False)

    @cached_property
    def _encoded(self) -> pa.DictionaryArray:
        return self.values.dictionary_encode()

    def is_stated(self, rows: Subset) -> bool:
        """Return whether pages state the column for all of `rows`."""
        return bool(self.stated[rows].all())

    def equals(self, code: int) -> Condition:
        """Return the condition that the column has the value, or refers to the entity, of a code."""
        if self.target is not None:
            id_, name = (self.target[column][code].as_py() for column in ("id", "name"))
            return Condition(self.path, "=", id_, name, "text")
        value, kind = self._encoded.dictionary.slice(code, 1), self.column.kind
        return Condition(self.path, "=", canonical(value, kind)[0].as_py(), as_written(value, kind)[0].as_py(), kind)


class TableView:
    """The columns of one type or relation. `columns` are those of all tables."""

    def __init__(
        self,
        name: str,
        tables: Mapping[str, pa.Table],
        columns: Mapping[str, Mapping[str, ColumnInfo]],
        evidence: Evidence,
    ) -> None:
        self.name = name
        self.n_rows = tables[name].num_rows
        self.everyone = np.arange(self.n_rows)
        self._tables, self._columns, self._evidence = tables, columns, evidence
        self._opened: dict[str, AskableColumn] = {}

    def column(self, name: str) -> AskableColumn:
        """Return one of the table's own columns."""
        if name not in self._opened:
            self._opened[name] = self._open(self.name, self._columns[self.name][name], self.everyone)
        return self._opened[name]

    @property
    def columns(self) -> list[AskableColumn]:
        """All of the table's own columns."""
        return [self.column(name) for name in self._columns[self.name]]

    @cached_property
    def values(self) -> list[AskableColumn]:
        """The columns of plain values, the name left out, that pages state for at least one row."""
        return [c for c in self.columns if not c.column.references and c.path != "name" and c.stated.any()]

    @cached_property
    def references(self) -> list[AskableColumn]:
        """The chains of one and of two references that pages state for at least one row."""
        first = [one for one in self.columns if one.column.references]
        second = [
            self._open(str(one.column.references), column, one.codes, one)
            for one in first
            for column in self._columns[str(one.column.references)].values()
            if column.references
        ]
        return [chain for chain in first + second if chain.stated.any()]

    @cached_property
    def named(self) -> Flags:
        """Whether pages state the entity's name, for each entity."""
        return self.column("name").stated

    def _open(self, table: str, column: ColumnInfo, rows: Subset, before: AskableColumn | None = None) -> AskableColumn:
        """Read a column of `table` at `rows` of it, where the reference `before` leads."""
        values, target = self._tables[table][column.name].combine_chunks(), None
        stated, path, targets = self._evidence.stated(table, column.name, rows), column.name, np.empty(0, np.int64)
        if column.references:
            target = self._tables[column.references]
            targets = np.where(rows >= 0, rows_of(values)[np.maximum(rows, 0)], -1) if len(values) else rows
        if before is not None:
            stated, path = stated & before.stated, f"{before.path}.{column.name}"
        return AskableColumn(column, path, stated, values, targets, target)
