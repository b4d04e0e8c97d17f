"""Joins: entities by conditions on rows of other tables that refer to them, and on their own columns."""

from __future__ import annotations

from worldforge.builders.tasks.related_terms import pick_related
from worldforge.builders.tasks.task_family import DrawnTask, Family, FamilyInput, draw_conditions
from worldforge.schema.spec_section import Range


def draw(drawing: FamilyInput) -> DrawnTask | None:
    """Draw one term over another table, then conditions of the entities' own."""
    n = drawing.dice.within(drawing.family.conditions)
    high = max(drawing.wanted.low, drawing.wanted.high if n == 1 else drawing.view.n_rows)
    picked = pick_related(drawing, drawing.view.everyone, Range(low=drawing.wanted.low, high=high))
    if picked is None:
        return None
    term, rows = picked
    if n == 1:
        return DrawnTask((term,), rows)
    more = draw_conditions(drawing, n - 1, drawing.wanted, rows)
    return None if more is None else DrawnTask((term, *more[0]), more[1])


FAMILY = Family(draw, frames="join", over_relations=True)
