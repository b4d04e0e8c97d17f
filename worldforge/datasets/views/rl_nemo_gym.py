"""Rows for NeMo Gym: JSON lines, each a request of the Responses API and beside it what a resources server verifies by.

verifiers' `nemo_gym` taskset reads the same lines. Tools are as the Responses API has them: flat, not in `function`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from worldforge.datasets.task_rows import DATA_SOURCE, DIALECT, TaskRow, task_rows
from worldforge.datasets.view import DatasetView, ExportContext


def _lines(_taken: Iterable[pa.Table], context: ExportContext) -> Iterator[bytes]:
    for portion in task_rows(context):
        for task in portion:
            yield json.dumps(_row(task, context), ensure_ascii=False).encode()


def _row(task: TaskRow, context: ExportContext) -> dict[str, Any]:
    return {
        "responses_create_params": {"input": task.messages, "tools": [_flat(tool) for tool in DIALECT.tools]},
        "ground_truth": task.ground_truth,
        "data_source": DATA_SOURCE,
        "extra_info": {"split": "train", **task.about, "canary": context.canary},
    }


def _flat(tool: dict[str, Any]) -> dict[str, Any]:
    """Write an OpenAI function schema as the Responses API has it. Strict would make every argument needed."""
    return {"type": "function", **tool["function"], "strict": False}


VIEW = DatasetView("rl_nemo_gym", "NeMo Gym; verifiers' nemo_gym taskset", "world", lines=_lines)
"""One line a task."""
