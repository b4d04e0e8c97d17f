"""Two lists put together, or held against each other; and lists that are given, to be completed."""

from __future__ import annotations

import numpy as np

from worldforge.builders.tasks.condition_sampling import Rows, pick_condition
from worldforge.builders.tasks.families.drawing import DrawnTask, FamilyInput
from worldforge.builders.tasks.families.related import pick_related
from worldforge.builders.tasks.type_views import Subset
from worldforge.schema.section import Range
from worldforge.world.task_terms import AnyOf, Condition, GivenEntities, RelatedTerm


def draw_union(drawing: FamilyInput) -> DrawnTask | None:
    """Draw two lists, each of which adds to the other."""
    low = max(1, drawing.wanted.low // 2)
    each = Range(low=low, high=max(low, drawing.wanted.high - 1))
    first = _pick(drawing, None, each, "")
    second = _pick(drawing, None, each, first[0].path if first and isinstance(first[0], Condition) else "")
    if first is None or second is None or first[0] == second[0]:
        return None
    rows = np.union1d(first[1], second[1])
    if len(rows) in (len(first[1]), len(second[1])):
        return None
    return DrawnTask((AnyOf(((first[0],), (second[0],))),), rows)


def draw_intersection(drawing: FamilyInput) -> DrawnTask | None:
    """Draw two lists that have entities in common, and others each."""
    every = Range(low=drawing.wanted.low + 1, high=max(drawing.wanted.low + 1, drawing.view.n_rows))
    first = _pick(drawing, None, every, "")
    if first is None:
        return None
    second = _pick(drawing, first[1], drawing.wanted, first[0].path if isinstance(first[0], Condition) else "")
    if second is None or first[0] == second[0] or len(second[1]) == len(first[1]):
        return None
    if int(drawing.masks.holds(drawing.view.name, second[:1]).sum()) == len(second[1]):
        return None  # the second list lies within the first
    return DrawnTask((first[0], second[0]), second[1])


def _pick(drawing: FamilyInput, rows: Rows, wanted: Range, used: str) -> tuple[Condition | RelatedTerm, Subset] | None:
    """Draw one term that leaves as many rows as are wanted: over another table where there is one, half of the time."""
    if drawing.links and drawing.dice.happens(0.5):
        return pick_related(drawing, rows, wanted)
    refer = drawing.dice.happens(drawing.family.through)
    return pick_condition(drawing.view, drawing.dice, rows, (used,), wanted, refer=refer)


def draw_completion(drawing: FamilyInput) -> DrawnTask | None:
    """Draw entities by chance, to be named in the question."""
    view = drawing.view
    n = drawing.dice.within(drawing.wanted)
    (named,) = np.nonzero(view.named)
    if n > len(named):
        return None
    order = np.argsort(drawing.stream.child("given").uniform(named), kind="stable")
    rows = np.sort(named[order[:n]])
    table = drawing.masks.tables[view.name].take(rows)
    return DrawnTask((GivenEntities(tuple(table["id"].to_pylist()), tuple(table["name"].to_pylist())),), rows)
