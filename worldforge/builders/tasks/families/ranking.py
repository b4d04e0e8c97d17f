"""Rankings: the first of the entities that meet the conditions, ordered by a column."""

from __future__ import annotations

import numpy as np

from worldforge.builders.tasks.task_family import DrawnTask, Family, FamilyInput, draw_conditions, paths_of
from worldforge.schema.spec_section import Range
from worldforge.world.task_terms import Shape

_MOST_RANKED = 400  # entities that a searcher has to compare
_POOL = 3  # entities compared, at least, for each that is asked for


def draw(drawing: FamilyInput) -> DrawnTask | None:
    """Draw conditions, a column that pages state for all who meet them, and how many come first.

    At least three times as many meet the conditions. No two of those that come first are alike, nor is the one after.
    The rows drawn are in the order of the ranking.
    """
    view, dice, low = drawing.view, drawing.dice, drawing.wanted.low
    if _POOL * low > min(view.n_rows, _MOST_RANKED):
        return None
    pool = Range(low=_POOL * low, high=min(view.n_rows, _MOST_RANKED))
    picked = draw_conditions(drawing, dice.within(drawing.family.conditions), pool)
    if picked is None:
        return None
    conditions, rows = picked
    used = paths_of(conditions)
    options = [v for v in view.values if v.comparable and v.column.is_amount and v.path not in used]
    options = [v for v in options if v.is_stated(rows)]
    if not options or not pool.low <= len(rows) <= pool.high:
        return None
    option = options[dice.below(len(options))]
    highest = dice.happens(0.5)
    k = dice.within(Range(low=low, high=max(low, min(drawing.wanted.high, len(rows) // _POOL))))
    values = option.numbers[rows] if not highest else -option.numbers[rows]
    order = np.argsort(values, kind="stable")
    if np.isnan(values).any() or len(np.unique(values[order[: k + 1]])) <= k:
        return None
    facts, _ = drawing.evaluator.chain(view.name, option.path, rows)
    facts += drawing.evaluator.prove(view.name, conditions, rows)[0] if len(conditions) else []
    shape = Shape(order=option.path, highest=highest, limit=k)
    return DrawnTask(tuple(conditions), rows[order[:k]], facts, shape)


FAMILY = Family(draw, frames="ranking")
