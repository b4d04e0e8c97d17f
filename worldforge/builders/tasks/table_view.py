"""The columns of a table as arrays, with the rows for which pages state them.

view = TableView("club", tables, columns, evidence)
view.values, view.references          what tasks may ask about: columns, and chains of one and two references
view.further                          columns at the end of such chains
view.addresses                        columns of addresses of web pages
view.site_figures                     figures as single sites give them, by column and site
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
from worldforge.schema.column_paths import PREVIOUS
from worldforge.schema.table_columns import ColumnInfo
from worldforge.world.evidence import Evidence
from worldforge.world.site_figures import parted
from worldforge.world.stable_ids import entity_id, rows_of
from worldforge.world.task import CellKind
from worldforge.world.task_terms import Condition
from worldforge.world.value_text import as_written, canonical

Subset = npt.NDArray[np.int64]
"""Row numbers, ascending."""
Flags = npt.NDArray[np.bool_]
ENDS = {"source": "target", "target": "source"}
"""The other end of a relation's row, by either: it stands on the pages of both."""


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

    @property
    def cell_kind(self) -> CellKind:
        """What the column holds as a column of an answer."""
        return "address" if self.column.address else self.column.kind

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
        """The columns of plain values, name and addresses left out, that pages state for at least one row."""
        plain = [c for c in self.columns if not c.column.references and not c.column.address]
        return [c for c in plain if c.path != "name" and c.stated.any()]

    @cached_property
    def addresses(self) -> list[AskableColumn]:
        """The columns of web addresses that pages state; tasks ask for them, and have no conditions on them."""
        return [c for c in self.columns if c.column.address and c.stated.any()]

    @cached_property
    def references(self) -> list[AskableColumn]:
        """The chains of one and of two references that pages state for at least one row."""
        first = [one for one in self.columns if one.column.references and one.path != PREVIOUS]
        second = [
            self._open(str(one.column.references), column, one.codes, one)
            for one in first
            for column in self._columns[str(one.column.references)].values()
            if column.references
        ]
        return [chain for chain in first + second if chain.stated.any()]

    @cached_property
    def further(self) -> list[AskableColumn]:
        """What stands at the end of a reference, and which references at the end of two, where pages state it.

        Nobody asks of each actor how many actors were born in the same town.
        """
        found = [
            self._open(str(chain.column.references), column, chain.codes, chain)
            for chain in self.references
            for column in self._columns[str(chain.column.references)].values()
            if column.name != "name" and (column.references or "." not in chain.path) and column.counts != self.name
        ]
        return [one for one in found if one.stated.any()]

    @cached_property
    def site_figures(self) -> Mapping[str, Mapping[str, npt.NDArray[np.float64]]]:
        """The figures that sites give, by column and site: a row an entity, NaN where a site gives none."""
        found: dict[str, dict[str, npt.NDArray[np.float64]]] = {}
        for name in self._tables[self.name].column_names:
            column, site = parted(name)
            if site:
                held = self._tables[self.name][name].combine_chunks().cast(pa.float64())
                found.setdefault(column, {})[site] = held.to_numpy(zero_copy_only=False)
        return found

    def facts(self, path: str, rows: Subset, end: str = "") -> list[str]:
        """List the fact that the end of a path is for each of `rows`: `town/0012#region` for `town.region`.

        Of a relation, whose rows are asked for by their `end`, that is the name of who stands there; so it is for the
        other end of a row where no page states it.
        """
        table = self.name
        *steps, last = path.split(".")
        for step in steps:
            column = self._columns[table][step]
            rows = rows_of(self._tables[table][step])[rows]
            table = str(column.references)
        own = [f"{entity_id(table, row)}#{last}" for row in rows.tolist()]
        if not end or path not in ENDS:
            return own
        referred = self.column(path)
        stated = self._evidence.stated(table, path, rows) & (path != end)
        names = [f"{entity_id(str(referred.column.references), row)}#name" for row in referred.codes[rows].tolist()]
        return [one if known else name for one, name, known in zip(own, names, stated.tolist(), strict=True)]

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
        if "name" not in self._columns[table] and column.name in ENDS:  # either end of a row proves both
            stated = stated | self._evidence.stated(table, ENDS[column.name], rows)
        if before is not None:
            stated, path = stated & before.stated, f"{before.path}.{column.name}"
        return AskableColumn(column, path, stated, values, targets, target)
