"""What could be known on a day: since when entities exist, and which of their facts had come about."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.pages.conflicts.overrides import Mask
from worldforge.builders.pages.rendered_values import RenderedColumn, RenderedTables
from worldforge.core.arrays import Integers
from worldforge.schema.column_paths import derived_columns, drawn_columns
from worldforge.schema.expressions import Aggregate, columns_read, compile_derived
from worldforge.schema.spec import WorldSpec

_EPOCH = datetime.date(1970, 1, 1)
ALWAYS = -(2**40)  # a day before all others
_TIMES = ("year", "date")


def days_of(years: float) -> float:
    """Return how many days so many years have."""
    return years * 365.25


def today(spec: WorldSpec) -> int:
    """Return the world's today, in days from 1 January 1970."""
    return (datetime.date.fromisoformat(spec.as_of) - _EPOCH).days


@dataclass(frozen=True, slots=True)
class ShownRows:
    """The rows of a table that a kind of page shows: of its type, or of a relation from one of its ends.

    `columns` are those that it states of them; None for all that it may.
    """

    end: str
    table: str
    page: Integers
    columns: tuple[str, ...] | None = None


@dataclass(frozen=True)
class KnownSince:
    """When the rows and cells of a world's tables came about. Days are counted from 1 January 1970."""

    spec: WorldSpec
    written: RenderedTables
    since: Mapping[str, Integers]
    """Of each table, the earliest day that a row tells of; what tells of none has always been."""
    at: Mapping[int, Integers]
    """Of each column of years or dates, by code, the day of each cell (of a year, its first; 0 where missing)."""
    unsettled: frozenset[tuple[str, str]]
    """Derived columns that were another value before."""

    def existed(self, listed: ShownRows, back: Integers) -> Mask:
        """Say which rows of a relation had begun `back` days ago, both ends there; of what 0 days ago, all."""
        if not listed.end:
            return np.ones(len(back), np.bool_)
        return self._then(self.begun(listed), back)

    def begun(self, listed: ShownRows) -> Integers:
        """Return since when the rows of a table are there; of a relation, since when both ends are."""
        since = self.since[listed.table]
        for end in ("source", "target") if listed.end else ():
            targets = self.written.tables[listed.table].columns[end].targets
            type_name = getattr(self.spec.relations[listed.table], end)
            assert targets is not None
            since = np.maximum(since, np.where(targets >= 0, self.since[type_name][targets], ALWAYS))
        return since

    def known(self, table: str, column: RenderedColumn, back: Integers) -> Mask:
        """Say which cells of a column could be stated as they are `back` days ago; of what 0 days ago, all."""
        if (table, column.column.name) in self.unsettled:
            none: Mask = back == 0
            return none
        if column.code in self.at:
            return self._then(self.at[column.code], back)
        if column.targets is not None:
            return self.met(column, column.targets, back)
        return np.ones(len(back), np.bool_)

    def met(self, column: RenderedColumn, targets: Integers, back: Integers) -> Mask:
        """Say which of the entities that a reference leads to were there `back` days ago."""
        since = self.since.get(column.column.references or "")
        return self._then(np.where(targets >= 0, since[targets], ALWAYS), back) if since is not None else back >= 0

    def happened(self, column: RenderedColumn, rows: Integers, back: Integers) -> Mask:
        """Say of which `rows` the column's year or date had come `back` days ago."""
        return self._then(self.at[column.code][rows], back)

    def _then(self, since: Integers, back: Integers) -> Mask:
        then: Mask = (back == 0) | (since <= today(self.spec) - back)
        return then


def read_times(spec: WorldSpec, written: RenderedTables, tables: Mapping[str, pa.Table]) -> KnownSince:
    """Read off the tables when their rows and cells came about."""
    at: dict[int, Integers] = {}
    since: dict[str, Integers] = {}
    for name, table in written.tables.items():
        since[name] = np.full(table.n_rows, np.iinfo(np.int64).max)
        for key, column in table.columns.items():
            if column.column.kind in _TIMES:
                days = _days(tables[name][key])
                at[column.code] = np.where(days == ALWAYS, 0, days)
                if not column.column.derived:
                    since[name] = np.minimum(since[name], np.where(days == ALWAYS, since[name], days))
        since[name][since[name] == np.iinfo(np.int64).max] = ALWAYS
    return KnownSince(spec, written, since, at, _unsettled(spec, written))


def _days(column: pa.ChunkedArray) -> Integers:
    values = column.combine_chunks()
    if pa.types.is_date(values.type):
        days = pc.fill_null(values.cast(pa.int32()).cast(pa.int64()), ALWAYS).to_numpy()
    else:
        years: npt.NDArray[np.int64] = pc.fill_null(values.cast(pa.int64()), ALWAYS).to_numpy()
        sane = np.clip(years, 1, 9999) - 1970
        days = np.where(years == ALWAYS, ALWAYS, sane.astype("datetime64[Y]").astype("datetime64[D]").astype(np.int64))
    return days.astype(np.int64)


def _unsettled(spec: WorldSpec, written: RenderedTables) -> frozenset[tuple[str, str]]:
    """List the derived columns that rest on what varies, on a time, or on rows that were fewer before."""
    found: set[tuple[str, str]] = set()
    derived = [(table, name) for table in spec.types for name in derived_columns(spec, table)]
    for _ in derived:  # as often as a chain of them may be long
        before = len(found)
        found.update(node for node in derived if node not in found and _rests_on_time(spec, written, node, found))
        if len(found) == before:
            break
    return frozenset(found)


def _rests_on_time(
    spec: WorldSpec, written: RenderedTables, node: tuple[str, str], found: set[tuple[str, str]]
) -> bool:
    compiled = compile_derived(spec, *node)
    read = list(columns_read(compiled, spec))
    if isinstance(compiled, Aggregate):
        read += [(compiled.over.table, name) for name in drawn_columns(spec, compiled.over.table)]
    for table, name in read:
        drawn = drawn_columns(spec, table).get(name)
        column = written.tables[table].columns.get(name)
        timed = column is not None and column.column.kind in _TIMES
        if (table, name) in found or timed or (drawn is not None and drawn.varies):
            return True
    return False
