"""Decide which statements to replace in pages, snippets and records, and by what.

    decide = Substitutions(…).on_page(page, withheld_rate, wrong_rate)
    decide(stated)      Substitution("…")                          withheld
                        Substitution("1904", (Alteration(…),))     wrong
                        None                                       shown as it is

A fact is treated alike wherever it is shown, except that only lists withhold, and that a cell that stands for several
facts follows the first.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from worldforge.core.chance import Stream
from worldforge.environments.controls.false_values import FalseValue, FalseValues
from worldforge.environments.controls.statements import ELISION, PageStatement, Statements
from worldforge.environments.disclosure import Alteration
from worldforge.world.world import World


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
