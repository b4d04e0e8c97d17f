"""A row a tool call: what was asked, what it brought, what it was worth, with the trajectory's final scores beside it.

Calls stand in the order in which they were answered: those of a sub-agent before the call that started it. Gain is
the share of the task's gold cells that a call showed and none before it; the gains of a trajectory add up to its
coverage. A call is redundant where an earlier one with the same tool and arguments did not fail.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from worldforge.datasets.conversations import HEAD, assembled, carried
from worldforge.datasets.trajectory_columns import columns_of
from worldforge.datasets.view import DatasetView, ExportContext, described
from worldforge.rollouts.observed import OBSERVATION
from worldforge.scoring.reward_components import MadeCall, redundant

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


def read_calls(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the calls of a trajectory in the order in which they were answered: what was asked, what it brought."""
    started: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for number, agent in enumerate(row["sub_agents"]):
        started[agent["tool_call_id"]] += _calls(agent, number)
    calls = []
    for call in _calls(row, None):
        calls += [*started.pop(call["tool_call_id"], ()), call]
    calls += [call for rest in started.values() for call in rest]  # started by calls that were never answered
    return [call | {"step": step} for step, call in enumerate(calls)]


def _calls(row: Mapping[str, Any], sub_agent: int | None) -> Iterator[dict[str, Any]]:
    """Give the calls of one agent's conversation, each with the observation on record of it."""
    observations, turn = iter(row["observations"]), -1
    for message in row["messages"]:
        turn += message["role"] == "assistant"
        for call in message["tool_calls"] or ():
            own = {"turn": turn, "sub_agent": sub_agent, "tool": call["function"]["name"]}
            yield next(observations) | own | {"arguments": call["function"]["arguments"]}


def _rated(calls: list[dict[str, Any]], n_cells: int) -> Iterator[dict[str, Any]]:
    """Give calls with what each was worth."""
    seen: set[int] = set()
    repeated = redundant(MadeCall(call["tool"], call["arguments"], bool(call["error"])) for call in calls)
    for call, is_redundant in zip(calls, repeated, strict=True):
        before = len(seen)
        seen.update(call["gold_seen"])
        worth = {"gain": (len(seen) - before) / n_cells, "coverage_so_far": len(seen) / n_cells}
        yield call | worth | {"redundant": is_redundant}


def _tables(portions: Iterable[pa.Table], context: ExportContext) -> Iterator[pa.Table]:
    n_cells = {task.id: len(task.gold) * len(task.columns) for task in context.world.tasks}
    own = pa.schema([field for field in VIEW.schema if field.name not in {name for name, _, _ in (*HEAD, *_LAST)}])
    for table in portions:
        calls, rows = [], []
        read = table.select(["task", "messages", "observations", "sub_agents"]).to_pylist()
        for number, row in enumerate(read):
            rated = list(_rated(read_calls(row), n_cells.get(row["task"]) or 1))
            calls += rated
            rows += [number] * len(rated)
        columns = pa.Table.from_pylist(calls, own)
        kept = carried(table, rows, context, *_SCORES)
        yield assembled(VIEW.schema, kept, {name: columns[name] for name in own.names}, context)


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
        *described(_OBSERVED, _OBSERVED_HOLDS),
        ("gain", pa.float64(), "share of all gold cells that this call showed first"),
        ("coverage_so_far", pa.float64(), "share of all gold cells seen by then"),
        ("redundant", pa.bool_(), "whether it repeats a call that did not fail"),
        *_LAST,
    ],
    tables=_tables,
)
"""Tool calls, one a row."""
