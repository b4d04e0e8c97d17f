"""The columns of a type as arrays, with the facts of them that pages state."""

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
from worldforge.world.value_text import as_written

Subset = npt.NDArray[np.int64]
"""Row numbers of the entities in question."""


class Groups:
    """Rows by the code they have (-1 for none): how many each code has, and which, over all rows or over some."""

    def __init__(self, codes: Subset) -> None:
        self._codes = codes
        self._order = np.argsort(codes, kind="stable")
        self._starts = np.searchsorted(codes[self._order], np.arange(int(codes.max(initial=-1)) + 2))
        self._sizes = np.diff(self._starts)

    def counts(self, rows: Subset | None) -> Subset:
        """Count the rows of each code; None stands for all."""
        if rows is None:
            return self._sizes
        codes = self._codes[rows]
        return np.bincount(codes[codes >= 0], minlength=1)

    def codes(self, rows: Subset | None, least: int, most: int) -> Subset:
        """Return the codes that so many rows have, ascending; None stands for all."""
        counts = self.counts(rows)
        return np.flatnonzero((counts >= least) & (counts <= most))

    def members(self, rows: Subset | None, code: int) -> Subset:
        """Return the rows of one code, ascending."""
        if rows is None:
            return self._order[self._starts[code] : self._starts[code + 1]]
        return rows[self._codes[rows] == code]


@dataclass(frozen=True)
class _AskableColumn:
    """What can be asked about each entity of a type, and whether pages state it of each."""

    column: ColumnInfo
    stated: npt.NDArray[np.bool_]

    def is_stated(self, rows: Subset) -> bool:
        """Return whether pages state the column for all of `rows`."""
        return self._of_all or bool(self.stated[rows].all())

    @cached_property
    def _of_all(self) -> bool:
        return bool(self.stated.all())


@dataclass(frozen=True)
class ReferenceChain(_AskableColumn):
    """A chain of references: the row each entity refers to (-1 for none), and the names and ids over there."""

    path: str
    rows: Subset
    names: pa.ChunkedArray
    ids: pa.ChunkedArray

    @cached_property
    def groups(self) -> Groups:
        """The entities by the row they refer to."""
        return Groups(self.rows)


@dataclass(frozen=True)
class ValueColumn(_AskableColumn):
    """A column of plain values: sortable numbers for ordered kinds, dictionary codes for text and boolean."""

    values: pa.Array

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
    def rising(self) -> Subset:
        """The rows that have a value, from the lowest to the highest."""
        order = np.argsort(self.numbers, kind="stable")
        return order[: len(order) - int(np.isnan(self.numbers).sum())]

    @cached_property
    def encoded(self) -> tuple[Groups, list[str]]:
        """The entities by their distinct value, and those values as text."""
        encoded = as_written(self.values, self.column.kind).dictionary_encode()
        codes = pc.fill_null(encoded.indices.cast(pa.int64()), -1).to_numpy(zero_copy_only=False)
        return Groups(codes), encoded.dictionary.to_pylist()


class TypeView:
    """The columns of one type that tasks may ask about."""

    def __init__(
        self,
        name: str,
        tables: Mapping[str, pa.Table],
        columns: Mapping[str, Mapping[str, ColumnInfo]],
        evidence: Evidence,
    ) -> None:
        self.name = name
        self.n_rows = tables[name].num_rows
        self._tables, self._columns, self._evidence = tables, columns, evidence

    @cached_property
    def values(self) -> list[ValueColumn]:
        """The columns of plain values, the name left out, that pages state for at least one entity."""
        chosen = [c for c in self._columns[self.name].values() if not c.references and c.name != "name"]
        views = [ValueColumn(c, self._stated(c.name), self._tables[self.name][c.name].combine_chunks()) for c in chosen]
        return [view for view in views if view.stated.any()]

    @cached_property
    def references(self) -> list[ReferenceChain]:
        """The chains of one and of two references."""
        everyone = np.arange(self.n_rows)
        first = self._follow("", self.name, everyone, np.ones(self.n_rows, np.bool_))
        second = [deeper for r in first for deeper in self._follow(r.path, str(r.column.references), r.rows, r.stated)]
        return [reference for reference in first + second if reference.stated.any()]

    @cached_property
    def named(self) -> npt.NDArray[np.bool_]:
        """Whether pages state the entity's name, for each entity."""
        return self._stated("name")

    def _follow(self, path: str, table: str, rows: Subset, stated: npt.NDArray[np.bool_]) -> list[ReferenceChain]:
        found = []
        for column in self._columns[table].values():
            if column.references:
                there = np.where(rows >= 0, rows_of(self._tables[table][column.name])[np.maximum(rows, 0)], -1)
                target = self._tables[column.references]
                known = stated & self._evidence.stated(table, column.name, rows)
                name = f"{path}.{column.name}".lstrip(".")
                found.append(ReferenceChain(column, known, name, there, target["name"], target["id"]))
        return found

    def _stated(self, column: str) -> npt.NDArray[np.bool_]:
        return self._evidence.stated(self.name, column, np.arange(self.n_rows))
