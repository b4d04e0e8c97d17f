"""By site: a figure as two named sites give it, beside other columns of the entities that meet the conditions."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from worldforge.builders.tasks.condition_sampling import pick_columns
from worldforge.builders.tasks.task_family import (
    DrawnTask,
    Family,
    FamilyInput,
    draw_conditions,
    fixed_paths,
    paths_of,
)
from worldforge.schema.spec_section import Range
from worldforge.schema.table_columns import ColumnInfo
from worldforge.world.site_figures import by_site
from worldforge.world.task import TaskColumn

_LEAST_DIFFERENT = 0.05  # of the rows have two figures that differ: else nobody would ask for both

_CLAUSE = " that "


def draw(drawing: FamilyInput) -> DrawnTask | None:
    """Draw conditions, a figure that two sites give of all that meet them, and further columns."""
    view, dice = drawing.view, drawing.dice
    picked = draw_conditions(drawing, dice.within(drawing.family.conditions), drawing.wanted)
    if picked is None:
        return None
    conditions, rows = picked
    asked = paths_of(conditions)
    pairs = [
        (column, pair)
        for column, figures in view.site_figures.items()
        if column not in asked and _may_name_a_site(view.column(column).column)
        for pair in combinations(figures, 2)
        if _differ(figures[pair[0]][rows], figures[pair[1]][rows])
    ]
    if not pairs:
        return None
    column, sites = pairs[dice.below(len(pairs))]
    kind = view.column(column).column.kind
    asked_by_site = tuple(TaskColumn(by_site(column, site), "", kind) for site in sites)
    others = Range(low=max(1, drawing.columns.low - 2), high=max(1, drawing.columns.high - 2))
    without = {*fixed_paths(conditions), column}
    columns = pick_columns(view, dice, rows, others, without, ("name",), drawing.family.paths)
    return DrawnTask(tuple(conditions), rows, columns=(*columns, *asked_by_site)) if columns else None


def _may_name_a_site(column: ColumnInfo) -> bool:
    """Return whether `according to SITE` can follow the label: not after a clause (`restaurants that serve it`)."""
    return column.is_amount and _CLAUSE not in column.label


def _differ(first: np.ndarray, second: np.ndarray) -> bool:
    """Return whether both sites give all figures, and enough of them differ."""
    given = not np.isnan(first).any() and not np.isnan(second).any()
    return bool(given and np.count_nonzero(first != second) >= max(1, _LEAST_DIFFERENT * len(first)))


FAMILY = Family(draw, frames="list", names_sites=True)
