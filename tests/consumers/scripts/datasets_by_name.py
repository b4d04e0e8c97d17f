"""The `datasets` library: every view loaded by its name, from the folder as from the Hub."""

import json

import datasets
from told import given, must, say

STRINGS = ("trajectories", "sft_str", "sft_sharegpt", "rl_verl", "rl_trl", "rl_skyrl", "steps", "pages", "tasks")
JSON = ("sft", "dpo", "world_model")
JSON_SINCE = (4, 7)


def load(folder, view, **how):
    return datasets.load_dataset(str(folder), view, split="train", **how)


def load_whole(folder, view):
    """Load a view: as many rows as the manifest says, the first as it is streamed."""
    rows = load(folder, view)
    files = json.loads((folder / "manifest.json").read_text())["files"]
    n_rows = sum(file["rows"] for path, file in files.items() if path.startswith(f"{view}/"))
    must(len(rows) == n_rows, f"{view} has {n_rows} rows, not {len(rows)}")
    must(next(iter(load(folder, view, streaming=True))) == rows[0], f"{view} streams the row that it loads")
    return rows


def load_strings(folder):
    n_rows = sum(len(load_whole(folder, view)) for view in STRINGS)
    for row in load(folder, "sft_str"):
        learnt = [message for message, asked in zip(row["messages"], row["loss_mask"], strict=True) if asked]
        calls = [call["function"] for message in learnt for call in message["tool_calls"] or ()]
        must(all(isinstance(json.loads(call["arguments"]), dict) for call in calls), "arguments in sft_str are JSON")
    return f"{len(STRINGS)} views, {n_rows:,} rows"


def load_json(folder):
    """Messages come as dicts without a key that has nothing to say."""
    n_rows = sum(len(load_whole(folder, view)) for view in JSON)
    for row in load(folder, "sft"):
        for message in row["messages"]:
            must(None not in message.values(), "no message has a key with nothing under it")
            for call in message.get("tool_calls", ()):
                must(isinstance(call["function"]["arguments"], dict), "arguments are objects")
    return f"{len(JSON)} views, {n_rows:,} rows, arguments are objects"


def refuse_json(folder):
    for view in JSON:
        try:
            load(folder, view)
        except Exception as error:
            if "Json" not in str(error) and "json" not in str(error):
                raise
        else:
            raise SystemExit(f"{view} was loaded, and docs/views.md says that it cannot be")
    return "refused, as documented"


def main():
    folder = given().dataset
    datasets.disable_progress_bars()
    say("datasets", ", ".join(STRINGS), "load_dataset by name, whole and streaming", load_strings(folder))
    knows_json = tuple(int(part) for part in datasets.__version__.split(".")[:2]) >= JSON_SINCE
    result = load_json(folder) if knows_json else refuse_json(folder)
    say("datasets", ", ".join(JSON), "load_dataset by name", result)


main()
