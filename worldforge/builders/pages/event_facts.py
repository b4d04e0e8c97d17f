"""What pages about rows of a relation may state: the row, its participants, and rows that came before or beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from worldforge.builders.pages.conflicts.kind_statements import OWN_ROW
from worldforge.builders.pages.event_rows import RETOLD, reported_on, told_of_row
from worldforge.builders.pages.facts_in_passing import FactsInPassing
from worldforge.core.arrays import Integers
from worldforge.world.page_inputs import Event, Subject, Value

_N_EARLIER, _N_ALONGSIDE = 3, 4
_IN_PASSING = "passing"
"""In the place of an end: rows that a page is not about, of which it states the truth alone."""


@dataclass(frozen=True, slots=True)
class EventFacts(FactsInPassing):
    """Gives the generator of pages about rows what they may state, for a run of pages at a time."""

    def events(self, low: int, high: int) -> list[Event]:
        """Return the rows that the kind's pages `low` to `high` (not included) are about."""
        name, own = self.pages.kind.rows, self.pages.rows
        assert name is not None and own is not None
        rows, days = own[low:high], self.outline.days[self.pages.key][low:high]
        table, relation = self.outline.written.tables[name], self.pages.page_language.spec.relations[name]
        stated = [
            self._stated(name, column, rows, told_of_row(self.outline, self.pages, key)[rows], OWN_ROW)
            for key, column in table.columns.items()
        ]
        attributes = tuple(attribute for attribute, _ in stated)
        values = list(zip(*(values for _, values in stated), strict=True))
        other = self._participants(name, rows, days)
        earlier = self._in_passing_rows(name, self._rows_before(name, rows), days)
        alongside = self._in_passing_rows(name, self._rows_beside(name, rows), days)
        retold = (reported_on(self.outline, self.pages)[rows] == RETOLD).tolist()
        title = relation.title or name.replace("_", " ").capitalize()
        return [
            Event(
                key=name,
                title=title,
                attributes=attributes,
                values=values[place],
                is_retold=retold[place],
                other=other(place),
                earlier=earlier(place),
                alongside=alongside(place),
            )
            for place in range(len(rows))
        ]

    def _participants(
        self, name: str, rows: Integers, days: Integers
    ) -> Callable[[int], Callable[[str], Subject | None]]:
        """Give what the rows refer to, with facts that these pages may state of it; nothing that they get wrong."""
        columns = self.outline.written.tables[name].columns

        @cache
        def referred(key: str) -> list[Subject | None]:
            column = columns.get(key)
            wrong = column is not None and (self.pages.key, OWN_ROW, column.code) in self.outline.overrides.columns
            if column is None or column.targets is None or column.column.references is None or wrong:
                return [None] * len(rows)
            if not self.outline.asides:
                return [None] * len(rows)
            return self._in_passing(column.column.references, column.targets[rows], days)

        return lambda place: lambda key: referred(key)[place]

    def _rows_before(self, name: str, rows: Integers) -> Integers:
        """Return for each row the rows of the same source before it, the latest first, as (rows, n); -1 for none."""
        order, starts = self.outline.runs[name, "source"]
        sources = self.outline.written.tables[name].columns["source"].targets
        assert sources is not None
        place = np.empty(len(sources), np.int64)
        place[order] = np.arange(len(order))
        before = place[rows][:, None] - np.arange(1, _N_EARLIER + 1)
        return np.where(before >= starts[sources[rows]][:, None], order[np.maximum(before, 0)], -1)

    def _rows_beside(self, name: str, rows: Integers) -> Integers:
        """Return for each row those next to it in time that have another source, as (rows, n); -1 for none."""
        order = self.outline.written.tables[name].by_time
        sources = self.outline.written.tables[name].columns["source"].targets
        assert sources is not None
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        beside = place[rows][:, None] + np.array([-1, 1, -2, 2])[:_N_ALONGSIDE]
        found = np.where((beside >= 0) & (beside < len(order)), order[np.clip(beside, 0, len(order) - 1)], -1)
        return np.where(sources[found] != sources[rows][:, None], found, -1)

    def _in_passing_rows(
        self, name: str, others: Integers, days: Integers
    ) -> Callable[[int], Callable[[], list[dict[str, Value]]]]:
        """Give other rows than the pages' own, (pages, n), with what is known of them by the pages' days."""
        known = self.outline.row_asides.get(name, {})
        flat, when = others.ravel(), np.repeat(days, others.shape[1])

        @cache
        def found() -> list[dict[str, Value]]:
            columns = self.outline.written.tables[name].columns
            stated = [
                self._stated(name, columns[key], flat, (flat >= 0) & (since[flat] <= when), _IN_PASSING)
                for key, since in known.items()
            ]
            keys = [attribute.key for attribute, _ in stated]
            by_row = zip(*(values for _, values in stated), strict=True)
            return [{key: one for key, one in zip(keys, row, strict=True) if one is not None} for row in by_row]

        def of_page(place: int) -> list[dict[str, Value]]:
            own = found()[place * others.shape[1] : (place + 1) * others.shape[1]]
            return [row for row in own if "source" in row and "target" in row]

        return lambda place: lambda: of_page(place) if known else []
