"""Draws a condition that leaves the wanted number of rows, or the columns of an answer.

A reference that enough rows share, a value that enough rows have, or bounds that cut the sorted column where enough
rows remain. Only what pages state is asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
import numpy.typing as npt

from worldforge.builders.tasks.round_bounds import bound_below, bound_text
from worldforge.builders.tasks.type_views import Groups, ReferenceChain, Subset, TypeView, ValueColumn
from worldforge.core.chance import Stream
from worldforge.schema.spec_section import Range
from worldforge.schema.table_columns import ColumnInfo
from worldforge.world.task import TaskColumn
from worldforge.world.task_terms import Condition

Rows = Subset | None
"""The rows that the conditions so far leave; None stands for all, which need not be looked at one by one."""
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


def pick_condition(
    view: TypeView, dice: Dice, rows: Rows, used: Collection[str], wanted: Range, *, refer: bool
) -> Picked | None:
    """Draw a condition on a path not in `used` that leaves as many rows as are wanted; None where the draw fails."""
    options: list[ReferenceChain | ValueColumn] = [r for r in view.references if r.path not in used] if refer else []
    options = options or [v for v in view.values if v.column.name not in used]
    if not options:
        return None
    option = options[dice.below(len(options))]
    if isinstance(option, ReferenceChain):
        picked = _by_reference(option, dice, rows, wanted)
    else:
        picked = (_by_bound if option.ordered else _by_value)(option, dice, rows, wanted)
    return picked if picked is not None and option.is_stated(picked[1]) else None


def pick_between(view: TypeView, dice: Dice, rows: Rows, used: Collection[str], wanted: Range) -> Picked | None:
    """Draw a condition with a lower and an upper bound, both included, that leaves as many rows as are wanted."""
    options = [v for v in view.values if v.ordered and v.column.name not in used]
    if not options:
        return None
    option = options[dice.below(len(options))]
    rising, n_known = _rising(option, rows)
    n_kept = dice.within(Range(low=wanted.low, high=max(wanted.low, min(wanted.high, n_known - 2))))
    if n_kept > n_known - 2:
        return None
    first = 1 + dice.below(n_known - n_kept - 1)
    last = first + n_kept
    numbers, kind = option.numbers[rising], option.column.kind
    before, lowest = numbers[first - 1 : first + 1].tolist()
    largest, after = numbers[last - 1 : last + 1].tolist()
    if before == lowest or largest == after:
        return None
    low = bound_below(before, lowest, kind, keep_above=False)
    high = bound_below(largest, after, kind, keep_above=True)
    if low is None or high is None or low >= high:
        return None
    (value, written), (upper, upper_written) = bound_text(low, kind), bound_text(high, kind)
    kept = np.sort(rising[first:last])
    if not option.is_stated(kept):
        return None
    return Condition(option.column.name, "between", value, written, kind, upper, upper_written), kept


def pick_columns(
    view: TypeView, dice: Dice, rows: Subset, label: str, wanted: Range, without: Collection[str], first: str = ""
) -> tuple[TaskColumn, ...]:
    """Draw the columns of an answer: the name, the column `first` if there is one, others that pages state of all rows.

    None of `without` is taken. Empty where there are too few.
    """
    options: list[ValueColumn | ReferenceChain] = [*view.values, *(r for r in view.references if "." not in r.path)]
    open_columns = [
        TaskColumn(option.column.name, column_label(option.column), option.column.kind)
        for option in options
        if option.column.name not in without and option.is_stated(rows)
    ]
    n_columns = min(dice.within(wanted) - 1, len(open_columns))
    if n_columns < wanted.low - 1:
        return ()
    leading = [number for number, column in enumerate(open_columns) if column.path == first][: max(n_columns, 0)]
    chosen = [open_columns.pop(number) for number in leading]
    chosen += [open_columns.pop(dice.below(len(open_columns))) for _ in range(n_columns - len(chosen))]
    columns = (TaskColumn("name", label, "text"), *chosen)
    return columns if distinct(column.label for column in columns) else ()


def distinct(labels: Iterable[str]) -> bool:
    """Return whether all labels differ for a reader."""
    lowered = [label.lower() for label in labels]
    return len(set(lowered)) == len(lowered)


def _by_reference(option: ReferenceChain, dice: Dice, rows: Rows, wanted: Range) -> Picked | None:
    target = pick_code(option.groups, dice, rows, wanted)
    if target is None:
        return None
    kept, written = option.groups.members(rows, target), option.names[target].as_py()
    return Condition(option.path, "=", option.ids[target].as_py(), written, "text"), kept


def _by_value(option: ValueColumn, dice: Dice, rows: Rows, wanted: Range) -> Picked | None:
    groups, texts = option.encoded
    code = pick_code(groups, dice, rows, wanted)
    if code is None:
        return None
    return Condition(option.column.name, "=", texts[code], texts[code], option.column.kind), groups.members(rows, code)


def _by_bound(option: ValueColumn, dice: Dice, rows: Rows, wanted: Range) -> Picked | None:
    values, n_known = _known(option, rows)
    above = dice.happens(0.5)
    n_kept = dice.within(Range(low=wanted.low, high=max(wanted.low, min(wanted.high, n_known - 1))))
    cut = n_known - n_kept if above else n_kept
    if not 0 < cut < n_known:
        return None
    if rows is None:
        below, beyond = option.numbers[option.rising[cut - 1 : cut + 1]].tolist()
    else:
        below, beyond = np.partition(values, (cut - 1, cut))[cut - 1 : cut + 1].tolist()  # what is missing comes last
    bound = bound_below(below, beyond, option.column.kind, keep_above=above) if below < beyond else None
    if bound is None:
        return None
    value, written = bound_text(bound, option.column.kind)
    if rows is None:
        kept = np.sort(option.rising[cut:] if above else option.rising[:cut])
    else:
        kept = rows[values >= beyond if above else values <= below]
    return Condition(option.column.name, ">" if above else "<", value, written, option.column.kind), kept


def _known(option: ValueColumn, rows: Rows) -> tuple[npt.NDArray[np.float64], int]:
    """Return the values of rows, NaN where one is missing, and how many have one."""
    if rows is None:
        return option.numbers, len(option.rising)
    values = option.numbers[rows]
    return values, len(rows) - int(np.count_nonzero(np.isnan(values)))


def _rising(option: ValueColumn, rows: Rows) -> tuple[Subset, int]:
    """Return rows from the lowest value to the highest, and how many have one: those that have none come last."""
    if rows is None:
        return option.rising, len(option.rising)
    values = option.numbers[rows]
    return rows[np.argsort(values, kind="stable")], len(rows) - int(np.isnan(values).sum())


def pick_code(groups: Groups, dice: Dice, rows: Rows, wanted: Range) -> int | None:
    """Choose a code that as many rows have as are wanted; None where there is none."""
    options = groups.codes(rows, wanted.low, wanted.high)
    return int(options[dice.below(len(options))]) if len(options) else None


def column_label(column: ColumnInfo) -> str:
    """Write what an answer's column is called: its label, and its unit."""
    label = column.label[:1].upper() + column.label[1:]
    return f"{label} ({column.unit})" if column.unit else label
