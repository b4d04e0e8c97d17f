"""The first of each group: the three largest clubs of every region, among those that meet the conditions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from worldforge.builders.tasks.group_columns import Group, group_columns, stated_groups
from worldforge.builders.tasks.table_view import AskableColumn, Subset
from worldforge.builders.tasks.task_family import DrawnTask, Family, FamilyInput, draw_conditions, paths_of
from worldforge.schema.spec_section import Range
from worldforge.world.task_terms import Shape

_MOST_COMPARED = 1200  # entities that a searcher has to compare
_POOL = 1.5  # entities compared, at least, for each that is asked for
_LARGER = 0.5  # of the groups, at least, have more entities than are asked for


def draw(drawing: FamilyInput) -> DrawnTask | None:
    """Draw conditions, a column that groups who meets them, how many of each group, and by what they are ranked.

    No group has two that are alike at its last place: the last that is asked for, and the one after. A group with fewer
    gives all it has.
    """
    view, dice, wanted = drawing.view, drawing.dice, drawing.wanted
    least, most = math.ceil(_POOL * wanted.low), min(view.n_rows, _MOST_COMPARED)
    if least > most:
        return None
    picked = draw_conditions(drawing, dice.within(drawing.family.conditions), Range(low=least, high=most))
    if picked is None or len(picked[1]) > most:
        return None
    conditions, rows = picked
    divisions = list(_divisions(drawing, paths_of(conditions), rows))
    if not divisions:
        return None
    by, groups, n = divisions[dice.below(len(divisions))]
    used = {by.path, *paths_of(conditions)}
    options = [one for one in view.values if one.comparable and one.column.is_amount]
    options = [one for one in options if one.path not in used and one.is_stated(rows)]
    if not options:
        return None
    order = options[dice.below(len(options))]
    highest = dice.happens(0.5)
    first = [_first(order, group.members, n, highest=highest) for group in groups]
    if any(own is None for own in first):
        return None
    answer = np.sort(np.concatenate([own for own in first if own is not None]))
    facts = [fact for path in (by.path, order.path) for fact in drawing.evaluator.chain(view.name, path, rows)[0]]
    facts += drawing.evaluator.prove(view.name, conditions, rows)[0]
    shape = Shape(order=order.path, highest=highest, limit=n, within=by.path)
    return DrawnTask(tuple(conditions), answer, facts, shape, keys=("name", by.path))


def _divisions(
    drawing: FamilyInput, used: set[str], rows: Subset
) -> Iterator[tuple[AskableColumn, Sequence[Group], int]]:
    """Yield ways to group `rows`: the column, its groups, and how many of each make a table of the size asked for."""
    spec = drawing.family.groups
    for by in group_columns(drawing.view, spec.by, used):
        groups = stated_groups(drawing.view, drawing.views, by, rows)
        sizes = np.array([len(group.members) for group in groups], np.int64)
        for n in range(spec.first.low, spec.first.high + 1):
            n_rows = int(np.minimum(sizes, n).sum())
            fits = drawing.wanted.low <= n_rows <= drawing.wanted.high and _POOL * n_rows <= len(rows)
            if fits and len(sizes) > 1 and (sizes > n).mean() >= _LARGER:
                yield by, groups, n


def _first(order: AskableColumn, rows: Subset, n: int, *, highest: bool) -> Subset | None:
    """Return the first `n` of `rows` by a column, or all where there are fewer; None where two share the last place."""
    values = -order.numbers[rows] if highest else order.numbers[rows]
    ranked = np.argsort(values, kind="stable")
    if np.isnan(values).any() or (len(rows) > n and values[ranked[n - 1]] == values[ranked[n]]):
        return None
    return rows[ranked[:n]]


FAMILY = Family(draw, frames="top_per_group")
