"""One row for each tool call: request, observation, reward components, and the trajectory's final scores.

Calls stand in the order in which they were answered: those of a sub-agent before the call that started it. Gain is
the share of the task's gold cells that a call showed and none before it; the gains of a trajectory add up to its
coverage. A call is redundant where an earlier one with the same tool and arguments did not fail.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

import pyarrow as pa

from worldforge.datasets.conversations import Columns, Rows, trajectory_view
from worldforge.datasets.view import ExportContext
from worldforge.rollouts.scores import repeated_calls, turns_of
from worldforge.rollouts.trajectory import OBSERVATION
from worldforge.scoring.reward_components import first_shown

_TAIL = ("item_f1", "row_f1", "success", "coverage", "n_steps", "reward", "canary")
_OWN = {
    "step": pa.int32(),
    "turn": pa.int32(),
    "sub_agent": pa.int32(),
    "tool": pa.string(),
    "arguments": pa.string(),
    **{field.name: field.type for field in OBSERVATION if field.name != "tool_call_id"},
    "gain": pa.float64(),
    "coverage_so_far": pa.float64(),
    "redundant": pa.bool_(),
}


def _steps(row: Mapping[str, Any], n_cells: int) -> Iterator[dict[str, Any]]:
    """Give the calls of a trajectory in the order in which they were answered, each with what it was worth."""
    turns = list(turns_of(row))
    gains = first_shown(turn.observation["gold_seen"] for turn in turns)
    n_seen, repeated = accumulate(map(len, gains)), repeated_calls(turns)
    for step, (turn, gain, seen, is_redundant) in enumerate(zip(turns, gains, n_seen, repeated, strict=True)):
        yield turn.observation | {
            "step": step,
            "turn": turn.number,
            "sub_agent": turn.sub_agent,
            "tool": turn.tool,
            "arguments": turn.arguments,
            "gain": len(gain) / n_cells,
            "coverage_so_far": seen / n_cells,
            "redundant": is_redundant,
        }


def _rows(table: pa.Table, context: ExportContext) -> tuple[Rows, Columns]:
    tasks = set(table["task"].to_pylist())
    n_cells = {task.id: len(task.gold) * len(task.columns) for task in context.world.tasks if task.id in tasks}
    rows, calls = [], []
    for number, row in enumerate(table.select(["task", "messages", "observations", "sub_agents"]).to_pylist()):
        steps = list(_steps(row, n_cells.get(row["task"]) or 1))
        calls += steps
        rows += [number] * len(steps)
    made = pa.Table.from_pylist(calls, pa.schema(_OWN))
    return rows, {name: made[name] for name in _OWN}


VIEW = trajectory_view(
    "steps", "who learns from, or looks into, single steps: datasets, DuckDB, polars", _OWN, _rows, tail=_TAIL
)
"""Tool calls, one a row."""
