"""A row a tool call: what was asked, what it brought, what it was worth, with the trajectory's final scores beside it.

Calls stand in the order in which they were answered: those of a sub-agent before the call that started it. Gain is
the share of the task's gold cells that a call showed and none before it; the gains of a trajectory add up to its
coverage. A call is redundant where an earlier one with the same tool and arguments did not fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.datasets.conversations import HEAD, assembled, carried, whole
from worldforge.datasets.view import DatasetView, ExportContext, described
from worldforge.rollouts.observed import OBSERVATION
from worldforge.scoring.reward_components import MadeCall, redundant

Whole = npt.NDArray[np.int64]

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


def read_calls(table: pa.Table) -> pa.Table:
    """Read the calls of a table that has `messages`, `observations` and `sub_agents`, as in `TRAJECTORIES`.

    Columns: `row` (the trajectory's, in order), `step`, `turn`, `sub_agent`, `tool`, `arguments`, then those of
    `rollouts.observed.OBSERVATION`.
    """
    own = _calls(whole(table["messages"]), whole(table["observations"]))
    subs = whole(table["sub_agents"])
    each = subs.flatten()
    if len(each):
        theirs = _calls(each.field("messages"), each.field("observations"))
        conversation = theirs["row"].to_numpy()
        started_by = np.array(each.field("tool_call_id").to_pylist(), object)[conversation]
        rows, numbers = _rows_of(subs), _numbered(_rows_of(subs))
        theirs = theirs.set_column(0, "row", pa.array(rows[conversation]))
        theirs = theirs.set_column(1, "sub_agent", pa.array(numbers[conversation], pa.int32()))
        own = pa.concat_tables([own, theirs]).take(_order(own, theirs, started_by))
    return own.add_column(1, "step", pa.array(_numbered(own["row"].to_numpy()), pa.int32()))


def _calls(messages: pa.ListArray, observations: pa.ListArray) -> pa.Table:
    """Return the calls of conversations; `row` is the conversation's number, `sub_agent` null."""
    said, seen = messages.flatten(), observations.flatten()
    n_calls = said.field("tool_calls").value_lengths().fill_null(0).to_numpy()
    function = said.field("tool_calls").flatten().field("function")
    rows = _rows_of(messages)
    turns = _numbered(rows, pc.equal(said.field("role"), "assistant").to_numpy(zero_copy_only=False))
    columns = {
        "row": np.repeat(rows, n_calls),
        "sub_agent": pa.nulls(len(function), pa.int32()),
        "turn": pa.array(np.repeat(turns, n_calls), pa.int32()),
        "tool": function.field("name"),
        "arguments": function.field("arguments"),
    }
    return pa.table({**columns, **{field.name: seen.field(field.name) for field in OBSERVATION}})


def _order(own: pa.Table, theirs: pa.Table, started_by: Iterable[str]) -> pa.Array:
    """Return the order in which calls were answered: a sub-agent's before the one that started it."""
    waiting: dict[tuple[int, str], list[int]] = {}
    for number, key in enumerate(zip(theirs["row"].to_pylist(), started_by, strict=True), own.num_rows):
        waiting.setdefault(key, []).append(number)
    order: list[int] = []
    for number, key in enumerate(zip(own["row"].to_pylist(), own["tool_call_id"].to_pylist(), strict=True)):
        order += [*waiting.pop(key, ()), number]
    order += [number for numbers in waiting.values() for number in numbers]  # started by calls that were never answered
    rows = np.concatenate([own["row"].to_numpy(), theirs["row"].to_numpy()])
    placed = np.array(order, np.int64)
    return pa.array(placed[np.argsort(rows[placed], kind="stable")])


def _rows_of(lists: pa.ListArray) -> Whole:
    """Return, for each item of some lists, which list it is of."""
    return np.repeat(np.arange(len(lists)), lists.value_lengths().fill_null(0).to_numpy())


def _numbered(rows: Whole, counts: npt.NDArray[np.bool_] | None = None) -> Whole:
    """Number the items of each row from 0, where those of a row stand together.

    Of items that do not count, each has the number of the one before it.
    """
    total = np.concatenate([[0], np.cumsum(np.ones(len(rows), np.int64) if counts is None else counts)])
    return total[1:] - total[np.searchsorted(rows, rows)] - 1


def _tables(portions: Iterable[pa.Table], context: ExportContext) -> Iterator[pa.Table]:
    n_cells = {task.id: len(task.gold) * len(task.columns) for task in context.world.tasks}
    for table in portions:
        calls = read_calls(table)
        rows = carried(table, calls["row"].to_pylist(), context, *_SCORES)
        all_cells = np.array([n_cells.get(task) or 1 for task in rows["task"].to_pylist()], np.int64)
        first, seen = _first_seen(calls)
        own: Mapping[str, Any] = {
            **{name: calls[name] for name in calls.column_names if name in VIEW.schema.names},
            "gain": pa.array(first / all_cells, pa.float64()),
            "coverage_so_far": pa.array(seen / all_cells, pa.float64()),
            "redundant": _redundant(calls),
        }
        yield assembled(VIEW.schema, rows, own, context)


def _first_seen(calls: pa.Table) -> tuple[Whole, Whole]:
    """Return how many gold cells each call showed that none before it had, and how many were seen by then."""
    first, seen = np.zeros(calls.num_rows, np.int64), np.zeros(calls.num_rows, np.int64)
    known: set[int] = set()
    for number, (step, cells) in enumerate(zip(*_lists(calls, "step", "gold_seen"), strict=True)):
        if step == 0:
            known = set()
        before = len(known)
        known.update(cells)
        first[number], seen[number] = len(known) - before, len(known)
    return first, seen


def _redundant(calls: pa.Table) -> list[bool]:
    """Say which calls repeat one of their trajectory that did not fail."""
    repeated: list[bool] = []
    made: list[MadeCall] = []
    for step, tool, arguments, error in zip(*_lists(calls, "step", "tool", "arguments", "error"), strict=True):
        if step == 0:
            repeated += redundant(made)
            made = []
        made.append(MadeCall(tool, arguments, bool(error)))
    return repeated + redundant(made)


def _lists(calls: pa.Table, *names: str) -> list[list[Any]]:
    return [calls[name].to_pylist() for name in names]


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
        ("item_f1", pa.float64(), "F1 over cells of the whole trajectory's answer"),
        ("row_f1", pa.float64(), "F1 over its rows"),
        ("success", pa.bool_(), "whether its table is perfect"),
        ("coverage", pa.float64(), "share of the gold cells that were seen in all of it"),
        ("n_steps", pa.int32(), "turns of the agent in it"),
        ("reward", pa.float64(), "its reward, as the recipe adds it up"),
        ("canary", pa.string(), "marks the dataset's texts, to be found again where they should not be"),
    ],
    tables=_tables,
)
"""Tool calls, one a row."""
