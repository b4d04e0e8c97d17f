"""Decide which statements to replace in pages, snippets and records, and by what.

    decide = Substitutions(…).on_page(page, withheld_rate, wrong_rate)
    decide(stated)      Substitution("…")                          withheld
                        Substitution("1904", (Alteration(…),))     wrong
                        None                                       shown as it is

A fact is treated alike wherever it is shown, except that only lists withhold, and that a cell that stands for several
facts follows the first.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from worldforge.core.chance import Stream
from worldforge.core.columns import ValueKind
from worldforge.environments.controls.statements import ELISION, PageStatement, Statements
from worldforge.environments.disclosure import Alteration
from worldforge.schema.column_paths import references_of
from worldforge.world.stable_ids import rows_of
from worldforge.world.value_text import as_written, canonical, kind_of
from worldforge.world.world import World

_MOST_HELD = 65_536
_ERRING, _AGEING = (0.03, 0.25), (0.01, 0.1)  # shares of itself by which a number is wrong, or was less before
_LARGE = 1 << 61  # beyond it a whole number is moved towards 0: 64 bits hold no more
_TRIES = 16  # rows looked at for another value
_IDENTITY = {"id", "name", "aliases", "source", "target"}  # what says who is meant: never altered, as `previous`
_UNFIT = frozenset("|[]\n\r…")  # would break a table, a link or a line


@dataclass(frozen=True, slots=True)
class FalseValue:
    """A value in three forms: as a record holds it (JSON), as a page writes it, and as a bare number."""

    cell: Any
    written: str
    bare: str

    def like(self, true: FalseValue, value: str) -> str:
        """Write it in the form in which `value` writes `true`."""
        return self.bare if value == true.bare != true.written else self.written


class FalseValues:
    """The false values of one world under one seed."""

    def __init__(self, world: World, seed: int) -> None:
        self._world = world
        self._stream = Stream(seed).child("untruths")
        self.true = lru_cache(_MOST_HELD)(self._true)
        self.wrong = lru_cache(_MOST_HELD)(self._wrong)
        self.older = lru_cache(_MOST_HELD)(self._older)
        self._draws: dict[tuple[str, str], npt.NDArray[np.float32]] = {}

    def draw(self, table: str, row: int, column: str) -> float:
        """Return a fact's draw in [0, 1): the fact is wrong at every rate above it."""
        if (table, column) not in self._draws:
            rows = np.arange(self._tables[table].num_rows, dtype=np.int64)
            self._draws[table, column] = self._stream.child(table, column).uniform(rows).astype(np.float32)
        return float(self._draws[table, column][row])

    def columns(self, table: str) -> list[str]:
        """List the columns of a table; none where there is no such table."""
        return list(self._tables[table].column_names) if table in self._tables else []

    def _true(self, table: str, row: int, column: str) -> FalseValue | None:
        """Return a fact's true value; None for an unknown or empty cell."""
        held = self._tables.get(table)
        if held is None or column not in held.column_names or not 0 <= row < held.num_rows:
            return None
        return self._written(table, column, held[column][row].as_py())

    def _wrong(self, table: str, row: int, column: str) -> FalseValue | None:
        """Return a fact's false value; None where there is none."""
        true = self.true(table, row, column)
        if true is None or column in _IDENTITY or self._references[table].get(column) in self._world.spec.relations:
            return None
        kind = kind_of(self._tables[table].schema.field(column).type)
        draw = int(self._stream.child(table, column, "value").bits(np.array([row]))[0])
        if kind == "text":
            return self._another(table, row, column, true, draw)
        value = another(self._tables[table][column][row].as_py(), kind, draw)
        moved = self._written(table, column, value)
        return moved if moved is not None and moved.written != true.written else None

    def _older(self, table: str, row: int, column: str) -> FalseValue | None:
        """Return a lower, older count or amount; None for columns that do not change over time."""
        true = self.true(table, row, column)
        if true is None or column in _IDENTITY or not isinstance(true.cell, int | float):
            return None
        if kind_of(self._tables[table].schema.field(column).type) not in ("integer", "number"):
            return None
        draw = int(self._stream.child(table, column, "older").bits(np.array([row]))[0])
        older = _moved(true.cell, -1, draw, _AGEING)
        shown = self._written(table, column, older)
        grows = true.cell > 0 and older >= 0
        return shown if grows and shown is not None and shown.written != true.written else None

    def _another(self, table: str, row: int, column: str, true: FalseValue, draw: int) -> FalseValue | None:
        """Return another row's text or reference."""
        held = self._tables[table][column]
        for place in Stream(draw).first_uniform(_TRIES).tolist():
            other = self._written(table, column, held[int(place * len(held))].as_py())
            if other is not None and other.written != true.written and not _UNFIT & set(other.written):
                return other
        return None

    def _written(self, table: str, column: str, value: Any) -> FalseValue | None:
        if value is None:
            return None
        target = self._references[table].get(column)
        if target in self._world.spec.types:
            (row,) = rows_of(pa.array([value]))
            name = self._tables[target]["name"][int(row)].as_py()
            return FalseValue(value, name, name)
        kind = kind_of(self._tables[table].schema.field(column).type) if not isinstance(value, list) else None
        if kind is None:
            return None
        cell = value.isoformat() if isinstance(value, datetime.date) else value
        held = pa.array([value], self._tables[table].schema.field(column).type)
        language = self._world.spec.languages[0]
        return FalseValue(cell, as_written(held, kind, language)[0].as_py(), _bare(held, kind))

    @cached_property
    def _tables(self) -> Mapping[str, pa.Table]:
        return self._world.tables()

    @cached_property
    def _references(self) -> Mapping[str, Mapping[str, str]]:
        return {table: references_of(self._world.spec, table) for table in self._tables}


def another(value: Any, kind: ValueKind, draw: int) -> Any:
    """Return another value near `value`, of any kind but text; `draw` are 64 random bits."""
    return _MOVERS[kind](value, draw)


def _bare(column: pa.Array, kind: ValueKind) -> str:
    return cast(str, (canonical if kind in ("integer", "number") else as_written)(column, kind)[0].as_py())


def _moved(value: float, sign: int, draw: int, shares: tuple[float, float] = _ERRING) -> float:
    """Move a number by a share of itself, or by one of its last digits where that is nothing."""
    digits = len(f"{value:.6f}".rstrip("0").partition(".")[2]) if isinstance(value, float) else None
    share = shares[0] + (shares[1] - shares[0]) * (draw % 1_000) / 1_000
    moved = round(value + sign * share * abs(value), digits)
    return moved if moved != value else round(value + sign * 10 ** -(digits or 0), digits)


def _any_number(value: float, draw: int) -> float:
    if abs(value) > _LARGE:
        return _moved(value, -1 if value > 0 else 1, draw)
    moved = _moved(value, -1 if draw & 1 << 32 else 1, draw)
    return moved if moved >= 0 or value < 0 else _moved(value, 1, draw)


def _year(value: int, draw: int) -> int:
    return value + (1 + draw % 9) * (-1 if draw & 1 << 32 else 1)


def _date(value: datetime.date, draw: int) -> datetime.date:
    days = 1 + draw % 400
    later = draw & 1 << 32 and value.year < datetime.MAXYEAR - 2
    return datetime.date.fromordinal(value.toordinal() + (days if later or value.year < 3 else -days))


_MOVERS: dict[ValueKind, Callable[[Any, int], Any]] = {
    "integer": _any_number,
    "number": _any_number,
    "year": _year,
    "date": _date,
    "boolean": lambda value, _draw: not value,
}


class Substitution(NamedTuple):
    """The replacement of a statement; `altered` if it is another value: one alteration for each fact stated there."""

    shown: str
    altered: tuple[Alteration, ...] = ()


Decide = Callable[[PageStatement], Substitution | None]


class Substitutions:
    """The decisions of content controls in one world under one seed; rates are parameters."""

    def __init__(self, world: World, seed: int) -> None:
        self.statements, self.false_values = Statements(world), FalseValues(world, seed)
        self._stream = Stream(seed)
        self.snippet_draw = lru_cache(1 << 16)(self._snippet_draw)
        self.column_draw = lru_cache(maxsize=None)(self._column_draw)
        self.stands_elsewhere = lru_cache(1 << 16)(self.statements.stands_elsewhere)

    def withheld(self, table: str, column: str, rate: float) -> bool:
        """Whether lists hide a column; names are never hidden."""
        return column not in ("id", "name", "source", "target") and self.column_draw(table, column) < rate

    def on_page(self, page: int, withheld_rate: float, wrong_rate: float) -> Decide:
        """Return the decision for statements of one page."""
        is_list = withheld_rate > 0 and page >= 0 and self.statements.is_list(page)

        def decide(stated: PageStatement) -> Substitution | None:
            if (
                is_list
                and self.withheld(stated.table, stated.column, withheld_rate)
                and all(map(self.stands_elsewhere, (stated.fact, *stated.also)))
            ):
                return Substitution(ELISION)
            cell = stated.table, stated.row, stated.column
            is_wrong = wrong_rate > 0 and stated.true and self.false_values.draw(*cell) < wrong_rate
            return self._in_place(stated, self.false_values.wrong(*cell)) if is_wrong else None

        return decide

    def wrong_cell(self, table: str, row: int, column: str, rate: float) -> tuple[FalseValue | None, FalseValue | None]:
        """Return a cell's true value, and the false value shown instead; None where it is shown truly."""
        true = self.false_values.true(table, row, column)
        if true is None or self.false_values.draw(table, row, column) >= rate:
            return true, None
        return true, self.false_values.wrong(table, row, column)

    def older(self, stated: PageStatement, changed: float) -> Substitution | None:
        """Return an older value for a statement, in its format; `changed` is the share of facts that have one."""
        draws = self._stream.child("stale", stated.table, stated.column).uniform(np.array([stated.row]))
        if not stated.true or draws[0] >= changed:
            return None
        return self._in_place(stated, self.false_values.older(stated.table, stated.row, stated.column))

    def without_links(self, page: int, rate: float) -> bool:
        """Whether a page is a list whose links are removed."""
        if rate == 0 or not self.statements.is_list(page):
            return False
        return bool(self._stream.child("links").uniform(np.array([page]))[0] < rate)

    def _in_place(self, stated: PageStatement, other: FalseValue | None) -> Substitution | None:
        true = self.false_values.true(stated.table, stated.row, stated.column)
        if true is None or other is None:
            return None
        shown = other.like(true, stated.value) if stated.form is None else stated.form.written(other.cell)
        if shown == stated.value:
            return None
        return Substitution(shown, tuple(Alteration(fact, shown, stated.value) for fact in (stated.fact, *stated.also)))

    def _snippet_draw(self, page: int) -> float:
        return float(self._stream.child("snippets").uniform(np.array([page]))[0])

    def _column_draw(self, table: str, column: str) -> float:
        return float(self._stream.child("withheld", table, column).first_uniform(1)[0])
