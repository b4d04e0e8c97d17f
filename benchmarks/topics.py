"""Print a Markdown table with a row a topic, each made by a process of its own, so that one cannot slow the next."""

import json
import subprocess
import sys
from collections.abc import Sequence

CHILD = "--child"
"""The option by which a benchmark is told to make the row of one topic, and to print it as JSON."""


def print_rows(module: str, columns: Sequence[str], topics: Sequence[str], options: Sequence[str]) -> None:
    """Run `python -m module --child TOPIC` with `options` for each topic; a row that fails says so."""
    print("| " + " | ".join(columns) + " |")
    print("|" + " --- |" * len(columns))
    for topic in topics:
        command = [sys.executable, "-m", module, CHILD, topic, *options]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        cells = json.loads(done.stdout) if done.returncode == 0 else [topic, "**not built**"]
        print("| " + " | ".join(cells) + " |", flush=True)
