"""Slips of reading: values that are taken for others of the page, or overlooked.

    slips = Slips(reader, misread=0.05, forget=0.05, draws)
    noted = slips.read(reading, text, beliefs.known)      # with some statements changed, some left out
    slips.mend(reading)                                   # those of the page, once it is read with care

A slip stays as it is, however often the page is read in passing. Names are read without slips.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from worldforge.core.chance import Draws
from worldforge.environments.disclosure import stands_in
from worldforge.environments.search.searcher.beliefs import Known
from worldforge.environments.search.searcher.page_reading import LINK, PageReader, Reading, ReadStatement

_FIGURE = re.compile(r"(?<![\w.,/-])\d[\d,.]*\d(?![\w/-])")
_ROWS = 2  # above and below, of which a value is taken by mistake sooner than of others


class Slip(NamedTuple):
    """What was noted, None where it was overlooked, and what the page states."""

    noted: ReadStatement | None
    stated: ReadStatement


class Slips:
    """The slips of one episode: of each value, by its page, the rates are those of misreading and of overlooking it."""

    def __init__(self, reader: PageReader, misread: float, forget: float, draws: Draws) -> None:
        self._reader, self._misread, self._forget, self._draws = reader, misread, forget, draws
        self._noted: dict[tuple[int, str, str, str], ReadStatement | None] = {}

    def read(self, reading: Reading, text: str, known: Callable[[str], Known | None]) -> Reading:
        """Return what is noted of a reading whose page shows `text`. What is known already is read as it stands."""
        columns: dict[str, list[ReadStatement]] = {}
        for one in reading.statements:
            if not one.relative_to:
                columns.setdefault(_column_of(one.fact), []).append(one)
        noted = []
        for one in reading.statements:
            key = (reading.source.page, one.fact, one.written, one.relative_to)
            if key not in self._noted:
                held = known(one.fact)
                same = held is not None and held.value == one.value
                self._noted[key] = one if same else self._note(one, columns, text)
            noted.append(self._noted[key])
        return replace(reading, statements=[one for one in noted if one is not None])

    def mend(self, reading: Reading) -> list[Slip]:
        """Return the slips among what a reading states, and forget them: it is read with care."""
        found = []
        for one in reading.statements:
            key = (reading.source.page, one.fact, one.written, one.relative_to)
            if self._noted.get(key, one) != one:
                found.append(Slip(self._noted[key], one))
            self._noted[key] = one
        return found

    def _note(
        self, one: ReadStatement, columns: Mapping[str, Sequence[ReadStatement]], text: str
    ) -> ReadStatement | None:
        draw = self._draws.uniform()
        if one.fact.endswith("#name") or draw >= self._forget + self._misread:
            return one
        if draw < self._forget:
            return None
        if one.relative_to:
            return one
        return self._other_row(one, columns[_column_of(one.fact)]) or self._other_figure(one, text) or one

    def _other_row(self, one: ReadStatement, column: Sequence[ReadStatement]) -> ReadStatement | None:
        """Take the value of another row of the page, of one close by if there is one."""
        at = column.index(one)
        for rows in (column[max(0, at - _ROWS) : at + _ROWS + 1], column):
            others = [row for row in rows if row.fact != one.fact and _may_stand_for(row.value, one.value)]
            if others:
                other = self._draws.pick(others)
                return ReadStatement(one.fact, other.value, other.written, shown=other.shown)
        return None

    def _other_figure(self, one: ReadStatement, text: str) -> ReadStatement | None:
        """Take another figure of the page with as many characters, of those that begin alike if there are any."""
        if not _FIGURE.fullmatch(one.written) or not stands_in(one.written, text):
            return None
        figures = [figure.rstrip(".,") for figure in _FIGURE.findall(LINK.sub(r"\1", text))]
        others = [figure for figure in figures if len(figure) == len(one.written) and figure != one.written]
        alike = [figure for figure in others if figure[0] == one.written[0]] or others
        if not alike:
            return None
        written = self._draws.pick(alike)
        value = self._reader.read_plain(one.fact, written)
        return ReadStatement(one.fact, value, written, shown=written) if _may_stand_for(value, one.value) else None


def _column_of(fact: str) -> str:
    """Return the table and the column, or path, of a fact: `club#founded`."""
    row, _, path = fact.partition("#")
    return f"{row.partition('/')[0]}#{path}"


def _may_stand_for(other: object, value: object) -> bool:
    return type(other) is type(value) and other != value
