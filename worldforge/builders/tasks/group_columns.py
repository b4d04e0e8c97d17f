"""Groups of entities: their members, aggregates, and the facts that these rest on.

groups_of(masks, "club", "town", rows)      groups in the order of the gold table, each with its members
group_facts(masks, "club", columns, …)      the facts of each cell, computed ones included
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from worldforge.builders.tasks.condition_masks import ConditionMasks
from worldforge.builders.tasks.type_views import Subset
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


def codes_of(masks: ConditionMasks, about: str, column: str) -> Subset:
    """Return the group of each entity of a type by one of its columns; -1 where it belongs to none."""
    if masks.columns[about][column].references:
        return masks.targets(about, column)
    return masks.coded(about, column)[0]


def groups_of(masks: ConditionMasks, about: str, column: str, rows: Subset) -> list[Group]:
    """Group `rows` by what `column` refers to, as that is numbered, or by its value, as their first members are.

    A group's name is the name of what is referred to, or the value that its first member has. Who has none is left out.
    """
    codes = codes_of(masks, about, column)[rows]
    rows, codes = rows[codes >= 0], codes[codes >= 0]
    found, first = np.unique(codes, return_index=True)
    referred = masks.columns[about][column].references
    order = np.argsort(found if referred else first, kind="stable")
    groups = []
    for code in found[order].tolist():
        members = rows[codes == code]
        key = f"{entity_id(referred, code)}#name" if referred else f"{entity_id(about, int(members[0]))}#{column}"
        groups.append(Group(key, members))
    return groups


def group_facts(
    masks: ConditionMasks, about: str, column: str, columns: Sequence[TaskColumn], rows: Subset
) -> tuple[tuple[str, ...], ...]:
    """List for each group and column the facts that the cell is, or is computed from: who belongs, and their values."""
    return tuple(
        (group.key, *(cell_of(list(_facts(about, column, one, group.members))) for one in columns[1:]))
        for group in groups_of(masks, about, column, rows)
    )


def _facts(about: str, column: str, computed: TaskColumn, members: Subset) -> Iterator[str]:
    measure = measure_of(computed.path)
    assert measure is not None, computed
    for row in members.tolist():
        yield f"{entity_id(about, row)}#{column}"
        if measure.column:
            yield f"{entity_id(about, row)}#{measure.column}"


def places_of(columns: Sequence[TaskColumn]) -> tuple[int, ...]:
    """Say of each column to how many decimals it is rounded, 0 for not at all."""
    measures = [measure_of(column.path) for column in columns]
    return tuple(0 if measure is None else measure.places for measure in measures)


def is_halfway(measure: Measure, values: Sequence[float]) -> bool:
    """Return whether a mean lies halfway between two rounded values, so that it could be rounded either way."""
    total, n = sum(round(value * _SCALE) for value in values), len(values)
    return (2 * total * 10**measure.places) % (2 * n * _SCALE) == n * _SCALE


def labelled(language: str, table: TableLabels, columns: Sequence[TaskColumn]) -> tuple[TaskColumn, ...]:
    """Give the columns of a grouped answer the names that the question gives them."""
    measured = load(_MEASURED)
    return tuple(TaskColumn(one.path, measured(language, table, one.path), one.kind) for one in columns)
