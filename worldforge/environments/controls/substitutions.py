"""Decide which statements to replace in pages, snippets and records, and by what.

    decide = Substitutions(…).on_page(page, withheld_rate, wrong_rate)
    decide(stated)      Substitution("…")                          withheld
                        Substitution("1904", (Alteration(…),))     wrong
                        None                                       shown as it is

A fact is treated alike wherever it is shown, except that only lists withhold, and that a cell that stands for several
facts follows the first. A false value is plausible: another entity's value, or a number moved a little. Which it is
follows from the seed and the fact alone, never from the rate: the facts that are wrong at a low rate are wrong in the
same way at a higher one.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

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
_BLOCK, _MOST_BLOCKS = 512, 8_192  # rows drawn at once, and how many such are held
_ERRING, _AGEING = (0.03, 0.25), (0.01, 0.1)  # shares of itself by which a number is wrong, or was less before
_LARGE = 1 << 61  # beyond it a whole number is moved towards 0: 64 bits hold no more
_TRIES = 16  # rows looked at for another value
_IDENTITY = {"id", "name", "aliases", "source", "target"}  # what says who is meant: never altered, as `previous`
_UNFIT = frozenset("|[]\n\r…")  # would break a table, a link or a line


Cell = tuple[str, int, str]
"""A fact's place in the tables: table, row, column."""


@dataclass(frozen=True, slots=True)
class WrittenValue:
    """A value in three forms: as a record holds it (JSON), as a page writes it, and as a bare number."""

    cell: Any
    written: str
    bare: str

    def like(self, true: WrittenValue, value: str) -> str:
        """Write it in the form in which `value` writes `true`."""
        return self.bare if value == true.bare != true.written else self.written


class Substitution(NamedTuple):
    """The replacement of a statement; `altered` if it is another value: one alteration for each fact stated there."""

    shown: str
    altered: tuple[Alteration, ...] = ()


Decide = Callable[[PageStatement], Substitution | None]


class Substitutions:
    """The decisions of content controls in one world under one seed; rates are parameters."""

    def __init__(self, world: World, seed: int) -> None:
        self.statements = Statements(world)
        self._world, self._stream = world, Stream(seed)
        self._drawn = lru_cache(_MOST_BLOCKS)(self._draw_block)
        self.true = lru_cache(_MOST_HELD)(self._true)
        self.false = lru_cache(_MOST_HELD)(self._false)
        self._stands_elsewhere = lru_cache(_MOST_HELD)(self.statements.stands_elsewhere)

    def columns(self, table: str) -> list[str]:
        """List the columns of a table; none where there is no such table."""
        return list(self._tables[table].column_names) if table in self._tables else []

    def draw(self, row: int, *path: str) -> float:
        """Return the draw in [0, 1) of a row of a table or of the pages, for what `path` names."""
        return float(self._drawn(row // _BLOCK, *path)[row % _BLOCK])

    def withheld(self, table: str, column: str, rate: float) -> bool:
        """Whether lists hide a column; names are never hidden."""
        return column not in ("id", "name", "source", "target") and self.draw(0, "withheld", table, column) < rate

    def on_page(self, page: int, withheld_rate: float, wrong_rate: float) -> Decide:
        """Return the decision for statements of one page."""
        is_list = withheld_rate > 0 and page >= 0 and self.statements.is_list(page)

        def decide(stated: PageStatement) -> Substitution | None:
            table, _, column = stated.cell
            if (
                is_list
                and self.withheld(table, column, withheld_rate)
                and all(map(self._stands_elsewhere, (stated.fact, *stated.also)))
            ):
                return Substitution(ELISION)
            return self._substitution(stated, self.wrong(stated.cell, wrong_rate)) if stated.true else None

        return decide

    def wrong(self, cell: Cell, rate: float) -> WrittenValue | None:
        """Return the false value that is shown for a cell; None where it is shown truly."""
        table, row, column = cell
        return self.false(cell) if rate > 0 and self.draw(row, "wrong facts", table, column) < rate else None

    def older(self, stated: PageStatement, changed: float) -> Substitution | None:
        """Return a lower, older count or amount for a statement; `changed` is the share of facts that have one."""
        table, row, column = stated.cell
        true = self.true(stated.cell)
        if not stated.true or true is None or self.draw(row, "stale", table, column) >= changed:
            return None
        if column in _IDENTITY or self._kind(table, column) not in ("integer", "number") or true.cell <= 0:
            return None
        older = _shifted(true.cell, -1, self._bits(row, "older", table, column), _AGEING)
        return self._substitution(stated, self._written(table, column, older)) if older >= 0 else None

    def without_links(self, page: int, rate: float) -> bool:
        """Whether a page is a list whose links are removed."""
        return rate > 0 and self.statements.is_list(page) and self.draw(page, "links") < rate

    def _substitution(self, stated: PageStatement, other: WrittenValue | None) -> Substitution | None:
        """Write another value in a statement's format."""
        true = self.true(stated.cell) if other is not None else None
        if true is None or other is None or other.written == true.written:
            return None
        form = stated.form
        shown = other.like(true, stated.value) if form is None else form.written_like(other.cell, stated.value)
        if shown == stated.value:
            return None
        return Substitution(shown, tuple(Alteration(fact, shown, stated.value) for fact in (stated.fact, *stated.also)))

    def _true(self, cell: Cell) -> WrittenValue | None:
        """Return a cell's true value; None for an unknown or empty cell."""
        table, row, column = cell
        if column not in self.columns(table) or not 0 <= row < self._tables[table].num_rows:
            return None
        return self._written(table, column, self._tables[table][column][row].as_py())

    def _false(self, cell: Cell) -> WrittenValue | None:
        """Return a cell's false value; None where there is none."""
        table, row, column = cell
        true = self.true(cell)
        if true is None or column in _IDENTITY or self._references[table].get(column) in self._world.spec.relations:
            return None
        kind, held = self._kind(table, column), self._tables[table][column]
        bits = self._bits(row, "value", table, column)
        if kind != "text":
            moved = self._written(table, column, another(held[row].as_py(), kind, bits))
            return moved if moved is not None and moved.written != true.written else None
        for place in Stream(bits).first_uniform(_TRIES).tolist():
            other = self._written(table, column, held[int(place * len(held))].as_py())
            if other is not None and other.written != true.written and not _UNFIT & set(other.written):
                return other
        return None

    def _written(self, table: str, column: str, value: Any) -> WrittenValue | None:
        if value is None or isinstance(value, list):
            return None
        target = self._references[table].get(column)
        if target in self._world.spec.types:
            (row,) = rows_of(pa.array([value]))
            name = self._tables[target]["name"][int(row)].as_py()
            return WrittenValue(value, name, name)
        kind = self._kind(table, column)
        held = pa.array([value], self._tables[table].schema.field(column).type)
        cell = value.isoformat() if isinstance(value, datetime.date) else value
        bare = canonical(held, kind) if kind in ("integer", "number") else as_written(held, kind)
        return WrittenValue(cell, as_written(held, kind, self._world.spec.languages[0])[0].as_py(), bare[0].as_py())

    def _kind(self, table: str, column: str) -> ValueKind:
        return kind_of(self._tables[table].schema.field(column).type)

    def _draw_block(self, block: int, *path: str) -> npt.NDArray[np.float64]:
        return self._stream.child(*path).uniform(np.arange(block * _BLOCK, (block + 1) * _BLOCK))

    def _bits(self, row: int, *path: str) -> int:
        return int(self._stream.child(*path).bits(np.array([row]))[0])

    @cached_property
    def _tables(self) -> Mapping[str, pa.Table]:
        return self._world.tables()

    @cached_property
    def _references(self) -> Mapping[str, Mapping[str, str]]:
        return {table: references_of(self._world.spec, table) for table in self._tables}


def another(value: Any, kind: ValueKind, draw: int) -> Any:
    """Return another value near `value`, of any kind but text; `draw` are 64 random bits."""
    high_bit = bool(draw & 1 << 32)
    sign = -1 if high_bit else 1
    match kind:
        case "boolean":
            return not value
        case "year":
            return value + sign * (1 + draw % 9)
        case "date":
            days = 1 + draw % 400
            later = high_bit and value.year < datetime.MAXYEAR - 2
            return datetime.date.fromordinal(value.toordinal() + (days if later or value.year < 3 else -days))
    if abs(value) > _LARGE:
        return _shifted(value, -1 if value > 0 else 1, draw)
    moved = _shifted(value, sign, draw)
    return moved if moved >= 0 or value < 0 else _shifted(value, 1, draw)


def _shifted(value: float, sign: int, draw: int, shares: tuple[float, float] = _ERRING) -> float:
    """Move a number by a share of itself, or by one of its last digits where that is nothing."""
    digits = len(f"{value:.6f}".rstrip("0").partition(".")[2]) if isinstance(value, float) else None
    share = shares[0] + (shares[1] - shares[0]) * (draw % 1_000) / 1_000
    moved = round(value + sign * share * abs(value), digits)
    return moved if moved != value else round(value + sign * 10 ** -(digits or 0), digits)
