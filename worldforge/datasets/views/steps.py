"""One row for each tool call: request, observation, reward components, and the trajectory's final scores.

Calls stand in the order in which they were answered: those of a sub-agent before the call that started it. Gain is
the share of the task's gold cells that a call showed and none before it; the gains of a trajectory add up to its
coverage. A call is redundant where an earlier one with the same tool and arguments did not fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Any

import pyarrow as pa

from worldforge.datasets.conversations import HEAD, build_table, carry_columns
from worldforge.datasets.trajectory_columns import columns_of
from worldforge.datasets.view import DatasetView, ExportContext, with_meanings
from worldforge.rollouts.observed import OBSERVATION
from worldforge.rollouts.scores import turns_of
from worldforge.scoring.reward_components import first_shown, redundant

_SCORES = ("item_f1", "row_f1", "success", "coverage", "n_steps")
_OBSERVED = pa.schema([field for field in OBSERVATION if field.name != "tool_call_id"])
_OBSERVED_HOLDS = {
    "error": "what went wrong; empty: nothing",
    "source": "who worded the observation: engine, model, or fallback",
    "verdict": "the guard's word on a model's last draft",
    "refused": "the guard's words on the drafts before",
    "stored": "whether the text came from the world's store",
    "n_drafts": "how many drafts a model wrote",
    "prompt_tokens": "tokens that the world model read",
    "completion_tokens": "tokens that it wrote",
    "seconds": "seconds that it took",
    "latency_s": "seconds that a real tool would have taken, where a control says so",
    "controls": "the controls that touched the observation",
    "altered": "facts that were shown otherwise than they are",
    "disclosed": "stretches of pages that were shown: page, start, end",
    "facts": "facts that a view without pages showed, by id",
    "gold_seen": "gold cells whose values were shown: row * number of columns + column",
}


def _steps(row: Mapping[str, Any], n_cells: int) -> Iterator[dict[str, Any]]:
    """Give the calls of a trajectory in the order in which they were answered, each with what it was worth."""
    turns = list(turns_of(row))
    gains = first_shown(turn.observation["gold_seen"] for turn in turns)
    n_seen, repeated = accumulate(map(len, gains)), redundant(turn.called for turn in turns)
    for step, (turn, gain, seen, is_redundant) in enumerate(zip(turns, gains, n_seen, repeated, strict=True)):
        yield turn.observation | {
            "step": step,
            "turn": turn.number,
            "sub_agent": turn.sub_agent,
            "tool": turn.called.tool,
            "arguments": turn.called.arguments,
            "gain": len(gain) / n_cells,
            "coverage_so_far": seen / n_cells,
            "redundant": is_redundant,
        }


def _tables(portions: Iterable[pa.Table], context: ExportContext) -> Iterator[pa.Table]:
    n_cells = {task.id: len(task.gold) * len(task.columns) for task in context.world.tasks}
    own = pa.schema([field for field in VIEW.schema if field.name not in {name for name, _, _ in (*HEAD, *_LAST)}])
    for table in portions:
        calls, rows = [], []
        read = table.select(["task", "messages", "observations", "sub_agents"]).to_pylist()
        for number, row in enumerate(read):
            steps = list(_steps(row, n_cells.get(row["task"]) or 1))
            calls += steps
            rows += [number] * len(steps)
        columns = pa.Table.from_pylist(calls, own)
        kept = carry_columns(table, rows, context, *_SCORES)
        yield build_table(VIEW.schema, kept, {name: columns[name] for name in own.names}, context)


_LAST = (
    *columns_of(*_SCORES),
    ("reward", pa.float64(), "the trajectory's reward, as the recipe adds it up"),
    *columns_of("canary"),
)
VIEW = DatasetView(
    name="steps",
    readers="who learns from, or looks into, single steps: datasets, DuckDB, polars",
    takes="trajectories",
    columns=[
        *HEAD,
        ("step", pa.int32(), "which call of the trajectory it is, from 0"),
        ("turn", pa.int32(), "in which turn of the assistant it was made, from 0"),
        ("sub_agent", pa.int32(), "which sub-agent made it, from 0; null: the agent itself"),
        ("tool", pa.string(), "the tool that was called"),
        ("arguments", pa.string(), "its arguments, as the agent wrote them"),
        *with_meanings(_OBSERVED, _OBSERVED_HOLDS),
        ("gain", pa.float64(), "share of all gold cells that this call showed first"),
        ("coverage_so_far", pa.float64(), "share of all gold cells seen by then"),
        ("redundant", pa.bool_(), "whether it repeats a call that did not fail"),
        *_LAST,
    ],
    tables=_tables,
)
"""Tool calls, one a row."""
