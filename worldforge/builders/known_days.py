"""Compute the day from which each fact of a world can be stated.

A year or a date can be stated from that day on, a cell of a row once the row has begun, a reference once what it refers
to is there, and a derived cell once all the cells and rows that it is computed from can be. What lies after the world's
`as_of` is a plan, which can always be stated.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.core.arrays import Integers
from worldforge.schema.column_paths import derived_columns, drawn_columns, follow, references_of
from worldforge.schema.expressions import Aggregate, Expression, Ranking, compile_derived
from worldforge.schema.spec import WorldSpec
from worldforge.world.stable_ids import rows_of
from worldforge.world.value_text import kind_of

ALWAYS = np.iinfo(np.int64).min
"""The day of what can always be stated."""
_EPOCH = datetime.date(1970, 1, 1)


class KnownDays:
    """The days (counted from 1970-01-01) since when rows and cells of tables can be stated.

    `tables` are the world's: types and relations by name, references as ids.
    """

    def __init__(self, spec: WorldSpec, tables: Mapping[str, pa.Table]) -> None:
        self._spec, self._tables = spec, tables
        self.today = (datetime.date.fromisoformat(spec.as_of) - _EPOCH).days
        self.begun = lru_cache(maxsize=None)(self._begun)
        self.of = lru_cache(maxsize=None)(self._of)

    def _begun(self, table: str) -> Integers:
        """Return the earliest year or date that each row of a table holds; ALWAYS where it holds none."""
        first = np.full(self._tables[table].num_rows, np.iinfo(np.int64).max)
        for name in drawn_columns(self._spec, table):
            days = self._read(table, name)
            first = np.minimum(first, np.where(days == ALWAYS, first, days))
        return np.where(first <= self.today, first, ALWAYS)

    def _of(self, table: str, column: str) -> Integers:
        """Return since when each cell of a column can be stated, its row aside."""
        if column in derived_columns(self._spec, table):
            own = self._derived(table, column)
        else:
            own = self._read(table, column)
        own = np.where(own <= self.today, own, ALWAYS)
        target = references_of(self._spec, table).get(column)
        return np.maximum(own, _taken(self.begun(target), self._targets(table, column))) if target else own

    def _read(self, table: str, column: str) -> Integers:
        """Return the days of years and dates, of a year its first; ALWAYS for other columns and missing cells."""
        values = self._tables[table][column].combine_chunks()
        kind = kind_of(values.type)
        if kind == "date":
            return pc.fill_null(values.cast(pa.int32()).cast(pa.int64()), ALWAYS).to_numpy()
        if kind != "year":
            return np.full(len(values), ALWAYS)
        years = np.clip(pc.fill_null(values.cast(pa.int64()), 1).to_numpy(), 1, 9999) - 1970
        days = years.astype("datetime64[Y]").astype("datetime64[D]").astype(np.int64)
        return np.where(values.is_valid().to_numpy(zero_copy_only=False), days, ALWAYS)

    def _derived(self, table: str, column: str) -> Integers:
        """Return since when all that a derived column is computed from can be stated.

        An aggregate counts every row it runs over, whether its `where` chooses the row or not.
        """
        days = self._read(table, column)
        compiled = compile_derived(self._spec, table, column)
        if isinstance(compiled, Aggregate):
            over = compiled.over
            read = np.maximum(self._expression(compiled.expression), self.begun(over.table))
            read = read if compiled.where is None else np.maximum(read, self._expression(compiled.where))
            leads = self._reached(over.table, over.path)
            return np.maximum(days, _down_the_tree(leads, read)) if over.tree else _latest(days, leads, read)
        if isinstance(compiled, Ranking):
            return np.maximum(days, self._ranked(compiled, table))
        return np.maximum(days, self._expression(compiled))

    def _expression(self, expression: Expression) -> Integers:
        """Return since when all cells that an expression reads can be stated, for each row of its table."""
        days = np.full(self._tables[expression.table].num_rows, ALWAYS)
        for path in expression.paths:
            route = follow(self._spec, expression.table, path)
            rows = self._reached(expression.table, path[:-1])
            days = np.maximum(days, _taken(self.of(route.table, route.column), rows))
        return days

    def _ranked(self, ranking: Ranking, table: str) -> Integers:
        """Return the latest day of all rows that each row is ranked among."""
        days = np.maximum.reduce([self._expression(term) for term in ranking.terms])
        if ranking.within is None:
            return np.full(len(days), days.max(initial=ALWAYS))
        path = ranking.within.paths[0]
        route = follow(self._spec, table, path)
        target = references_of(self._spec, route.table)[route.column]
        rows = self._reached(table, path)
        group = np.full(self._tables[target].num_rows, ALWAYS)
        return _taken(_latest(group, rows, days), rows)

    def _reached(self, table: str, path: Sequence[str]) -> Integers:
        """Return the row that a path of references leads to from each row of a table; -1 for none."""
        rows = np.arange(self._tables[table].num_rows)
        for column in path:
            rows = _taken(self._targets(table, column), rows, -1)
            table = references_of(self._spec, table)[column]
        return rows

    def _targets(self, table: str, column: str) -> Integers:
        """Return the row that each reference of a column leads to; -1 for none."""
        return rows_of(self._tables[table][column])


def _taken(values: Integers, rows: Integers, missing: int = ALWAYS) -> Integers:
    """Return the value of each row, `missing` for row -1."""
    if not len(values):
        return np.full(len(rows), missing)
    return np.where(rows >= 0, values[rows], missing)


def _down_the_tree(parents: Integers, days: Integers) -> Integers:
    """Return the latest day of each row and of all rows below it; the parent of a root is -1."""
    while True:
        latest = _latest(days, parents, days)
        if np.array_equal(latest, days):
            return days
        days = latest


def _latest(days: Integers, groups: Integers, of: Integers) -> Integers:
    """Return `days`, or the latest day of each group where that is later; group -1 is none."""
    latest = days.copy()
    np.maximum.at(latest, groups[groups >= 0], of[groups >= 0])
    return latest
