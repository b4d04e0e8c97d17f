"""Two lists joined by a reference: of each club that meets conditions, the players that meet others, rows by both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from worldforge.builders.tasks.condition_sampling import pick_columns
from worldforge.builders.tasks.table_view import AskableColumn, Subset
from worldforge.builders.tasks.task_family import DrawnTask, Family, FamilyInput, draw_conditions, fixed_paths, paths_of
from worldforge.schema.spec_section import Range
from worldforge.world.task import TaskColumn
from worldforge.world.task_terms import Shape, Term, terms_of_members

_FEWEST_OWNERS = 2
_KEYS = 2
_LEAST_COLUMNS = 2  # beside the keys: one of each list


def draw(drawing: FamilyInput) -> DrawnTask | None:
    """Draw a reference, conditions on what it leads to, conditions on who refers there, and columns of both."""
    view, dice = drawing.view, drawing.dice
    options = [one for one in view.references if "." not in one.path and one.column.references != view.name]
    if not options:
        return None
    by = options[dice.below(len(options))]
    about = replace(drawing, view=drawing.views[str(by.column.references)])
    n = max(2, dice.within(drawing.family.conditions))
    n_own = 1 + dice.below(n - 1)
    owners = draw_conditions(about, n - n_own, _wanted_owners(drawing, by))
    if owners is None:
        return None
    members = np.flatnonzero(np.isin(by.codes, owners[1]))
    picked = draw_conditions(drawing, n_own, drawing.wanted, members)
    if picked is None or any(path.partition(".")[0] == by.path for path in paths_of(picked[0])):
        return None
    own, rows = picked
    terms = (*terms_of_members(owners[0], by.path), *own)
    columns = _columns(drawing, about, by, terms, rows) if _can_be_told_apart(by, view.column("name"), rows) else ()
    if not columns:
        return None
    return DrawnTask(terms, rows, shape=Shape(within=by.path), columns=columns, keys=(by.path, "name"))


def _wanted_owners(drawing: FamilyInput, by: AskableColumn) -> Range:
    """Return how many entities the first list may have: enough for the rows that are wanted, and not all."""
    n_owners = len(np.unique(by.codes[by.codes >= 0]))
    per_owner = np.count_nonzero(by.codes >= 0) / max(1, n_owners)
    low = max(_FEWEST_OWNERS, math.ceil(drawing.wanted.low / max(1.0, per_owner)))
    return Range(low=low, high=max(low, n_owners - 1))


def _can_be_told_apart(by: AskableColumn, name: AskableColumn, rows: Subset) -> bool:
    """Return whether pages state of each row whom it belongs to, several in all, and no two have the same names."""
    pairs = np.unique(np.stack([by.codes[rows], name.codes[rows]]), axis=1)
    return by.is_stated(rows) and pairs.shape[1] == len(rows) and len(np.unique(pairs[0])) >= _FEWEST_OWNERS


def _columns(
    drawing: FamilyInput, about: FamilyInput, by: AskableColumn, terms: Sequence[Term], rows: Subset
) -> tuple[TaskColumn, ...]:
    """Draw the columns of both lists, their names first; none where pages state too few."""
    n = max(_LEAST_COLUMNS, drawing.dice.within(drawing.columns) - _KEYS)
    n_of_owners = 1 + drawing.dice.below(n - 1)
    owners, fixed = np.unique(by.codes[rows]), fixed_paths(terms)
    if not about.view.named[owners].all():
        return ()
    fixed_of_owners = [path.removeprefix(f"{by.path}.") for path in fixed]
    of_owners = pick_columns(about.view, drawing.dice, owners, _up_to(n_of_owners), fixed_of_owners, ("name",))[1:]
    own = pick_columns(drawing.view, drawing.dice, rows, _up_to(n - len(of_owners)), [*fixed, by.path], ("name",))
    if not of_owners or len(own) + len(of_owners) + 1 < drawing.columns.low:
        return ()
    led_to = (replace(column, path=f"{by.path}.{column.path}") for column in of_owners)
    return (TaskColumn(by.path, "", "text"), own[0], *led_to, *own[1:])


def _up_to(n: int) -> Range:
    """Return how many columns to draw beside a name: at least one."""
    return Range(low=2, high=n + 1)


FAMILY = Family(draw, frames="joined_lists")
