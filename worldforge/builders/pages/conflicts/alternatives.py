"""Other values of a column than its own: what was so before, what is wrong. Rows and streams decide which."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.pages.conflicts.known_at import KnownSince, today
from worldforge.builders.pages.conflicts.overrides import Mask
from worldforge.builders.pages.conflicts.wrong_figures import Figures, Rounding, former, mistaken, rounding_of
from worldforge.builders.pages.rendered_values import RenderedColumn, RenderedTables
from worldforge.core.arrays import Integers
from worldforge.core.chance import Stream
from worldforge.core.columns import ARROW_TYPES
from worldforge.world.value_formats import ValueFormat, write_in
from worldforge.world.value_text import as_written, read_value

_TRIES = 4  # rows looked at for another value
_FIGURES = ("integer", "number")
_MOST_YEARS_OFF = 9
_OPPOSITE = {"source": "target", "target": "source"}


@dataclass(frozen=True, slots=True)
class AlternativeValues:
    """Other values for some `rows` of a column: as written, unlike the table's, and what a reference leads to."""

    rows: Integers
    cells: pa.Array
    targets: Integers | None

    def where(self, kept: Mask) -> AlternativeValues:
        """Keep the values of the rows for which `kept` (a row of the table each) is true."""
        own = np.flatnonzero(kept[self.rows])
        targets = self.targets[own] if self.targets is not None else None
        return AlternativeValues(self.rows[own], self.cells.take(pa.array(own)), targets)

    def written_in(self, form: ValueFormat) -> AlternativeValues:
        """Return the same values as a site writes them that has a form of its own."""
        if not form.alters or not len(self.rows):
            return self
        if form.kind == "date":
            encoded = self.cells.dictionary_encode()
            days = [read_value(text, "date") for text in encoded.dictionary.to_pylist()]
            held = pa.array(days, pa.date32()).take(encoded.indices)
        else:
            held = pc.replace_substring(self.cells, ",", "").cast(ARROW_TYPES[form.kind])
        return replace(self, cells=write_in(held, form))

    def everywhere(self, n_rows: int) -> pa.Array:
        """Return one cell a row of the table, null where there is no other value."""
        place = np.full(n_rows, -1, np.int64)
        place[self.rows] = np.arange(len(self.rows))
        return self.cells.take(pa.array(place, mask=place < 0))


@dataclass(frozen=True)
class Alternatives:
    """Finds other values of one column; `values` are its own, as populated."""

    written: RenderedTables
    times: KnownSince
    table: str
    column: RenderedColumn
    values: pa.Array

    def outdated(self, rows: Integers, back: Integers, rate: float, stream: Stream) -> AlternativeValues:
        """Return what the cells of `rows` were `back` days before today, where that was something else.

        Figures grow by `rate` a year; any other value is another with that probability a year. `stream` tells one
        history: a row that had another value some years ago had it all the years before.
        """
        if not len(rows):
            return self._none()
        years = back / 365.25
        if self.column.column.kind in _FIGURES:
            rounding = rounding_of(_figures(self.values))
            if rounding is None:
                return self._none()
            held = _figures(self.values.take(pa.array(rows)))
            return self._figures(rows, former(held, rounding, rate, years, stream.child("pace"), rows))
        changed = stream.child("changed").uniform(rows) < 1 - (1 - rate) ** years
        return self._others(rows[changed], back[changed], stream.child("other"))

    def mistaken(self, rows: Integers, back: Integers, stream: Stream) -> AlternativeValues:
        """Return wrong values for the cells of `rows`, as a page of `back` days ago could write them."""
        if not len(rows):
            return self._none()
        kind = self.column.column.kind
        if kind not in (*_FIGURES, "year"):
            return self._others(rows, back, stream.child("other"))
        rounding = rounding_of(_figures(self.values))
        if rounding is None:
            return self._none()
        held = _figures(self.values.take(pa.array(rows)))
        if kind != "year":
            return self._figures(rows, mistaken(held, rounding, stream, rows))
        wrong = _wrong_years(held, rounding, stream, rows)
        come = wrong <= _year_of(today(self.times.spec) - back)
        return self._figures(rows[come], wrong[come])

    def _figures(self, rows: Integers, figures: Figures) -> AlternativeValues:
        kind = self.column.column.kind
        held = pa.array(
            figures if kind == "number" else np.round(figures), ARROW_TYPES[kind], from_pandas=True, safe=False
        )
        return self._unlike(rows, as_written(held, kind), None)

    def _others(self, rows: Integers, back: Integers, stream: Stream) -> AlternativeValues:
        """Take other rows' values: such as were there then, and no reference to the row itself."""
        own = self.written.values(self.column.code, rows)
        targets = self.column.targets
        chosen = np.full(len(rows), -1, np.int64)
        for attempt in range(_TRIES):
            other = stream.child(attempt).integers(rows, 0, len(self.values) - 1)
            unlike = pc.not_equal(self.written.values(self.column.code, other), own)
            fits = pc.fill_null(unlike, False).to_numpy(zero_copy_only=False)
            if targets is not None:
                fits &= self.times.met(self.column, targets[other], back)
                if self.column.column.references == self.table:
                    fits &= targets[other] != rows
                elif (opposite := self._opposite()) is not None:
                    fits &= targets[other] != opposite[rows]
            elif self.column.code in self.times.at:
                fits &= self.times.happened(self.column, other, back)
            chosen = np.where((chosen < 0) & fits, other, chosen)
        cells = self.written.values(self.column.code, chosen)
        return self._unlike(rows, cells, targets[chosen] if targets is not None else None)

    def _opposite(self) -> Integers | None:
        """Return the other end of each row, where the column is an end of a relation of a type with itself."""
        columns = self.written.tables[self.table].columns
        other = columns.get(_OPPOSITE.get(self.column.column.name, ""))
        of_one_type = other is not None and other.column.references == self.column.column.references
        return other.targets if other is not None and of_one_type else None

    def _unlike(self, rows: Integers, cells: pa.Array, targets: Integers | None) -> AlternativeValues:
        """Keep what differs from the table."""
        differs = pc.not_equal(cells, self.written.values(self.column.code, rows))
        own = np.flatnonzero(pc.fill_null(differs, False).to_numpy(zero_copy_only=False))
        return AlternativeValues(rows[own], cells.take(pa.array(own)), targets[own] if targets is not None else None)

    def _none(self) -> AlternativeValues:
        nothing = np.empty(0, np.int64)
        return AlternativeValues(
            nothing, pa.array([], pa.string()), nothing if self.column.targets is not None else None
        )


def _figures(values: pa.Array) -> Figures:
    figures: Figures = pc.fill_null(values.cast(pa.float64()), np.nan).to_numpy(zero_copy_only=False)
    return figures


def _year_of(days: Integers) -> npt.NDArray[np.int64]:
    """Return the years that days, counted from 1 January 1970, fall in."""
    years: npt.NDArray[np.int64] = days.astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64) + 1970
    return years


def _wrong_years(years: Figures, rounding: Rounding, stream: Stream, rows: Integers) -> Figures:
    """Move years by 1 to 9, within the column's own bounds where it can be so."""
    by = stream.child("years").integers(rows, 1, _MOST_YEARS_OFF)
    sign: npt.NDArray[np.int64] = np.where(stream.child("sign").uniform(rows) < 0.5, -1, 1)
    out = (years + sign * by < rounding.lowest) | (years + sign * by > rounding.highest)
    return years + np.where(out, -sign, sign) * by
