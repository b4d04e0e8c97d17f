"""Union: the entities that meet either of two terms."""

from __future__ import annotations

import numpy as np

from worldforge.builders.tasks.related_terms import pick_term
from worldforge.builders.tasks.task_family import DrawnTask, Family, FamilyInput
from worldforge.schema.spec_section import Range
from worldforge.world.task_terms import AnyOf, Condition


def draw(drawing: FamilyInput) -> DrawnTask | None:
    """Draw two lists, each of which adds to the other."""
    low = max(1, drawing.wanted.low // 2)
    each = Range(low=low, high=max(low, drawing.wanted.high - 1))
    first = pick_term(drawing, drawing.view.everyone, each, "")
    second = pick_term(
        drawing, drawing.view.everyone, each, first[0].path if first and isinstance(first[0], Condition) else ""
    )
    if first is None or second is None or first[0] == second[0]:
        return None
    rows = np.union1d(first[1], second[1])
    if len(rows) in (len(first[1]), len(second[1])):
        return None
    return DrawnTask((AnyOf(((first[0],), (second[0],))),), rows)


FAMILY = Family(draw, frames="union", over_relations=True)
