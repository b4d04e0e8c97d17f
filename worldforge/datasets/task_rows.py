"""Tasks as rows for reinforcement learning: a prompt, a gold table, what the task is and how hard.

The prompt is that of WorldForge's own agents: the system prompt for the tools of a dialect, then the question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa

from worldforge.agents.agent_prompts import system_prompt
from worldforge.datasets.view import ExportContext, ViewColumn
from worldforge.datasets.world_rows import DIFFICULTY, read_task_batches
from worldforge.environments.dialect import Dialect
from worldforge.environments.registry import dialect_named
from worldforge.scoring.alias_judge import gold_with_aliases
from worldforge.serving.answer_reward import write_ground_truth
from worldforge.world.task import Task, tasks_from_table

DATA_SOURCE = "worldforge/widesearch"
"""What trainers route rewards and group validation by."""
DIALECT = dialect_named()
"""The dialect of the tools, where a trainer's own form does not ask for another."""

MESSAGE = pa.struct([("role", pa.string()), ("content", pa.string())])
TASK_COLUMNS: tuple[ViewColumn, ...] = (
    ("task_id", pa.string(), "id of the task in the world's `tasks.parquet`"),
    ("world", pa.string(), "name of the world: by it an environment finds the folder"),
    ("world_digest", pa.string(), "SHA-256 of the world's files: an environment refuses another world of that name"),
    ("dialect", pa.string(), "the dialect of the tools that the prompt speaks of"),
    ("family", pa.string(), "family of the task: `list`, `filter`, …"),
    ("language", pa.string(), "language of the question"),
    *DIFFICULTY,
)
"""What every row says about its task."""
TASK_FIELDS = [(name, kind) for name, kind, _ in TASK_COLUMNS]

PROMPT_HOLDS = "system prompt and question, as messages"
GROUND_TRUTH_HOLDS = "gold table as one JSON string: columns, keys, rows, evaluation, aliases; for the strict scorer"


SystemPrompt = Callable[[str], str]
"""Returns the system prompt for a language."""


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task as a row: its messages, its gold table as JSON, and a value for each name of `TASK_FIELDS`."""

    messages: list[dict[str, str]]
    ground_truth: str
    about: dict[str, Any]


def task_rows(
    context: ExportContext, dialect: Dialect = DIALECT, prompt_of: SystemPrompt | None = None
) -> Iterator[list[TaskRow]]:
    """Give the world's tasks, a portion at a time, ordered by id; `prompt_of` gives another system prompt.

    Tasks with a goal over the final state are left out: trainers score the text of an answer.
    """
    prompt_of = prompt_of or partial(system_prompt, dialect.tools)
    for portion in read_task_batches(context.world):
        tasks = [task for task in tasks_from_table(portion) if not task.goal]
        yield [_task_row(task, context, dialect.name, prompt_of) for task in tasks]


def task_tables(
    context: ExportContext, schema: pa.Schema, row_of: Callable[[TaskRow, int], dict[str, Any]], **options: Any
) -> Iterator[pa.Table]:
    """Give the world's tasks as tables: `row_of` makes a row of a task and its number. `options` as of `task_rows`."""
    n_before = 0
    for portion in task_rows(context, **options):
        yield pa.Table.from_pylist([row_of(task, n_before + index) for index, task in enumerate(portion)], schema)
        n_before += len(portion)


def _task_row(task: Task, context: ExportContext, dialect: str, prompt_of: SystemPrompt) -> TaskRow:
    world = context.world
    sizes = {"n_rows": len(task.gold), "n_columns": len(task.columns)}
    same = {name: getattr(task, name) for name, _, _ in DIFFICULTY if hasattr(task, name)}
    return TaskRow(
        messages=[{"role": "system", "content": prompt_of(task.language)}, {"role": "user", "content": task.wording}],
        ground_truth=write_ground_truth(gold_with_aliases(world, task)),
        about={
            "task_id": task.id,
            "world": world.name,
            "world_digest": world.digest,
            "dialect": dialect,
            "family": task.family,
            "language": task.language,
            **sizes,
            "n_cells": sizes["n_rows"] * sizes["n_columns"],
            **same,
            "pass_rate": context.pass_rates.get(task.id),
        },
    )
