"""Intersection: the entities that are on both of two lists."""

from __future__ import annotations

from worldforge.builders.tasks.related_terms import pick_term
from worldforge.builders.tasks.task_family import DrawnTask, Family, FamilyInput
from worldforge.schema.spec_section import Range
from worldforge.world.task_terms import Condition


def draw(drawing: FamilyInput) -> DrawnTask | None:
    """Draw two lists that share entities, and each of which has others."""
    every = Range(low=drawing.wanted.low + 1, high=max(drawing.wanted.low + 1, drawing.view.n_rows))
    first = pick_term(drawing, drawing.view.everyone, every, "")
    if first is None:
        return None
    second = pick_term(drawing, first[1], drawing.wanted, first[0].path if isinstance(first[0], Condition) else "")
    if second is None or first[0] == second[0] or len(second[1]) == len(first[1]):
        return None
    if len(drawing.evaluator.rows(drawing.view.name, second[:1])) == len(second[1]):
        return None  # the second list lies within the first
    return DrawnTask((first[0], second[0]), second[1])


FAMILY = Family(draw, frames="intersection", over_relations=True)
