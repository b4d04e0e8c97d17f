"""The plain list: all entities that meet a few conditions."""

from __future__ import annotations

from worldforge.builders.tasks.task_family import DrawnTask, Family, FamilyInput, draw_conditions


def draw(drawing: FamilyInput) -> DrawnTask | None:
    """Draw conditions that all hold."""
    picked = draw_conditions(drawing, drawing.dice.within(drawing.family.conditions), drawing.wanted)
    return None if picked is None else DrawnTask(tuple(picked[0]), picked[1])


FAMILY = Family(draw, frames="list")
