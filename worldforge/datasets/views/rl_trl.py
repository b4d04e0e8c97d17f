"""Rows for TRL's GRPO with an environment, `serving/trl_environment.py`, whose `reset(**row)` gets every column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from worldforge.datasets.task_rows import GROUND_TRUTH_HOLDS, MESSAGE, PROMPT_HOLDS, TASK_COLUMNS, TaskRow, task_tables
from worldforge.datasets.view import REPOSITORY, DatasetView, ExportContext, Snippet, ViewColumn
from worldforge.datasets.world_rows import CANARY_HOLDS
from worldforge.environments.search.dialects import PLAIN

_LOADING = f'''\
from datasets import load_dataset
from trl import GRPOTrainer
from worldforge.serving.trl_environment import SearchTools, item_f1
from worldforge.serving.worlds import configure

configure("output")  # where the world is, built again from spec/spec.yaml
rows = load_dataset("{REPOSITORY}", "rl_trl", split="train")
trainer = GRPOTrainer("Qwen/Qwen3-0.6B", train_dataset=rows, environment_factory=SearchTools, reward_funcs=item_f1)
'''
_COLUMNS: list[ViewColumn] = [
    ("prompt", pa.list_(MESSAGE), PROMPT_HOLDS),
    *TASK_COLUMNS,
    ("ground_truth", pa.string(), f"the {GROUND_TRUTH_HOLDS}"),
    ("canary", pa.string(), CANARY_HOLDS),
]


def _tables(_taken: Iterable[pa.Table], context: ExportContext) -> Iterator[pa.Table]:
    """Pose the tasks in the dialect whose tools, `search` and `visit`, are methods of one or two plain arguments."""

    def row(task: TaskRow, _index: int) -> dict[str, Any]:
        return {"prompt": task.messages, **task.about, "ground_truth": task.ground_truth, "canary": context.canary}

    return task_tables(context, VIEW.schema, row, dialect=PLAIN)


VIEW = DatasetView(
    "rl_trl",
    "TRL GRPO 1.16",
    "world",
    _COLUMNS,
    tables=_tables,
    loading=(Snippet("TRL's GRPO", "python", _LOADING),),
)
"""One row a task."""
