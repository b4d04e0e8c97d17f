"""Rows for SkyRL: what is beside `prompt` and `env_class` reaches the environment, `serving/skyrl_env.py`, as extras.

SkyRL hands no tools to a chat template, so the system prompt describes them, as Qwen's templates would.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import pyarrow as pa

from worldforge.agents.agent_prompts import system_prompt
from worldforge.datasets.task_rows import (
    DATA_SOURCE,
    DIALECT,
    GROUND_TRUTH_HOLDS,
    MESSAGE,
    PROMPT_HOLDS,
    TASK_FIELDS,
    TaskRow,
    task_tables,
)
from worldforge.datasets.view import DatasetView, ExportContext, Snippet, with_meanings
from worldforge.datasets.world_rows import CANARY
from worldforge.serving.tool_call_text import describe_tools

ENV_CLASS = "worldforge"
"""What the environment is registered as with skyrl_gym."""

_LOADING = """\
import skyrl_gym

skyrl_gym.register(id="worldforge", entry_point="worldforge.serving.skyrl_env:WorldForgeEnv")
"""
_EXTRA_INFO = pa.struct([("index", pa.int64()), ("split", pa.string()), *TASK_FIELDS, CANARY])
_SCHEMA = pa.schema(
    [
        ("prompt", pa.list_(MESSAGE)),
        ("env_class", pa.string()),
        ("reward_spec", pa.struct([("method", pa.string()), ("ground_truth", pa.string())])),
        ("data_source", pa.string()),
        ("extra_info", _EXTRA_INFO),
    ]
)


def _system_prompt(language: str) -> str:
    return f"{system_prompt(DIALECT.tools, language)}\n\n{describe_tools(DIALECT.tools)}"


def _tables(_taken: Iterable[pa.Table], context: ExportContext) -> Iterator[pa.Table]:
    return task_tables(context, _SCHEMA, partial(_row, context), prompt_of=_system_prompt)


def _row(context: ExportContext, task: TaskRow, index: int) -> dict[str, Any]:
    return {
        "prompt": task.messages,
        "env_class": ENV_CLASS,
        "reward_spec": {"method": "rule", "ground_truth": task.ground_truth},
        "data_source": DATA_SOURCE,
        "extra_info": {"index": index, "split": "train", **task.about, "canary": context.canary},
    }


VIEW = DatasetView(
    "rl_skyrl",
    "SkyRL (skyrl-gym 0.4)",
    "world",
    with_meanings(
        _SCHEMA,
        {
            "prompt": f"{PROMPT_HOLDS}; the tools are described in the first",
            "env_class": f"`{ENV_CLASS}`: what the environment is registered as",
            "reward_spec": f"`method` (`rule`) and `ground_truth`: the {GROUND_TRUTH_HOLDS}",
            "data_source": f"`{DATA_SOURCE}`",
            "extra_info": "number of the row, split, task, world, dialect, difficulty, the canary",
        },
    ),
    tables=_tables,
    loading=(Snippet("SkyRL", "python", _LOADING),),
)
"""One row a task."""
