"""Shards by hand: trajectories whose outcomes a test decides, as a run would have written them."""

import json
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
from paper_world import task_on_paper

from worldforge.datasets.selection.selected_rows import RunShards
from worldforge.rollouts.trajectory import TRAJECTORIES

PER_SHARD = 16
WORLD = SimpleNamespace(tasks=[task_on_paper(number) for number in range(70)])
"""What a selection asks of a world."""


def trajectory(task=0, trial=0, calls=("velmar clubs",), answer="", filler="", **columns):
    """One row of `TRAJECTORIES`: who it is, what it called for, what is given; all else is empty."""
    row = {field.name: _empty(field.type) for field in TRAJECTORIES}
    name = f"task/list-{task:04d}"
    said = [("system", "Search."), ("user", f"List table {task}.")]
    messages = [_message(role, content) for role, content in said]
    for number, query in enumerate(calls):
        function = {"name": "web_search", "arguments": json.dumps({"query": query})}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        messages.append(_message("assistant", "") | {"tool_calls": [call]})
        messages.append(_message("tool", f"Results. {filler}") | {"tool_call_id": call["id"], "name": "web_search"})
    messages.append(_message("assistant", answer))
    row |= {"id": f"{name}#{trial}", "task": name, "trial": trial, "agent": "hand", "ending": "answered"}
    row |= {"messages": messages, "answer": answer, "tools": "[]", "n_tool_calls": len(calls)}
    return row | columns


def write_run(folder, rows, run="hand", per_shard=PER_SHARD):
    """Write rows as the shards of a run; return where they are. Episodes of runs of other names are others."""
    rows = [row | {"episode": row["episode"] or f"{run}/{row['id']}/{place}"} for place, row in enumerate(rows)]
    paths = [folder / run / f"{start:06d}.parquet" for start in range(0, len(rows), per_shard)]
    for number, path in enumerate(paths):
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(rows[number * per_shard : (number + 1) * per_shard], TRAJECTORIES), path)
    return RunShards(run, tuple(paths))


def rows_of(selected):
    """All rows that were selected, read through its tables."""
    return [row for table in selected.tables() for row in table.to_pylist()]


def _message(role, content):
    blank = {"reasoning_content": None, "tool_calls": None, "tool_call_id": None, "name": None}
    return {"role": role, "content": content, **blank}


def _empty(kind):
    if pa.types.is_list(kind):
        return []
    if pa.types.is_boolean(kind):
        return False
    return "" if pa.types.is_string(kind) else 0
