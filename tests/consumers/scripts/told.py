"""What the scripts have in common: what they are given, what they say, what a trainer may learn of a conversation.

A script runs in its consumer's own environment, so this imports the standard library alone.
"""

import argparse
import json
import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

CALL = re.compile(r"<tool_call>\s*(.*?)\s*</tool_call>", re.DOTALL)


def given():
    """Return what the check gives every script: `dataset`, `world` and `model` (a tokenizer's folder), as paths."""
    parser = argparse.ArgumentParser()
    for name in ("dataset", "world", "model"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    return parser.parse_args()


def say(package, view, what, result):
    """Say what was run over a view and what came of it: a row of the table."""
    try:
        found = version(package)
    except PackageNotFoundError:
        found = "none"
    row = {"consumer": package, "version": found, "view": view, "what": what, "result": result}
    print(json.dumps(row), flush=True)


def parquet(dataset, view):
    """Return the one file of a view of the quickstart world."""
    (file,) = (dataset / view).glob("train-*.parquet")
    return str(file)


def must(held, what):
    """Fail with words: an assertion that `python -O` keeps."""
    if not held:
        raise SystemExit(f"it does not hold that {what}")


def gold_answer(ground_truth):
    """Write the answer that is worth 1, from the gold table of a row."""
    table = json.loads(ground_truth)
    lines = [table["columns"], ["---"] * len(table["columns"]), *table["rows"]]
    return "```markdown\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n```"


def check_learnt(learnt, messages):
    """Check what a trainer learns, one text, by the messages: what sound turns say and call, and no observation.

    `learnt` is of a chat template that writes calls as Qwen's do. Returns how many calls are learnt.
    """
    sound = [message for message in messages if message["role"] == "assistant" and message.get("loss", True)]
    calls = [call["function"] for message in sound for call in message.get("tool_calls") or ()]
    must(sound, "a row has a turn to learn")
    for message in sound:
        must(message["content"].strip() in learnt, f"this turn is learnt: {message['content'][:80]!r}")
    for message in messages:
        if message["role"] in ("tool", "user", "system"):
            must(message["content"][:60] not in learnt, f"this is masked: {message['content'][:60]!r}")
    written = [json.loads(text) for text in CALL.findall(learnt)]
    must(
        [(call["name"], call["arguments"]) for call in written]
        == [(call["name"], call["arguments"]) for call in calls],
        f"the calls learnt are those made, as objects and without a null more: {written}, {calls}",
    )
    return len(calls)
