"""Rows for verl (0.9), as its RLHFDataset and its tool agent read them; `serving/verl_tools.py` is the other side.

Columns are those of verl's documentation of data preparation; `agent_name` stands beside them. Every row has the
same keys at every depth: Arrow would fill what one lacks with nulls, and verl would pass them on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import pyarrow as pa

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

_LOADING = """\
WORLDFORGE_WORLDS=output python -m verl.trainer.main_ppo data.train_files="[$(echo rl_verl/*.parquet | tr ' ' ,)]" \\
  actor_rollout_ref.rollout.multi_turn.enable=True actor_rollout_ref.rollout.multi_turn.tool_config_path=tools.yaml \\
  reward.custom_reward_function.path=pkg://worldforge.serving.verl_reward \\
  reward.custom_reward_function.name=compute_score
"""
_TOOLS = [str(tool["function"]["name"]) for tool in DIALECT.tools]
_CREATE = pa.struct([("world", pa.string()), ("world_digest", pa.string())])
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


def _tables(_taken: Iterable[pa.Table], context: ExportContext) -> Iterator[pa.Table]:
    return task_tables(context, _SCHEMA, partial(_row, context))


def _row(context: ExportContext, task: TaskRow, index: int) -> dict[str, Any]:
    where = {"create_kwargs": {"world": context.world.name, "world_digest": context.world.digest}}
    return {
        "data_source": DATA_SOURCE,
        "prompt": task.messages,
        "ability": "search",
        "agent_name": "tool_agent",
        "reward_model": {"style": "rule", "ground_truth": task.ground_truth},
        "extra_info": {
            "index": index,
            "split": "train",
            **task.about,
            "need_tools_kwargs": True,
            "tools_kwargs": dict.fromkeys(_TOOLS, where),
            "tool_selection": _TOOLS,
            "canary": context.canary,
        },
    }


VIEW = DatasetView(
    "rl_verl",
    "verl 0.9",
    "world",
    with_meanings(
        _SCHEMA,
        {
            "data_source": f"`{DATA_SOURCE}`: what verl routes rewards by",
            "prompt": PROMPT_HOLDS,
            "ability": "`search`",
            "agent_name": "verl's agent loop: `tool_agent`",
            "reward_model": f"`style` (`rule`) and `ground_truth`: the {GROUND_TRUTH_HOLDS}",
            "extra_info": "number of the row, split, task, world, dialect, difficulty, the tools and the world they "
            "open, the canary",
        },
    ),
    tables=_tables,
    loading=(Snippet("verl (`tools.yaml` and more: docs/views.md of WorldForge)", "shell", _LOADING),),
)
"""One row a task."""
