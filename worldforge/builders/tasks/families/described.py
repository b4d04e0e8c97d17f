"""Described: the question describes an entity instead of naming it."""

from __future__ import annotations

import numpy as np

from worldforge.builders.tasks.condition_sampling import pick_code
from worldforge.builders.tasks.task_family import DrawnTask, Family, FamilyInput, draw_conditions
from worldforge.builders.tasks.type_views import ReferenceChain, TypeView, ValueColumn
from worldforge.schema.spec_section import Range
from worldforge.world.task_terms import Condition, DescribedTerm, Terms
from worldforge.world.value_text import as_written, canonical

_MOST_COMPARED = 200  # entities whose values show which has the highest


def draw(drawing: FamilyInput) -> DrawnTask | None:
    """Draw an entity that enough others refer to, a unique description of it, and further conditions."""
    view, dice = drawing.view, drawing.dice
    if not view.references:
        return None
    option = view.references[dice.below(len(view.references))]
    n = dice.within(drawing.family.conditions)
    high = max(drawing.wanted.low, drawing.wanted.high if n == 1 else view.n_rows)
    target = pick_code(option.groups, dice, None, Range(low=drawing.wanted.low, high=high))
    if target is None:
        return None
    about = str(option.column.references)
    where = _description(drawing, drawing.views[about], target)
    if not where or int(drawing.masks.holds(about, where).sum()) != 1:
        return None
    term = DescribedTerm(option.path, about, where, option.ids[target].as_py(), option.names[target].as_py())
    rows = option.groups.members(None, target)
    if n == 1:
        return DrawnTask((term,), rows)
    more = draw_conditions(drawing, n - 1, drawing.wanted, rows, (option.path,))
    return None if more is None or more[1] is None else DrawnTask((term, *more[0]), more[1])


def _description(drawing: FamilyInput, view: TypeView, row: int) -> Terms:
    """Draw one or two conditions that hold for the entity in `row`; others may meet them too."""
    dice = drawing.dice
    if dice.happens(0.35) and view.n_rows <= _MOST_COMPARED:
        return _superlative(drawing, view, row)
    values = [value for value in view.values if value.stated[row]]
    references = [reference for reference in view.references if "." not in reference.path and reference.stated[row]]
    options: list[ValueColumn | ReferenceChain] = [*values, *references]
    n_parts = 1 + dice.below(2)
    if len(options) < n_parts:
        return ()
    chosen = [options.pop(dice.below(len(options))) for _ in range(n_parts)]
    return tuple(_equal(option, row) for option in chosen)


def _superlative(drawing: FamilyInput, view: TypeView, row: int) -> Terms:
    options = []
    for value in view.values:
        known = value.numbers[~np.isnan(value.numbers)] if value.comparable else np.empty(0)
        for operator, best in (("highest", np.max), ("lowest", np.min)):
            if len(known) and value.stated.all() and value.numbers[row] == best(known):
                options.append((value.column, operator))
    if not options:
        return ()
    column, operator = options[drawing.dice.below(len(options))]
    return (Condition(column.name, "highest" if operator == "highest" else "lowest", "", "", column.kind),)


def _equal(option: ValueColumn | ReferenceChain, row: int) -> Condition:
    if isinstance(option, ReferenceChain):
        target = int(option.rows[row])
        return Condition(option.path, "=", option.ids[target].as_py(), option.names[target].as_py(), "text")
    one, kind = option.values.slice(row, 1), option.column.kind
    return Condition(option.column.name, "=", canonical(one, kind)[0].as_py(), as_written(one, kind)[0].as_py(), kind)


FAMILY = Family(draw, frames="described")
