"""Trajectories by hand for the views of conversations, and what writes views to Parquet and reads them back."""

import json
from pathlib import Path

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
from shards_by_hand import trajectory

from worldforge.datasets.selection.selected_rows import RUN
from worldforge.datasets.view import ExportContext
from worldforge.rollouts.trajectory import TRAJECTORIES
from worldforge.scoring.reward_recipe import DEFAULT
from worldforge.world.world import open_world

TOOLS = json.dumps(
    [
        {
            "type": "function",
            "function": {
                "name": "web_search",
                "description": "Search.",
                "parameters": {"type": "object", "properties": {"query": {"type": "string"}}},
            },
        },
        {
            "type": "function",
            "function": {
                "name": "web_extractor",
                "description": "Open.",
                "parameters": {
                    "type": "object",
                    "properties": {"url": {"type": "string"}, "part": {"type": "integer"}},
                },
            },
        },
    ]
)
PLAIN = {"reasoning_content": None, "tool_calls": None, "tool_call_id": None, "name": None}


def say(role, content, **more):
    return {"role": role, "content": content, **PLAIN, **more}


def ask(*calls, content="", reasoning=None):
    """An assistant's message with calls, each (id, name, arguments as text or as an object)."""
    made = [
        {"id": id_, "type": "function", "function": {"name": name, "arguments": _text(arguments)}}
        for id_, name, arguments in calls
    ]
    return say("assistant", content, reasoning_content=reasoning, tool_calls=made)


def bring(id_, text, name="web_search"):
    return say("tool", text, tool_call_id=id_, name=name)


def observed(id_, error="", controls=(), altered=(), gold_seen=()):
    own = {"tool_call_id": id_, "error": error, "source": "engine", "verdict": "", "refused": [], "stored": False}
    own |= {"n_drafts": 0, "prompt_tokens": 0, "completion_tokens": 0, "seconds": 0.0, "latency_s": 0.0}
    shown = [{"fact": fact, "shown": "1", "true": "2"} for fact in altered]
    return own | {"controls": list(controls), "altered": shown, "disclosed": [], "gold_seen": list(gold_seen)}


def talk(*messages, observations=None, task=0, trial=0, **columns):
    """A trajectory that says `messages` after system and user; observations as given, or one without error a call."""
    said = [say("system", "You search."), say("user", f"List table {task}."), *messages]
    ids = [call["id"] for message in said for call in message["tool_calls"] or ()]
    seen = observations if observations is not None else [observed(id_) for id_ in ids]
    answer = said[-1]["content"] if said[-1]["role"] == "assistant" else ""
    given = {
        "messages": said,
        "observations": seen,
        "tools": TOOLS,
        "environment": "search/agentworld",
        "world": "paper",
    }
    given |= {"n_tool_calls": len(ids), "n_steps": sum(one["role"] == "assistant" for one in said), "answer": answer}
    return trajectory(task, trial, calls=()) | given | columns


def table_of(*rows):
    return from_run("by-hand", pa.Table.from_pylist(list(rows), TRAJECTORIES))


def from_run(name, table):
    """Rows as a selection gives them: with the name of their run."""
    return table.add_column(0, RUN, pa.array([name] * table.num_rows, pa.string()))


def context_of(world, recipe=DEFAULT):
    return ExportContext(world, [], "canary: 5d1c", recipe)


def shards_of(run):
    """The trajectories of a run on disk, as one table."""
    shards = sorted((run / "shards").glob("*.parquet"))
    return from_run(run.name, pa.concat_tables(pq.read_table(path) for path in shards))


def by_task(table):
    """A table as a selection's groups: all rows of a task at a time."""
    tasks = table["task"].to_pylist()
    for task in sorted(set(tasks)):
        yield table.filter(pa.array([one == task for one in tasks]))


def converted(view, portions, context):
    """A view's rows as one table; its schema is the one promised, and each column is described."""
    tables = list(view.tables(portions, context))
    assert all(table.schema.equals(view.schema) for table in tables)
    assert all(meaning for _, _, meaning in view.columns)
    assert view.schema.names[-1] == "canary"
    return pa.concat_tables(tables)


def read_back(table, folder):
    """Rows as `datasets` reads them from Parquet: loaded whole, and the same ones streamed."""
    path = Path(folder) / "train-00000-of-00001.parquet"
    pq.write_table(table, path, write_page_index=True, use_content_defined_chunking=True)
    loaded = datasets.load_dataset(
        "parquet", data_files=str(path), split="train", cache_dir=str(Path(folder) / "cache")
    )
    streamed = datasets.load_dataset("parquet", data_files=str(path), split="train", streaming=True)
    rows = list(loaded)
    assert list(streamed) == rows and len(rows) == table.num_rows
    return rows


def sharing(world, folder):
    """A world's files in a new folder, without its runs and datasets: runs may be written there."""
    folder.mkdir()
    for path in Path(world).iterdir():
        if path.name not in ("trajectories", "datasets"):
            (folder / path.name).symlink_to(path)
    return open_world(folder)


def _text(arguments):
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
