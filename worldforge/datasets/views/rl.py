"""What the views for reinforcement learning have in common: a row is a task, with a prompt, a gold table, difficulty.

The prompt is what WorldForge's own agents are told: the system prompt for the tools of a dialect, then the question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa

from worldforge.agents.agent_prompts import system_prompt
from worldforge.datasets.views.view import Context
from worldforge.datasets.views.world_tables import DIFFICULTY, DIFFICULTY_TYPES, task_portions
from worldforge.environments.dialects.agentworld import AGENT_WORLD
from worldforge.environments.dialects.dialect import Dialect
from worldforge.scoring.aliases import gold_with_aliases
from worldforge.serving.ground_truth import write_ground_truth
from worldforge.world.task import Task, tasks_from_table

DATA_SOURCE = "worldforge/widesearch"
"""What trainers route rewards and group validation by."""
DIALECT = AGENT_WORLD
"""The dialect of the tools, where a trainer's own form does not ask for another."""

MESSAGE = pa.struct([("role", pa.string()), ("content", pa.string())])
ABOUT: tuple[tuple[str, pa.DataType], ...] = (
    ("task_id", pa.string()),
    ("world", pa.string()),
    ("world_digest", pa.string()),
    ("dialect", pa.string()),
    ("family", pa.string()),
    ("language", pa.string()),
    *((name, DIFFICULTY_TYPES.get(name, pa.int32())) for name in DIFFICULTY),
)
"""What every row tells of its task: names and Arrow types."""

ABOUT_HOLDS = {
    "task_id": "id of the task in the world's `tasks.parquet`",
    "world": "name of the world: by it an environment finds the folder",
    "world_digest": "SHA-256 of the world's files: an environment refuses another world of that name",
    "dialect": "the dialect of the tools that the prompt speaks of",
    "family": "family of the task: `list`, `filter`, …",
    "language": "language of the question",
    **DIFFICULTY,
}
PROMPT_HOLDS = "system prompt and question, as messages"
GROUND_TRUTH_HOLDS = "gold table as one JSON string: columns, keys, rows, evaluation, aliases; for the strict scorer"


Told = Callable[[str], str]
"""Gives the system prompt of a task by its language."""


@dataclass(frozen=True, slots=True)
class Posed:
    """A task as a row: its messages, its gold table as JSON, and a value for each name of `ABOUT`."""

    messages: list[dict[str, str]]
    ground_truth: str
    about: dict[str, Any]


def posed(context: Context, dialect: Dialect = DIALECT, told: Told | None = None) -> Iterator[list[Posed]]:
    """Pose the world's tasks, a portion at a time, ordered by id; `told` gives the system prompt, if another."""
    told = told or partial(system_prompt, dialect.tools)
    for portion in task_portions(context.world):
        yield [_pose(task, context, dialect.name, told) for task in tasks_from_table(portion)]


def _pose(task: Task, context: Context, dialect: str, told: Told) -> Posed:
    world = context.world
    sizes = {"n_rows": len(task.gold), "n_columns": len(task.columns), "n_conditions": task.n_conditions}
    return Posed(
        messages=[{"role": "system", "content": told(task.language)}, {"role": "user", "content": task.wording}],
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
            "n_hops": task.n_hops,
            "n_conflicts": task.n_conflicts,
            "logic": task.logic,
            "distractor_ratio": task.distractor_ratio,
            "best_page_share": task.best_page_share,
            "gold_page_share": task.gold_page_share,
            "guess_f1": task.guess_f1,
            "n_pages": task.n_pages,
            "n_tool_calls": task.n_tool_calls,
            "side": task.side,
            "pass_rate": context.pass_rates.get(task.id),
        },
    )
