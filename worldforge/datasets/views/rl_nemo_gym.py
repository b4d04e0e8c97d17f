"""Rows for NeMo Gym: JSON lines, each a request of the Responses API and beside it what a resources server verifies by.

verifiers' `nemo_gym` taskset reads the same lines. Tools are as the Responses API has them: flat, not in `function`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

import pyarrow as pa

from worldforge.datasets.view import ExportContext, shipped_view
from worldforge.datasets.world_rows import DATA_SOURCE, DIALECT, task_rows

# strict would make every argument needed
_TOOLS = [{"type": "function", **tool["function"], "strict": False} for tool in DIALECT.tools]


def _lines(_portions: Iterable[pa.Table], context: ExportContext) -> Iterator[bytes]:
    for task in task_rows(context):
        row = {
            "responses_create_params": {"input": task.messages, "tools": _TOOLS},
            "ground_truth": task.ground_truth,
            "data_source": DATA_SOURCE,
            "extra_info": {"split": "train", **task.about, "canary": context.canary},
        }
        yield json.dumps(row, ensure_ascii=False).encode()


VIEW = shipped_view("rl_nemo_gym", "NeMo Gym; verifiers' nemo_gym taskset", "world", lines=_lines)
"""One line a task."""
