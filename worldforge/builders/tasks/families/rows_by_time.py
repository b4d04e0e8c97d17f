"""Rows of a relation in some years, days or rounds: the matches of each club in rounds 3 to 9, rows by club and round.

The relation has one row for each entity and time.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator

import numpy as np

from worldforge.builders.tasks.condition_sampling import Dice, Picked
from worldforge.builders.tasks.families.relation_rows import ROUND, TIMES, differs
from worldforge.builders.tasks.round_bounds import bound_text
from worldforge.builders.tasks.table_view import AskableColumn, TableView
from worldforge.builders.tasks.task_family import DrawnTask, Family, FamilyInput, draw_conditions
from worldforge.schema.spec_section import Range
from worldforge.world.task_terms import Condition, Shape

_FEWEST_TIMES = 2
_EPOCH = datetime.date(1970, 1, 1)
_MANY_MONTHS = datetime.timedelta(3 * 365)


def draw(drawing: FamilyInput) -> DrawnTask | None:
    """Draw a relation, a range of its times, and conditions on the entities at its source."""
    dice, views = drawing.dice, drawing.views
    links = [link for link in drawing.links if link.column == "source" and link.end]
    options = [(link, when) for link in links for when in _times(views[link.table], link.column)]
    if not options:
        return None
    link, when = options[dice.below(len(options))]
    range_of_times = _range_of_times(when, dice)
    if range_of_times is None:
        return None
    condition, rows = range_of_times
    owners = views[link.table].column(link.column).codes[rows]
    per_owner = len(owners) / max(1, len(np.unique(owners)))
    wanted = Range(low=max(1, int(drawing.wanted.low / per_owner)), high=max(1, round(drawing.wanted.high / per_owner)))
    picked = draw_conditions(drawing, dice.within(drawing.family.conditions), wanted)
    if picked is None:
        return None
    rows = rows[np.isin(owners, picked[1])]
    if not when.is_stated(rows):
        return None
    shape = Shape(rows=link.table, end=link.column, where=(condition,))
    return DrawnTask(tuple(picked[0]), rows, shape=shape, keys=(link.column, when.path))


def _times(view: TableView, end: str) -> Iterator[AskableColumn]:
    """Yield the columns that say when a row was, of which an entity has one a time: its only year or day, its round."""
    times = [one for one in view.values if one.column.kind in TIMES]
    rounds = [one for one in view.values if one.path == ROUND]
    for one in (*(times if len(times) == 1 else ()), *rounds):
        if differs(view, end, one, view.everyone):
            yield one


def _range_of_times(when: AskableColumn, dice: Dice) -> Picked | None:
    """Draw a range of years, days or rounds, both ends included, that leaves out some rows."""
    numbers, kind = when.numbers, when.column.kind
    values = np.unique(numbers).tolist()
    if len(values) <= _FEWEST_TIMES:
        return None
    n = _FEWEST_TIMES + dice.below(len(values) - _FEWEST_TIMES)
    first = dice.below(len(values) - n + 1)
    low, high = values[first], values[first + n - 1]
    if kind == "date":
        low, high = _whole_months(low, high)
    rows = np.flatnonzero((numbers >= low) & (numbers <= high))
    if len(rows) == len(numbers):
        return None
    (value, written), (upper, upper_written) = bound_text(low, kind), bound_text(high, kind)
    return Condition(when.path, "between", value, written, kind, upper, upper_written), rows


def _whole_months(low: float, high: float) -> tuple[float, float]:
    """Widen a range of days, counted from 1970, to whole months, or where it is of many to whole years."""
    first, last = (_EPOCH + datetime.timedelta(int(day)) for day in (low, high))
    if last - first > _MANY_MONTHS:
        first, last = first.replace(month=1), last.replace(month=12)
    next_month = last.replace(day=1) + datetime.timedelta(31)
    bounds = first.replace(day=1), next_month.replace(day=1) - datetime.timedelta(1)
    low, high = ((day - _EPOCH).days for day in bounds)
    return low, high


FAMILY = Family(draw, frames="rows_by_time", over_relations=True, rows_of_sources=True)
