"""A task: its wording, its formal query, its gold table, and the facts that the gold cells are.

task.wording            "List all football clubs in Velmar founded after 1902. …"
task.query              SELECT … FROM club … ORDER BY …
task.gold[0]            ("Velmar Rovers", "1911", "12400")
task.facts[0]           ("club/0031#name", "club/0031#founded", "club/0031#capacity")
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import pyarrow as pa

from worldforge.core.columns import ValueKind
from worldforge.world.tables import TASKS

Operator = Literal["=", "!=", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of a task: a column path (`town.region`, `founded`), an operator, a canonical value.

    Where the path ends in a reference, `value` is an entity id and `written` the entity's name.
    """

    path: str
    operator: Operator
    value: str
    written: str
    kind: ValueKind


@dataclass(frozen=True, slots=True)
class TaskColumn:
    """One column of the answer: where it comes from, what the question calls it, what it holds."""

    path: str
    label: str
    kind: ValueKind


@dataclass(frozen=True, slots=True)
class Task:
    """A question with an exact answer. `gold` and `facts` are rows of cells, in the order of `columns`.

    `evidence` lists the facts that show the gold's entities to meet the conditions. `n_hops` counts the references
    followed, `n_pages` and `n_tool_calls` what the oracle needed.
    """

    id: str
    family: str
    about: str
    language: str
    wording: str
    query: str
    conditions: tuple[Condition, ...]
    columns: tuple[TaskColumn, ...]
    keys: tuple[str, ...]
    evaluation: dict[str, Any]
    gold: tuple[tuple[str, ...], ...]
    facts: tuple[tuple[str, ...], ...]
    evidence: tuple[str, ...]
    n_hops: int = 0
    n_pages: int = 0
    n_tool_calls: int = 0

    @property
    def labels(self) -> list[str]:
        """The answer's column names, as the question gives them."""
        return [column.label for column in self.columns]


def tasks_to_table(tasks: Sequence[Task]) -> pa.Table:
    """Write tasks as rows of `TASKS`."""
    return pa.Table.from_pylist([_to_row(task) for task in tasks], schema=TASKS)


def tasks_from_table(table: pa.Table) -> list[Task]:
    """Read tasks back from rows of `TASKS`."""
    return [_from_row(row) for row in table.to_pylist()]


def _to_row(task: Task) -> dict[str, Any]:
    return {
        "id": task.id,
        "family": task.family,
        "about": task.about,
        "language": task.language,
        "wording": task.wording,
        "query": task.query,
        "conditions": json.dumps([asdict(condition) for condition in task.conditions], ensure_ascii=False),
        "columns": [asdict(column) for column in task.columns],
        "keys": list(task.keys),
        "evaluation": json.dumps(task.evaluation, ensure_ascii=False),
        "n_rows": len(task.gold),
        "n_columns": len(task.columns),
        "n_cells": len(task.gold) * len(task.columns),
        "n_conditions": len(task.conditions),
        "n_hops": task.n_hops,
        "n_pages": task.n_pages,
        "n_tool_calls": task.n_tool_calls,
        "gold": [list(row) for row in task.gold],
        "facts": [list(row) for row in task.facts],
        "evidence": list(task.evidence),
    }


def _from_row(row: dict[str, Any]) -> Task:
    return Task(
        id=row["id"],
        family=row["family"],
        about=row["about"],
        language=row["language"],
        wording=row["wording"],
        query=row["query"],
        conditions=tuple(Condition(**condition) for condition in json.loads(row["conditions"])),
        columns=tuple(TaskColumn(**column) for column in row["columns"]),
        keys=tuple(row["keys"]),
        evaluation=json.loads(row["evaluation"]),
        gold=tuple(tuple(cells) for cells in row["gold"]),
        facts=tuple(tuple(cells) for cells in row["facts"]),
        evidence=tuple(row["evidence"]),
        n_hops=row["n_hops"],
        n_pages=row["n_pages"],
        n_tool_calls=row["n_tool_calls"],
    )
