"""Completion: the question names the entities and asks for their columns."""

from __future__ import annotations

import numpy as np

from worldforge.builders.tasks.task_family import DrawnTask, Family, FamilyInput
from worldforge.world.stable_ids import entity_id
from worldforge.world.task_terms import GivenEntities


def draw(drawing: FamilyInput) -> DrawnTask | None:
    """Draw the entities that the question names."""
    view = drawing.view
    n = drawing.dice.within(drawing.wanted)
    (named,) = np.nonzero(view.named)
    if n > len(named):
        return None
    order = np.argsort(drawing.stream.child("given").uniform(named), kind="stable")
    rows = np.sort(named[order[:n]])
    ids = tuple(entity_id(view.name, row) for row in rows.tolist())
    return DrawnTask((GivenEntities(ids, tuple(view.column("name").values.take(rows).to_pylist())),), rows)


FAMILY = Family(draw, frames="completion")
