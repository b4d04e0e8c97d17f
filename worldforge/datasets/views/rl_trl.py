"""Rows for TRL's GRPO with an environment, `serving/trl_environment.py`, whose `reset(**row)` gets every column.

Tasks are posed in the dialect whose tools, `search` and `visit`, are methods of one or two plain arguments.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from worldforge.datasets.view import ExportContext
from worldforge.datasets.world_rows import CANARY, MESSAGE, TASK_FIELDS, TaskRow, task_view
from worldforge.environments.registry import dialect_named

_SCHEMA = pa.schema([("prompt", pa.list_(MESSAGE)), *TASK_FIELDS, ("ground_truth", pa.string()), CANARY])


def _row(task: TaskRow, context: ExportContext) -> dict[str, Any]:
    return {"prompt": task.messages, **task.about, "ground_truth": task.ground_truth, "canary": context.canary}


VIEW = task_view("rl_trl", "TRL GRPO 1.16", _SCHEMA, _row, dialect=dialect_named("plain"))
"""One row a task."""
