"""Draws a condition that leaves the wanted number of rows, or the columns of an answer.

A reference that enough rows share, a value that enough rows have, or bounds that cut the sorted column where enough
rows remain. Only what pages state is asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from worldforge.builders.tasks.round_bounds import bound_below, bound_text
from worldforge.builders.tasks.table_view import AskableColumn, Subset, TableView
from worldforge.core.chance import Stream
from worldforge.schema.spec_section import Range
from worldforge.schema.table_columns import ColumnInfo
from worldforge.world.task import TaskColumn
from worldforge.world.task_terms import Condition

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
    options = [one for one in view.references if one.path not in used] if refer else []
    options = options or [one for one in view.values if one.path not in used]
    if not options:
        return None
    option = options[dice.below(len(options))]
    picked = (pick_bound if option.ordered else pick_value)(option, dice, rows, wanted)
    return picked if picked is not None and option.is_stated(picked[1]) else None


def pick_between(view: TableView, dice: Dice, rows: Subset, used: Collection[str], wanted: Range) -> Picked | None:
    """Draw a condition with a lower and an upper bound, both included, that leaves as many rows as are wanted."""
    options = [one for one in view.values if one.ordered and one.path not in used]
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
    if low is None or high is None or low >= high:
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
    if bound is None:
        return None
    kept = rows[values >= beyond if above else values <= below]
    return Condition(option.path, ">" if above else "<", *bound_text(bound, kind), kind), kept


def pick_columns(
    view: TableView, dice: Dice, rows: Subset, label: str, wanted: Range, without: Collection[str], first: str = ""
) -> tuple[TaskColumn, ...]:
    """Draw the columns of an answer: the name, the column `first` if there is one, others that pages state of all rows.

    None of `without` is taken. Empty where there are too few.
    """
    open_columns = [
        TaskColumn(option.path, column_label(option.column), option.column.kind)
        for option in (*view.values, *view.references)
        if "." not in option.path and option.path not in without and option.is_stated(rows)
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


def column_label(column: ColumnInfo) -> str:
    """Write what an answer's column is called: its label, and its unit."""
    label = column.label[:1].upper() + column.label[1:]
    return f"{label} ({column.unit})" if column.unit else label
