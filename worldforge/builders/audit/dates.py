"""Check that no page states what came after its own day: years, dates, and rows that had not begun.

What lies after the world's today is a plan, and may stand on any page.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.audit.finding import MOST_SHOWN, Finding, Tally
from worldforge.core.columns import ValueKind
from worldforge.schema.columns import columns_of
from worldforge.schema.paths import drawn_columns
from worldforge.schema.spec import WorldSpec
from worldforge.world.ids import rows_of, split_facts
from worldforge.world.passages import Positions
from worldforge.world.stored import Table, parts
from worldforge.world.tables import TRUE_STANCES

_NEVER = np.iinfo(np.int64).min
_EPOCH = datetime.date(1970, 1, 1)


def check_dates(spec: WorldSpec, tables: Mapping[str, pa.Table], pages: Table, mentions: Table) -> Finding:
    """Compare the day of each page with the days of what it states as it is in the tables."""
    tally, days = Tally("dates"), _Days(spec, tables)
    published = pc.fill_null(pages["published"].combine_chunks().cast(pa.int32()), 2**31 - 1).to_numpy()
    for part in parts(mentions, ["page", "fact", "stance"]):
        true = pc.is_in(part["stance"].combine_chunks(), value_set=pa.array(TRUE_STANCES))
        part = part.filter(true).combine_chunks()
        columns, codes, rows = split_facts(part["fact"].combine_chunks())
        day = published[rows_of(part["page"])]
        for code, name in enumerate(columns):
            own = np.flatnonzero(codes == code)
            stated = days.of(*name.split("#"))[rows[own]]
            tally.checked(int((stated != _NEVER).sum()))
            late = own[(stated > day[own]) & (stated <= days.today)]
            shown = [
                f"{part['page'][row].as_py()}, of {_EPOCH + datetime.timedelta(int(day[row]))}, states "
                f"{part['fact'][row].as_py()}, which came later"
                for row in late[:MOST_SHOWN].tolist()
            ]
            tally.failed(shown, len(late))
    return tally.finding()


class _Days:
    """The day from which each fact can be stated, by column."""

    def __init__(self, spec: WorldSpec, tables: Mapping[str, pa.Table]) -> None:
        self._spec, self._tables = spec, tables
        self.today = (datetime.date.fromisoformat(spec.as_of) - _EPOCH).days
        self.of = lru_cache(maxsize=None)(self._of)
        self._begun = lru_cache(maxsize=None)(self._rows_begun)

    def _of(self, table: str, column: str) -> Positions:
        """Return the day of each cell: that of its year or date where it is one, and when its row began."""
        if column == "name" or table not in self._tables or column not in self._tables[table].column_names:
            return np.full(self._tables[table].num_rows if table in self._tables else 0, _NEVER)
        columns = columns_of(self._spec, table)
        kind: ValueKind | None = columns[column].kind if column in columns else None
        own = _as_days(self._tables[table][column], kind)
        own = np.where(own <= self.today, own, _NEVER)
        return np.maximum(own, self._begun(table))

    def _rows_begun(self, table: str) -> Positions:
        """Return the earliest year or date that each row of a table tells of."""
        first: npt.NDArray[np.int64] = np.full(self._tables[table].num_rows, np.iinfo(np.int64).max)
        columns = columns_of(self._spec, table)
        for name in drawn_columns(self._spec, table):
            days = _as_days(self._tables[table][name], columns[name].kind)
            first = np.minimum(first, np.where(days == _NEVER, first, days))
        return np.where(first <= self.today, first, _NEVER)


def _as_days(column: pa.ChunkedArray, kind: ValueKind | None) -> Positions:
    """Return the days of years and dates, of a year its first; no day for other columns, and for missing cells."""
    values = column.combine_chunks()
    if kind == "date":
        return pc.fill_null(values.cast(pa.int32()).cast(pa.int64()), _NEVER).to_numpy()
    if kind != "year":
        return np.full(len(values), _NEVER)
    years = np.clip(pc.fill_null(values.cast(pa.int64()), 1).to_numpy(), 1, 9999) - 1970
    days = years.astype("datetime64[Y]").astype("datetime64[D]").astype(np.int64)
    return np.where(values.is_valid().to_numpy(zero_copy_only=False), days, _NEVER)
