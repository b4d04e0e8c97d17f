"""Aggregates: count, mean or extremes by group of the entities that meet the conditions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from worldforge.builders.tasks.group_columns import Group, group_columns, is_halfway, stated_groups
from worldforge.builders.tasks.table_view import AskableColumn, Subset
from worldforge.builders.tasks.task_family import DrawnTask, Family, FamilyInput, draw_conditions, paths_of
from worldforge.core.imports import load
from worldforge.schema.task_section import TaskFamily
from worldforge.world.computed_cells import Measure, measure_of
from worldforge.world.task import TaskColumn
from worldforge.world.task_terms import Shape

_AT_LEAST = 2  # members of a group, on average: less is a list
_ADDS_UP = "questions.adds_up"
_SUMMED = ("integer",)
_AVERAGED = ("integer", "number")
_MOST_PLACES = 6
_COUNTED = 0.75  # of tables that may hold a count do


def draw(drawing: FamilyInput) -> DrawnTask | None:
    """Draw conditions, a column that gives the wanted number of groups, and what to compute."""
    view, dice, wanted = drawing.view, drawing.dice, drawing.family.groups.members
    if wanted.low > view.n_rows:
        return None
    picked = draw_conditions(drawing, dice.within(drawing.family.conditions), wanted)
    if picked is None:
        return None
    conditions, rows = picked
    used = paths_of(conditions)
    possible = group_columns(view, drawing.family.groups.by, used)
    options = [(one, groups) for one in possible if (groups := _usable(drawing, one, rows))]
    if not options:
        return None
    by, groups = options[dice.below(len(options))]
    members = np.sort(np.concatenate([group.members for group in groups]))
    columns = _pick_columns(drawing, members, {*used, by.path})
    if not columns or any(_is_split(drawing, column, groups) for column in columns):
        return None
    key = TaskColumn(by.path, "", "text")
    return DrawnTask(tuple(conditions), members, shape=Shape(group=by.path), columns=(key, *columns))


def _usable(drawing: FamilyInput, by: AskableColumn, rows: Subset) -> list[Group]:
    """Return the groups of `rows` by a column; none if their number is not wanted or a fact is not stated."""
    groups = stated_groups(drawing.view, drawing.views, by, rows)
    n_members = sum(len(group.members) for group in groups)
    fits = drawing.wanted.low <= len(groups) <= drawing.wanted.high and n_members >= _AT_LEAST * len(groups)
    return groups if fits else []


def _pick_columns(drawing: FamilyInput, members: Subset, used: set[str]) -> list[TaskColumn]:
    """Draw what to compute: a count first, then one aggregate for each of several columns."""
    family, dice = drawing.family, drawing.dice
    n = dice.within(drawing.columns) - 1
    counted = "count" in family.groups.measures and dice.happens(_COUNTED)
    columns = [TaskColumn(Measure("count").path, "", "integer")] if counted and n else []
    options = [v for v in drawing.view.values if v.path not in used and v.ordered and v.column.is_amount]
    options = [v for v in options if v.is_stated(members)]
    open_options = [ways for value in options if (ways := _ways(value, family, drawing.language))]
    while open_options and len(columns) < n:
        ways = open_options.pop(dice.below(len(open_options)))
        columns.append(ways[dice.below(len(ways))])
    return columns if len(columns) == n and n > 0 else []


def _ways(value: AskableColumn, family: TaskFamily, language: str) -> list[TaskColumn]:
    """List what can be computed of a column: sums of whole numbers, means of numbers, of all the first and the last."""
    name, kind, of = value.column.name, value.column.kind, family.groups.of
    if of is not None and name not in of:
        return []
    ways = [TaskColumn(Measure("min", name).path, "", kind), TaskColumn(Measure("max", name).path, "", kind)]
    if kind in _SUMMED and (of is not None or load(_ADDS_UP)(language, value.column.label, value.column.unit)):
        ways.append(TaskColumn(Measure("sum", name).path, "", kind))
    if kind in _AVERAGED:
        ways.append(TaskColumn(Measure("mean", name, _places(value)).path, "", "number"))
    return [way for way in ways if way.path.partition("(")[0] in family.groups.measures]


def _places(value: AskableColumn) -> int:
    """Return to how many decimals a mean is rounded: one more than the column has."""
    known = value.numbers[~np.isnan(value.numbers)]
    decimals = range(_MOST_PLACES)
    return next((n + 1 for n in decimals if np.array_equal(np.round(known, n), known)), _MOST_PLACES)


def _is_split(drawing: FamilyInput, column: TaskColumn, groups: Sequence[Group]) -> bool:
    """Return whether the mean of some group lies halfway between two rounded values."""
    measure = measure_of(column.path)
    if measure is None or measure.name != "mean":
        return False
    numbers = drawing.view.column(measure.column).numbers
    return any(is_halfway(measure, numbers[group.members].tolist()) for group in groups)


FAMILY = Family(draw, frames="aggregate")
