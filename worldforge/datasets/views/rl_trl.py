"""Rows for TRL's GRPO with an environment, `serving/trl_environment.py`, whose `reset(**row)` gets every column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from worldforge.datasets.views.rl import ABOUT, ABOUT_HOLDS, GROUND_TRUTH_HOLDS, MESSAGE, PROMPT_HOLDS, posed
from worldforge.datasets.views.view import Context, View
from worldforge.datasets.views.world_tables import CANARY, CANARY_HOLDS
from worldforge.environments.dialects.plain import PLAIN

_SCHEMA = pa.schema([("prompt", pa.list_(MESSAGE)), *ABOUT, ("ground_truth", pa.string()), CANARY])


def _tables(_taken: Iterable[pa.Table], context: Context) -> Iterator[pa.Table]:
    """Pose the tasks in the dialect whose tools, `search` and `visit`, are methods of one or two plain arguments."""
    for portion in posed(context, PLAIN):
        rows = [
            {
                "prompt": task.messages,
                **task.about,
                "ground_truth": task.ground_truth,
                "canary": context.canary,
            }
            for task in portion
        ]
        yield pa.Table.from_pylist(rows, _SCHEMA)


RL_TRL = View(
    "rl_trl",
    "TRL GRPO 1.16",
    "world",
    _SCHEMA,
    {"prompt": PROMPT_HOLDS, **ABOUT_HOLDS, "ground_truth": f"the {GROUND_TRUTH_HOLDS}", "canary": CANARY_HOLDS},
    tables=_tables,
)
"""One row a task."""
