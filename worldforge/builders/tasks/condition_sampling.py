"""Draws a condition that leaves the wanted number of rows, or the columns of an answer.

A reference that enough rows share, a value that enough rows have, or bounds that cut the sorted column where enough
rows remain. Only what pages state is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from worldforge.builders.tasks.round_bounds import bound_below, bound_text
from worldforge.builders.tasks.table_view import AskableColumn, Subset, TableView
from worldforge.core.chance import Stream
from worldforge.schema.spec_section import Range
from worldforge.schema.table_columns import ColumnInfo
from worldforge.world.task import TaskColumn
from worldforge.world.task_terms import AnyOf, Condition

_DEGREES = "°"  # below zero is as plain as above
_OTHER_TIME = {"date": "year", "year": "date"}
_MOST_VALUES = 3  # of one column, as alternatives
Picked = tuple[Condition, Subset]
"""A condition, and the rows that it leaves."""


class Dice:
    """The random draws of one candidate, in order."""

    def __init__(self, stream: Stream, n_draws: int) -> None:
        self._draws = iter(stream.first_uniform(n_draws).tolist())

    def below(self, n: int) -> int:
        """Draw a whole number in [0, n)."""
        return min(int(next(self._draws) * n), n - 1)

    def share(self) -> float:
        """Draw a number in [0, 1)."""
        return next(self._draws)

    def within(self, bounds: Range) -> int:
        """Draw a whole number in a range, both ends included."""
        return bounds.low + self.below(bounds.high - bounds.low + 1)

    def happens(self, share: float) -> bool:
        """Return True with probability `share`."""
        return next(self._draws) < share

    def n_kept(self, wanted: Range, most: int) -> int:
        """Draw how many rows to keep: as wanted, but at most `most`."""
        return self.within(Range(low=wanted.low, high=max(wanted.low, min(wanted.high, most))))


def pick_condition(
    view: TableView, dice: Dice, rows: Subset, used: Collection[str], wanted: Range, *, refer: bool
) -> Picked | None:
    """Draw a condition on a path not in `used` that leaves as many rows as are wanted; None where the draw fails."""
    options = _open(view.references, used) if refer else []
    options = options or _open(view.values, _with_times(view, used))
    if not options:
        return None
    option = options[dice.below(len(options))]
    picked = (pick_bound if option.ordered else pick_value)(option, dice, rows, wanted)
    return picked if picked is not None and option.is_stated(picked[1]) else None


def _open(columns: Sequence[AskableColumn], used: Collection[str]) -> list[AskableColumn]:
    return [one for one in columns if one.path not in used]


def _with_times(view: TableView, used: Collection[str]) -> set[str]:
    """Return `used`, plus all date columns if it has a year, and all year columns if it has a date.

    Nobody asks for films released in 2010 or later and before 1 May 2010.
    """
    times = {one.path: one.column.kind for one in view.values if one.column.kind in _OTHER_TIME}
    others = {_OTHER_TIME[times[path]] for path in used if path in times}
    return {*used, *(path for path, kind in times.items() if kind in others)}


def pick_between(view: TableView, dice: Dice, rows: Subset, used: Collection[str], wanted: Range) -> Picked | None:
    """Draw a condition with a lower and an upper bound, both included, that leaves as many rows as are wanted."""
    options = [one for one in _open(view.values, _with_times(view, used)) if one.ordered]
    if not options:
        return None
    option = options[dice.below(len(options))]
    values, kind = option.numbers[rows], option.column.kind
    rising, n_known = rows[np.argsort(values, kind="stable")], int(np.count_nonzero(~np.isnan(values)))
    n_kept = dice.n_kept(wanted, n_known - 2)
    if n_kept > n_known - 2:
        return None
    first = 1 + dice.below(n_known - n_kept - 1)
    last = first + n_kept
    before, lowest = option.numbers[rising[first - 1 : first + 1]].tolist()
    largest, after = option.numbers[rising[last - 1 : last + 1]].tolist()
    if before == lowest or largest == after:
        return None
    low = bound_below(before, lowest, kind, keep_above=False)
    high = bound_below(largest, after, kind, keep_above=True)
    if low is None or high is None or low >= high or not _is_asked_for(option.column, low, above=False):
        return None
    kept = np.sort(rising[first:last])
    if not option.is_stated(kept):
        return None
    (value, written), (upper, upper_written) = bound_text(low, kind), bound_text(high, kind)
    return Condition(option.path, "between", value, written, kind, upper, upper_written), kept


def pick_value(option: AskableColumn, dice: Dice, rows: Subset, wanted: Range) -> Picked | None:
    """Draw a value, or an entity referred to, that as many rows have as are wanted; None where there is none."""
    codes = option.codes[rows]
    sizes = np.bincount(codes[codes >= 0])
    options = np.flatnonzero((sizes >= wanted.low) & (sizes <= wanted.high))
    if not len(options):
        return None
    code = int(options[dice.below(len(options))])
    return option.equals(code), rows[codes == code]


def pick_values(
    view: TableView, dice: Dice, rows: Subset, used: Collection[str], wanted: Range, *, refer: bool
) -> tuple[AnyOf, Subset] | None:
    """Draw two or three values of one column, or entities referred to, that together leave as many rows as are wanted.

    None where the draw fails.
    """
    columns = view.references if refer else view.values
    options = [one for one in columns if one.path not in used and not one.ordered and one.column.kind == "text"]
    if not options:
        return None
    option = options[dice.below(len(options))]
    codes = option.codes[rows]
    sizes = np.bincount(codes[codes >= 0])
    left, chosen, n = np.flatnonzero(sizes).tolist(), list[int](), 0
    while len(left) > 1 and len(chosen) < _MOST_VALUES and n < wanted.low:
        code = left.pop(dice.below(len(left)))
        if n + sizes[code] <= wanted.high:
            chosen.append(code)
            n += int(sizes[code])
    if len(chosen) < 2 or not wanted.low <= n <= wanted.high:
        return None
    kept = rows[np.isin(codes, chosen)]
    values = sorted((option.equals(code) for code in chosen), key=_in_order)
    return (AnyOf(tuple((one,) for one in values)), kept) if option.is_stated(kept) else None


def _in_order(condition: Condition) -> tuple[float, str]:
    """Order values as a list of them does: figures by size, then texts."""
    written = condition.written
    return (int(written) if written.isdecimal() else math.inf, written)


def pick_bound(option: AskableColumn, dice: Dice, rows: Subset, wanted: Range) -> Picked | None:
    """Draw a round bound that leaves as many rows as are wanted; None where there is none."""
    values, kind = option.numbers[rows], option.column.kind
    n_known = int(np.count_nonzero(~np.isnan(values)))
    above = dice.happens(0.5)
    n_kept = dice.n_kept(wanted, n_known - 1)
    cut = n_known - n_kept if above else n_kept
    if not 0 < cut < n_known:
        return None
    below, beyond = np.partition(values, (cut - 1, cut))[cut - 1 : cut + 1].tolist()  # what is missing comes last
    bound = bound_below(below, beyond, kind, keep_above=above) if below < beyond else None
    if bound is None or not _is_asked_for(option.column, bound, above=above):
        return None
    kept = rows[values >= beyond if above else values <= below]
    return Condition(option.path, ">" if above else "<", *bound_text(bound, kind), kind), kept


def _is_asked_for(column: ColumnInfo, bound: float, *, above: bool) -> bool:
    """Return whether people ask for a bound.

    They do not for fewer than 1 brand, for a profit of more than -20 million, nor for line numbers above 7.
    """
    if column.kind == "integer" and bound == (0 if above else 1):
        return False
    if not column.is_amount and not column.rank:
        return False
    return column.kind not in ("integer", "number") or bound > 0 or _DEGREES in column.unit


def pick_columns(
    view: TableView,
    dice: Dice,
    rows: Subset,
    wanted: Range,
    without: Collection[str],
    first: Sequence[str] = (),
    paths: float = 0.0,
) -> tuple[TaskColumn, ...]:
    """Draw columns of an answer, unnamed yet: those in `first`, then others that pages state of all rows.

    None of `without` is taken. A share `paths` of the others lead through references, or more where there are too few
    without. Empty where there are too few.
    """

    def fit(options: Iterable[AskableColumn]) -> list[TaskColumn]:
        left = (one for one in options if one.path not in (*without, *first))
        return [TaskColumn(one.path, "", one.cell_kind) for one in left if one.is_stated(rows)]

    chosen = [TaskColumn(path, "", view.column(path).cell_kind) for path in first]
    own = fit(option for option in (*view.values, *view.references, *view.addresses) if "." not in option.path)
    further = fit(view.further) if paths else []
    n_columns = min(dice.within(wanted), len(chosen) + len(own) + len(further))
    if n_columns < max(wanted.low, len(chosen)):
        return ()
    while len(chosen) < n_columns:
        leads_on = bool(further) and (not own or dice.happens(paths))
        options = further if leads_on else own
        chosen.append(options.pop(dice.below(len(options))))
    return tuple(chosen)


def distinct(labels: Iterable[str]) -> bool:
    """Return whether all labels differ for a reader."""
    lowered = [label.lower() for label in labels]
    return len(set(lowered)) == len(lowered)
