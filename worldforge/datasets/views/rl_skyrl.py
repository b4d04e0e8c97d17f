"""Rows for SkyRL: what is beside `prompt` and `env_class` reaches the environment, `serving/skyrl_env.py`, as extras.

SkyRL hands no tools to a chat template, so the system prompt describes them, as Qwen's templates would.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from worldforge.agents.agent_prompts import system_prompt
from worldforge.datasets.view import ExportContext
from worldforge.datasets.world_rows import CANARY, DATA_SOURCE, DIALECT, MESSAGE, TASK_FIELDS, TaskRow, task_view
from worldforge.serving.tool_call_text import describe_tools

ENV_CLASS = "worldforge"
"""What the environment is registered as with skyrl_gym."""
_SCHEMA = pa.schema(
    [
        ("prompt", pa.list_(MESSAGE)),
        ("env_class", pa.string()),
        ("reward_spec", pa.struct([("method", pa.string()), ("ground_truth", pa.string())])),
        ("data_source", pa.string()),
        ("extra_info", pa.struct([("index", pa.int64()), ("split", pa.string()), *TASK_FIELDS, CANARY])),
    ]
)


def _system_prompt(language: str) -> str:
    return f"{system_prompt(DIALECT.tools, language)}\n\n{describe_tools(DIALECT.tools)}"


def _row(task: TaskRow, context: ExportContext) -> dict[str, Any]:
    return {
        "prompt": task.messages,
        "env_class": ENV_CLASS,
        "reward_spec": {"method": "rule", "ground_truth": task.ground_truth},
        "data_source": DATA_SOURCE,
        "extra_info": {"index": task.index, "split": "train", **task.about, "canary": context.canary},
    }


VIEW = task_view("rl_skyrl", "SkyRL (skyrl-gym 0.4)", _SCHEMA, _row, prompt_of=_system_prompt)
"""One row a task."""
