"""Described: the question describes an entity instead of naming it."""

from __future__ import annotations

import numpy as np

from worldforge.builders.tasks.condition_sampling import pick_value
from worldforge.builders.tasks.table_view import AskableColumn, TableView
from worldforge.builders.tasks.task_family import DrawnTask, Family, FamilyInput, draw_conditions
from worldforge.schema.spec_section import Range
from worldforge.world.task_terms import Condition, DescribedTerm, Operator, Terms

_MOST_PARTS = 2  # of a description
_NONE = "0"  # nobody is described by having no library
_MOST_COMPARED = 200  # entities whose values show which has the highest


def draw(drawing: FamilyInput) -> DrawnTask | None:
    """Draw an entity that enough others refer to, a unique description of it, and further conditions."""
    view, dice = drawing.view, drawing.dice
    if not view.references:
        return None
    option = view.references[dice.below(len(view.references))]
    n = dice.within(drawing.family.conditions)
    high = max(drawing.wanted.low, drawing.wanted.high if n == 1 else view.n_rows)
    picked = pick_value(option, dice, view.everyone, Range(low=drawing.wanted.low, high=high))
    if picked is None:
        return None
    named, rows = picked
    about = str(option.column.references)
    where = _description(drawing, drawing.views[about], int(option.codes[rows[0]]))
    if not where or len(drawing.evaluator.rows(about, where)) != 1:
        return None
    term = DescribedTerm(option.path, about, where, named.value, named.written)
    if n == 1:
        return DrawnTask((term,), rows)
    more = draw_conditions(drawing, n - 1, drawing.wanted, rows, (option.path,))
    return None if more is None else DrawnTask((term, *more[0]), more[1])


def _description(drawing: FamilyInput, view: TableView, row: int) -> Terms:
    """Draw a condition that holds for the entity in `row` alone, or two; none where others meet them too."""
    dice = drawing.dice
    if dice.happens(0.35) and view.n_rows <= _MOST_COMPARED:
        return _superlative(drawing, view, row)
    options = [one for one in (*view.values, *view.references) if "." not in one.path and one.stated[row]]
    chosen: tuple[Condition, ...] = ()
    while options and len(chosen) < _MOST_PARTS:
        one = options.pop(dice.below(len(options)))
        part = one.equals(int(one.codes[row]))
        if part.value == _NONE:
            continue
        chosen = (*chosen, part)
        if len(drawing.evaluator.rows(view.name, chosen)) == 1:
            return chosen
    return ()


def _superlative(drawing: FamilyInput, view: TableView, row: int) -> Terms:
    options: list[tuple[AskableColumn, Operator]] = []
    for value in view.values:
        known = value.numbers[~np.isnan(value.numbers)] if value.comparable else np.empty(0)
        if len(known) and value.stated.all():
            options += [(value, "highest")] if value.numbers[row] == known.max() else []
            options += [(value, "lowest")] if value.numbers[row] == known.min() else []
    if not options:
        return ()
    best, operator = options[drawing.dice.below(len(options))]
    return (Condition(best.path, operator, "", "", best.column.kind),)


FAMILY = Family(draw, frames="described")
