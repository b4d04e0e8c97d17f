"""Rankings: of the entities that meet the conditions, those that come first by a column."""

from __future__ import annotations

import numpy as np

from worldforge.builders.tasks.families.drawing import Drawing, Drawn, draw_conditions
from worldforge.schema.section import Range
from worldforge.world.terms import Shape

_MOST_RANKED = 400  # entities that a searcher has to compare


def draw_ranking(drawing: Drawing) -> Drawn | None:
    """Draw conditions, a column that pages state for all who meet them, and how many come first; no tie at the cut."""
    view, dice, low = drawing.view, drawing.dice, drawing.wanted.low
    if low >= min(view.n_rows, _MOST_RANKED):
        return None
    pool = Range(low=low + 1, high=min(view.n_rows, _MOST_RANKED))
    picked = draw_conditions(drawing, dice.within(drawing.family.conditions), pool)
    if picked is None:
        return None
    conditions, rows = picked
    rows = np.arange(view.n_rows) if rows is None else rows
    used = {condition.path for condition in conditions}
    options = [v for v in view.values if v.ordered and v.column.name not in used and v.is_stated(rows)]
    if not options or not pool.low <= len(rows) <= pool.high:
        return None
    option = options[dice.below(len(options))]
    highest = dice.happens(0.5)
    k = dice.within(Range(low=low, high=max(low, min(drawing.wanted.high, len(rows) - 1))))
    values = option.numbers[rows] if not highest else -option.numbers[rows]
    order = np.argsort(values, kind="stable")
    if np.isnan(values).any() or values[order[k - 1]] == values[order[k]]:
        return None
    facts, _ = drawing.masks.chain(view.name, option.column.name, rows)
    facts += drawing.masks.prove(view.name, conditions, rows)[0] if len(conditions) else []
    shape = Shape(order=option.column.name, highest=highest, limit=k)
    return Drawn(tuple(conditions), np.sort(rows[order[:k]]), facts, shape)
