"""Rows for verl (0.9), as its RLHFDataset and its tool agent read them; `serving/verl_tools.py` is the other side.

Columns are those of verl's documentation of data preparation; `agent_name` stands beside them. Every row has the
same keys at every depth: Arrow would fill what one lacks with nulls, and verl would pass them on.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from worldforge.datasets.view import ExportContext
from worldforge.datasets.world_rows import CANARY, DATA_SOURCE, DIALECT, MESSAGE, TASK_FIELDS, TaskRow, task_view

_TOOLS = [str(tool["function"]["name"]) for tool in DIALECT.tools]
_CREATE = pa.struct([(name, pa.string()) for name in ("world", "world_digest", "task_id")])
_TOOL_KWARGS = pa.struct([("create_kwargs", _CREATE)])
_EXTRA_INFO = pa.struct(
    [
        ("index", pa.int64()),
        ("split", pa.string()),
        *TASK_FIELDS,
        ("need_tools_kwargs", pa.bool_()),
        ("tools_kwargs", pa.struct([(tool, _TOOL_KWARGS) for tool in _TOOLS])),
        ("tool_selection", pa.list_(pa.string())),
        CANARY,
    ]
)
_SCHEMA = pa.schema(
    [
        ("data_source", pa.string()),
        ("prompt", pa.list_(MESSAGE)),
        ("ability", pa.string()),
        ("agent_name", pa.string()),
        ("reward_model", pa.struct([("style", pa.string()), ("ground_truth", pa.string())])),
        ("extra_info", _EXTRA_INFO),
    ]
)


def _row(task: TaskRow, context: ExportContext) -> dict[str, Any]:
    where = {"create_kwargs": {name: task.about[name] for name in _CREATE.names}}
    return {
        "data_source": DATA_SOURCE,
        "prompt": task.messages,
        "ability": "search",
        "agent_name": "tool_agent",
        "reward_model": {"style": "rule", "ground_truth": task.ground_truth},
        "extra_info": {
            "index": task.index,
            "split": "train",
            **task.about,
            "need_tools_kwargs": True,
            "tools_kwargs": dict.fromkeys(_TOOLS, where),
            "tool_selection": _TOOLS,
            "canary": context.canary,
        },
    }


VIEW = task_view("rl_verl", "verl 0.9", _SCHEMA, _row)
"""One row a task."""
