"""Groups of entities: their members, aggregates, and the facts that these rest on.

groups_of(view, "town", rows)      groups in the order of the gold table, each with its members
group_facts(view, "town", …)       the facts of each cell, computed ones included
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from worldforge.builders.tasks.table_view import AskableColumn, Subset, TableView
from worldforge.core.english import is_superlative
from worldforge.core.imports import load
from worldforge.world.computed_cells import Measure, cell_of, measure_of
from worldforge.world.question_labels import TableLabels
from worldforge.world.stable_ids import entity_id
from worldforge.world.task import TaskColumn

_MEASURED = "questions.measured"
_SCALE = 10**6  # a written number has six decimals at most


@dataclass(frozen=True, slots=True)
class Group:
    """One group: the fact that its name is, and the rows of its members, ascending."""

    key: str
    members: Subset


def groups_of(view: TableView, column: str, rows: Subset) -> list[Group]:
    """Group `rows` by what `column` refers to, as that is numbered, or by its value, as their first members are.

    A group's name is the name of what is referred to, or the value that its first member has. Who has none is left out.
    """
    by = view.column(column)
    codes = by.codes[rows]
    rows, codes = rows[codes >= 0], codes[codes >= 0]
    found, first = np.unique(codes, return_index=True)
    referred = by.column.references
    groups = []
    for code in found[np.argsort(found if referred else first, kind="stable")].tolist():
        members = rows[codes == code]
        key = f"{entity_id(referred, code)}#name" if referred else f"{entity_id(view.name, int(members[0]))}#{column}"
        groups.append(Group(key, members))
    return groups


def group_columns(view: TableView, wanted: Collection[str] | None, used: Collection[str]) -> Iterator[AskableColumn]:
    """Yield the columns that entities may be grouped by, references and texts: those `wanted`, by default all.

    None is at the paths of conditions, `used`, or at their begin: `for each club, the players of a club that …` nobody
    says, nor `for each most played platform`.
    """
    without = {part for path in used for part in (path, path.partition(".")[0])}
    for option in (*view.references, *view.values):
        fits = (wanted is None or option.path in wanted) and option.path not in without
        fits = fits and not is_superlative(option.column.label)
        if fits and "." not in option.path and option.column.kind == "text":
            yield option


def stated_groups(view: TableView, views: Mapping[str, TableView], by: AskableColumn, rows: Subset) -> list[Group]:
    """Return the groups of `rows` by a column; none where pages do not state them all, or name a group."""
    groups = groups_of(view, by.path, rows)
    if not groups or not all(by.is_stated(group.members) for group in groups):
        return []
    members = np.concatenate([group.members for group in groups])
    if by.column.references and not views[by.column.references].named[np.unique(by.codes[members])].all():
        return []
    return groups


def group_facts(
    view: TableView, column: str, columns: Sequence[TaskColumn], rows: Subset
) -> tuple[tuple[str, ...], ...]:
    """List for each group and column the facts that the cell is, or is computed from: who belongs, and their values."""
    return tuple(
        (group.key, *(cell_of(list(_facts(view.name, column, one, group.members))) for one in columns[1:]))
        for group in groups_of(view, column, rows)
    )


def _facts(about: str, column: str, computed: TaskColumn, members: Subset) -> Iterator[str]:
    measure = measure_of(computed.path)
    assert measure is not None, computed
    for row in members.tolist():
        yield f"{entity_id(about, row)}#{column}"
        if measure.column:
            yield f"{entity_id(about, row)}#{measure.column}"


def is_halfway(measure: Measure, values: Sequence[float]) -> bool:
    """Return whether a mean lies halfway between two rounded values, so that it could be rounded either way."""
    total, n = sum(round(value * _SCALE) for value in values), len(values)
    return (2 * total * 10**measure.places) % (2 * n * _SCALE) == n * _SCALE


def labelled(language: str, table: TableLabels, columns: Sequence[TaskColumn]) -> tuple[TaskColumn, ...]:
    """Label the columns of a grouped answer as the question does."""
    measured = load(_MEASURED)
    return tuple(TaskColumn(one.path, measured(language, table, one.path), one.kind) for one in columns)
