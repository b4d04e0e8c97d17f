"""Filters: conditions under AND, OR and NOT, and ranges."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from worldforge.builders.tasks.condition_sampling import pick_between, pick_condition
from worldforge.builders.tasks.table_view import Subset
from worldforge.builders.tasks.task_family import DrawnTask, Family, FamilyInput, draw_conditions, paths_of
from worldforge.schema.spec_section import Range
from worldforge.world.task_terms import AnyOf, Condition, NoneOf, Term


def draw(drawing: FamilyInput) -> DrawnTask | None:
    """Draw one of the forms of logic that the family allows, with as many conditions as it wants."""
    logic = drawing.family.logic
    word = logic[drawing.dice.below(len(logic))]
    n = drawing.dice.within(drawing.family.conditions)
    return {"and": _all, "or": _any, "not": _not, "between": _between}[word](drawing, n)


def _all(drawing: FamilyInput, n: int) -> DrawnTask | None:
    picked = draw_conditions(drawing, n, drawing.wanted)
    return None if picked is None else DrawnTask(tuple(picked[0]), picked[1])


def _base(drawing: FamilyInput, n: int, low: int, high: int) -> tuple[list[Condition | AnyOf], Subset] | None:
    """Draw the conditions that come before the logic, so that between `low` and `high` rows are left to it."""
    if n < 1:
        return [], drawing.view.everyone
    return draw_conditions(drawing, n, Range(low=low, high=max(low, high)), alternatives=False)


def _between(drawing: FamilyInput, n: int) -> DrawnTask | None:
    base = _base(drawing, n - 1, drawing.wanted.low + 2, drawing.view.n_rows)
    if base is None:
        return None
    picked = pick_between(drawing.view, drawing.dice, base[1], paths_of(base[0]), drawing.wanted)
    return None if picked is None else DrawnTask((*base[0], picked[0]), picked[1])


def _any(drawing: FamilyInput, n: int) -> DrawnTask | None:
    """Draw two or three alternatives, the rest conditions that hold in any case; each alternative adds rows."""
    n_parts = 2 if n <= 3 else 2 + drawing.dice.below(2)
    base = _base(drawing, n - n_parts, drawing.wanted.low, drawing.view.n_rows)
    if base is None:
        return None
    used = [*paths_of(base[0])]
    parts, found = [], np.empty(0, np.int64)
    for _ in range(n_parts):
        least = max(1, drawing.wanted.low // 2)
        wanted = Range(low=least, high=max(least, drawing.wanted.high - len(found)))
        picked = pick_condition(drawing.view, drawing.dice, base[1], used, wanted, refer=drawing.dice.happens(0.3))
        if picked is None or (union := np.union1d(found, picked[1])).size == found.size:
            return None
        parts.append((picked[0],))
        used.append(picked[0].path)
        found = union
    return DrawnTask((*base[0], AnyOf(tuple(parts))), found)


def _not(drawing: FamilyInput, n: int) -> DrawnTask | None:
    """Draw conditions, then one or two that must not hold: an equality is turned around, others are excepted."""
    low, high = drawing.wanted.low, drawing.wanted.high
    n_excluded = 1 if n <= 2 else 1 + drawing.dice.below(2)
    base = _base(drawing, max(n - n_excluded, 0), low + 1, 2 * high)
    if base is None:
        return None
    conditions, left = base
    excluded: list[Condition] = []
    for _ in range(n_excluded):
        used = paths_of((*conditions, *excluded))
        wanted = Range(low=1, high=max(1, len(left) - low))
        picked = pick_condition(drawing.view, drawing.dice, left, used, wanted, refer=drawing.dice.happens(0.3))
        if picked is None:
            return None
        excluded.append(picked[0])
        left = np.setdiff1d(left, picked[1])
    if n_excluded == 1 and excluded[0].operator == "=" and excluded[0].kind == "text":
        term: Term = replace(excluded[0], operator="!=")
    else:
        term = NoneOf(tuple((condition,) for condition in excluded))
    return DrawnTask((*conditions, term), left)


FAMILY = Family(draw, frames="filter")
