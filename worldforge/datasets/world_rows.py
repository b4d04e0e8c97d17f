"""Views of the world alone: its tables in batches, and its tasks as rows for reinforcement learning.

A task's prompt is that of WorldForge's own agents: the system prompt for the tools of a dialect, then the question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from worldforge.agents.agent_prompts import system_prompt
from worldforge.datasets.view import DatasetView, ExportContext, shipped_view
from worldforge.environments.dialect import Dialect
from worldforge.environments.registry import dialect_named, environment_speaking
from worldforge.scoring.alias_judge import gold_with_aliases
from worldforge.serving.answer_reward import write_ground_truth
from worldforge.world.table_files import TASKS, damage_as_input_error
from worldforge.world.task import tasks_from_table

ROWS_PER_PORTION = 500
CANARY = pa.field("canary", pa.string())
RATED_TASKS = TASKS.append(pa.field("pass_rate", pa.float64()))
"""The columns of tasks, and how often they were done."""
DATA_SOURCE = "worldforge/widesearch"
"""What trainers route rewards and group validation by."""
DIALECT = dialect_named()
"""The dialect of the tools, where a trainer's own form does not ask for another."""
MESSAGE = pa.struct([("role", pa.string()), ("content", pa.string())])

_SIZES = ("n_rows", "n_columns", "n_cells", "n_conditions", "n_hops", "n_conflicts", "logic", "distractor_ratio")
_TAKEN = (
    *("oracle_pages", "oracle_calls", "searcher_calls", "searcher_pages", "searcher_tokens", "searcher_f1"),
    "searcher_coverage",
)
_FIGURES = (*_SIZES, "best_page_share", "gold_page_share", "guess_f1", *_TAKEN, "side")
DIFFICULTY = [RATED_TASKS.field(name) for name in (*_FIGURES, "pass_rate")]
"""How hard a task is: columns of tasks."""
_NAMES = ("task_id", "world", "world_digest", "dialect", "family", "language")
TASK_FIELDS = [*(pa.field(name, pa.string()) for name in _NAMES), *DIFFICULTY]
"""What every row for a trainer says about its task."""


def read_batches(path: Path) -> Iterator[pa.Table]:
    """Read a Parquet file of a world in small tables. Raises InputError where it is missing or damaged."""
    with damage_as_input_error(path), pq.ParquetFile(path, memory_map=True) as file:
        for batch in file.iter_batches(ROWS_PER_PORTION):
            yield pa.Table.from_batches([batch])


def world_view(
    name: str, readers: str, schema: pa.Schema, tables: Callable[[ExportContext], Iterable[pa.Table]]
) -> DatasetView:
    """Make a view of tables of the world; each row gets the canary as its last column."""
    whole = pa.schema([(field.name, field.type) for field in schema.append(CANARY)])

    def marked(_portions: Iterable[pa.Table], context: ExportContext) -> Iterator[pa.Table]:
        for table in tables(context):
            yield table.append_column(CANARY, pa.repeat(context.canary, table.num_rows)).cast(whole)

    return shipped_view(name, readers, "world", whole, tables=marked)


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task for a trainer: its number, messages, gold as JSON, and a value for each of `TASK_FIELDS`."""

    index: int
    messages: list[dict[str, str]]
    ground_truth: str
    about: dict[str, Any]


SystemPrompt = Callable[[str], str]
"""Returns the system prompt for a language."""


def task_rows(
    context: ExportContext, dialect: Dialect = DIALECT, prompt_of: SystemPrompt | None = None, goals: bool = False
) -> Iterator[TaskRow]:
    """Give the world's tasks, ordered by id; `prompt_of` gives another system prompt.

    With `goals` the dialect's environment sets goals for tasks; without, tasks that have one are left out.
    """
    goal_of = environment_speaking(dialect.name)(context.world, dialect).goal if goals else lambda _task: None
    prompt_of = prompt_of or partial(system_prompt, dialect.tools)
    world, index = context.world, 0
    for table in read_batches(world.path / "tasks.parquet"):
        difficulties = table.select(list(_FIGURES)).to_pylist()
        for task, difficulty in zip(tasks_from_table(table), difficulties, strict=True):
            if task.goal and not goals:
                continue
            gold = gold_with_aliases(world, task) if goal_of(task) is None else None
            own = (task.id, world.name, world.digest, dialect.name, task.family, task.language)
            about = dict(zip(_NAMES, own, strict=True)) | difficulty | {"pass_rate": context.pass_rates.get(task.id)}
            messages = [
                {"role": "system", "content": prompt_of(task.language)},
                {"role": "user", "content": task.wording},
            ]
            yield TaskRow(index, messages, write_ground_truth(gold), about)
            index += 1


def task_view(
    name: str,
    readers: str,
    schema: pa.Schema,
    row_of: Callable[[TaskRow, ExportContext], dict[str, Any]],
    **options: Any,
) -> DatasetView:
    """Make a view with a row a task, made by `row_of`. `options` as of `task_rows`."""

    def tables(_portions: Iterable[pa.Table], context: ExportContext) -> Iterator[pa.Table]:
        rows = (row_of(task, context) for task in task_rows(context, **options))
        while portion := list(islice(rows, ROWS_PER_PORTION)):
            yield pa.Table.from_pylist(portion, schema)

    return shipped_view(name, readers, "world", schema, tables=tables)
