"""Tasks that ask what another one asks already: families that overlap, or worlds with little to ask about."""

from __future__ import annotations

from dataclasses import dataclass, field

from worldforge.world.task import Task


@dataclass(frozen=True, slots=True)
class Repeats:
    """The tasks kept so far, by their query and by what they ask for."""

    _kept: dict[object, str] = field(default_factory=dict)

    def keep(self, task: Task, task_id: str) -> None:
        """Remember a task, which is called `task_id`."""
        self._kept.update({task.query: task_id, asked_for(task): task_id})

    def reason(self, task: Task) -> str:
        """Say which task asks the same; empty where none does."""
        if task.query in self._kept:
            return f"duplicate: its query is that of {self._kept[task.query]}"
        if asked_for(task) in self._kept:
            return f"duplicate: {self._kept[asked_for(task)]} asks for the same columns of the same rows"
        return ""


def asked_for(task: Task) -> tuple[object, ...]:
    """Say what a task asks for, however it asks: the rows by their keys, and the columns."""
    keys = [task.labels.index(key) for key in task.keys]
    rows = frozenset(tuple(row[key] for key in keys) for row in task.gold)
    return task.family, task.about, rows, tuple(column.path for column in task.columns)
