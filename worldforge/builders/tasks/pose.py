"""Draws list tasks by keyed chance: a type, conditions that leave the wanted number of rows, columns to ask for.

Candidate `i` of a family is a function of seed, family and `i` alone. Conditions are chosen on whole columns: a
reference that enough rows share, a value that enough rows have, or a bound that cuts the sorted column where the wanted
number of rows remains. Only facts that pages state are asked for, and only where a page states them for every row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from worldforge.builders.tasks.bounds import bound_below, bound_text
from worldforge.builders.tasks.views import Groups, Reference, Subset, TypeView, Value
from worldforge.core.chance import Stream
from worldforge.schema.columns import Column
from worldforge.schema.section import Range
from worldforge.schema.tasks import TaskFamily
from worldforge.world.task import Condition, TaskColumn

Rows = Subset | None
"""The rows that the conditions so far leave; None stands for all, which need not be looked at one by one."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A task before it is worded: what it asks, and the rows that should answer."""

    number: int
    about: str
    conditions: tuple[Condition, ...]
    columns: tuple[TaskColumn, ...]
    rows: Subset


class Dice:
    """The draws of one candidate, taken in turn."""

    def __init__(self, stream: Stream, n_draws: int) -> None:
        self._draws = iter(stream.uniform(np.arange(n_draws)).tolist())

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
        """Say yes with probability `share`."""
        return next(self._draws) < share


class Poser:
    """Draws candidates of a family, for ever: take as many as are needed."""

    def __init__(
        self,
        views: Mapping[str, TypeView],
        labels: Mapping[str, str],
        family: TaskFamily,
        stream: Stream,
    ) -> None:
        chosen = labels if family.about == "all" else family.about
        self._views = [views[name] for name in chosen if views[name].n_rows >= family.rows.low]
        # the square root: large types have more to ask about, and small ones must not be forgotten
        weights = np.cumsum([view.n_rows**0.5 for view in self._views])
        self._shares = weights / max(weights[-1:], default=1)
        self._labels, self._family, self._stream = labels, family, stream
        self._n_draws = 8 + 4 * family.conditions.high + family.columns.high  # more than one candidate can take

    def candidate(self, number: int) -> Candidate | None:
        """Draw candidate `number`; None where its draws lead to no task of the wanted size."""
        dice = Dice(self._stream.child(number), self._n_draws)
        if not self._views:
            return None
        view = self._views[int(np.searchsorted(self._shares, dice.share(), side="right"))]
        conditions: list[Condition] = []
        rows: Rows = None
        wanted = dice.within(self._family.conditions)
        through = dice.happens(self._family.through)
        for left in range(wanted - 1, -1, -1):
            picked = self._condition(view, dice, rows, conditions, refer=through and not conditions, last=left == 0)
            if picked is None:
                return None
            conditions.append(picked[0])
            rows = picked[1]
        assert rows is not None, "a task has at least one condition"
        columns = self._columns(view, dice, rows, conditions)
        fits = self._family.rows.low <= len(rows) <= self._family.rows.high and bool(view.named[rows].all())
        return Candidate(number, view.name, tuple(conditions), columns, rows) if columns and fits else None

    def _condition(
        self, view: TypeView, dice: Dice, rows: Rows, taken: list[Condition], *, refer: bool, last: bool
    ) -> tuple[Condition, Subset] | None:
        used = {condition.path for condition in taken}
        options: list[Reference | Value] = [r for r in view.references if r.path not in used] if refer else []
        options = options or [v for v in view.values if v.column.name not in used]
        if not options:
            return None
        option = options[dice.below(len(options))]
        n_rows = view.n_rows if rows is None else len(rows)
        wanted = Range(low=self._family.rows.low, high=self._family.rows.high if last else n_rows)
        if isinstance(option, Reference):
            picked = _by_reference(option, dice, rows, wanted)
        else:
            picked = (_by_bound if option.ordered else _by_value)(option, dice, rows, wanted)
        return picked if picked is not None and option.stated[picked[1]].all() else None

    def _columns(self, view: TypeView, dice: Dice, rows: Subset, conditions: list[Condition]) -> tuple[TaskColumn, ...]:
        constant = {condition.path for condition in conditions if condition.operator == "="}
        options: list[Value | Reference] = [*view.values, *(r for r in view.references if "." not in r.path)]
        open_columns = [
            TaskColumn(option.column.name, _label(option.column), option.column.kind)
            for option in options
            if option.column.name not in constant and bool(option.stated[rows].all())
        ]
        n_columns = min(dice.within(self._family.columns) - 1, len(open_columns))
        if n_columns < self._family.columns.low - 1:
            return ()
        chosen = [open_columns.pop(dice.below(len(open_columns))) for _ in range(n_columns)]
        columns = (TaskColumn("name", self._labels[view.name], "text"), *chosen)
        return columns if len({column.label.lower() for column in columns}) == len(columns) else ()


def _by_reference(option: Reference, dice: Dice, rows: Rows, wanted: Range) -> tuple[Condition, Subset] | None:
    target = _pick(option.groups, dice, rows, wanted)
    if target is None:
        return None
    kept, written = option.groups.members(rows, target), option.names[target].as_py()
    return Condition(option.path, "=", option.ids[target].as_py(), written, "text"), kept


def _by_value(option: Value, dice: Dice, rows: Rows, wanted: Range) -> tuple[Condition, Subset] | None:
    groups, texts = option.encoded
    code = _pick(groups, dice, rows, wanted)
    if code is None:
        return None
    return Condition(option.column.name, "=", texts[code], texts[code], option.column.kind), groups.members(rows, code)


def _by_bound(option: Value, dice: Dice, rows: Rows, wanted: Range) -> tuple[Condition, Subset] | None:
    rising = option.rising if rows is None else rows[np.argsort(option.numbers[rows], kind="stable")]
    n_known = len(rising) if rows is None else len(rising) - int(np.isnan(option.numbers[rows]).sum())
    above = dice.happens(0.5)
    n_kept = dice.within(Range(low=wanted.low, high=max(wanted.low, min(wanted.high, n_known - 1))))
    cut = n_known - n_kept if above else n_kept
    if not 0 < cut < n_known:
        return None
    below, beyond = option.numbers[rising[cut - 1 : cut + 1]].tolist()
    bound = bound_below(below, beyond, option.column.kind, keep_above=above) if below < beyond else None
    if bound is None:
        return None
    value, written = bound_text(bound, option.column.kind)
    kept = np.sort(rising[cut:n_known] if above else rising[:cut])
    return Condition(option.column.name, ">" if above else "<", value, written, option.column.kind), kept


def _pick(groups: Groups, dice: Dice, rows: Rows, wanted: Range) -> int | None:
    """Choose a code that as many rows have as are wanted; None where there is none."""
    counts = groups.counts(rows)
    options = np.flatnonzero((counts >= wanted.low) & (counts <= wanted.high))
    return int(options[dice.below(len(options))]) if len(options) else None


def _label(column: Column) -> str:
    label = column.label[:1].upper() + column.label[1:]
    return f"{label} ({column.unit})" if column.unit else label
