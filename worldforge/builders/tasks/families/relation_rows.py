"""Rows of a relation: the seasons, posts or prices of all entities that meet the conditions, each row by two keys."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from worldforge.builders.tasks.table_view import ENDS, AskableColumn, Subset, TableView
from worldforge.builders.tasks.task_family import DrawnTask, Family, FamilyInput, draw_conditions
from worldforge.schema.spec_section import Range
from worldforge.world.task_terms import Shape

TIMES = ("year", "date")
"""Kinds of columns that say when a row was."""
ROUND = "round"
"""The column of the rounds in which entities meet."""


def draw(drawing: FamilyInput) -> DrawnTask | None:
    """Draw a relation, conditions on the entities at its source, and the two columns that are keys of its rows."""
    dice = drawing.dice
    links = [link for link in drawing.links if link.column == "source" and link.end]
    if not links:
        return None
    link = links[dice.below(len(links))]
    rows_of = drawing.views[link.table]
    owners = rows_of.column(link.column).codes
    per_owner = len(owners) / max(1, len(np.unique(owners)))
    wanted = Range(low=max(1, int(drawing.wanted.low / per_owner)), high=max(1, round(drawing.wanted.high / per_owner)))
    picked = draw_conditions(drawing, dice.within(drawing.family.conditions), wanted)
    if picked is None:
        return None
    rows = np.flatnonzero(np.isin(owners, picked[1]))
    telling = [path for path in _telling(rows_of, link.column, rows) if path != link.until]
    if not telling:
        return None
    keys = (link.column, telling[dice.below(len(telling))])
    return DrawnTask(tuple(picked[0]), rows, shape=Shape(rows=link.table, end=link.column), keys=keys)


def _telling(view: TableView, end: str, rows: Subset) -> Iterator[str]:
    """Yield the columns that pages state and that differ between the rows of one entity: whom with, or when."""
    for column in view.columns:
        when = column.column.kind in TIMES or column.path == ROUND
        if (column.path == ENDS[end] or when) and column.is_stated(rows) and differs(view, end, column, rows):
            yield column.path


def differs(view: TableView, end: str, column: AskableColumn, rows: Subset) -> bool:
    """Return whether no two of `rows` of one entity have the same value of a column, and all have one."""
    owners, codes = view.column(end).codes[rows], column.codes[rows]
    pairs = owners * (int(codes.max(initial=0)) + 1) + codes
    return bool(len(codes)) and bool(codes.min() >= 0) and len(np.unique(pairs)) == len(pairs)


FAMILY = Family(draw, frames="relation_rows", over_relations=True, rows_of_sources=True)
