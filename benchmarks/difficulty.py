"""How far scripted players come, by width and family of tasks, for shipped worlds. Prints Markdown tables.

    python -m benchmarks.difficulty [finance sports …] [--scale 0.4] [--tasks 20] [--folder DIR] [--json FILE]

Mean item F1 (strict scorer) of three players that read no sentence (docs/reading.md), of the searcher with 25, 50, 100
and 400 tool calls and as many as the gate gives it, of the noisy searcher and of a team of searchers. Tasks are
posed without the gate `searchable`, so that not only what the searcher can do is counted. Below the tables: how many
of the searcher's calls open an address or type a name that neither question nor observation had shown.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks._reading.record_answers import Question
from benchmarks.reading import players
from benchmarks.searcher import n_unseen, names_of, played
from benchmarks.topics import CHILD
from worldforge.entry_points.build_world import build
from worldforge.entry_points.play_run import rollout
from worldforge.environments.registry import dialect_of
from worldforge.environments.search.environment import SearchEnvironment
from worldforge.environments.search.searcher.page_reading import PageReader
from worldforge.schema.spec_loader import load_spec
from worldforge.schema.spec_sources import shipped_specs
from worldforge.scoring.alias_judge import gold_with_aliases
from worldforge.scoring.strict_scorer import score_strict
from worldforge.world.world import World, open_world

BUDGETS = (25, 50, 100, 400, 1000)
AGENTS = ("noisy-searcher", "team:searcher")
WIDTHS = ((100, "under 100"), (400, "100 to 399"), (1_000_000, "400 and more"))
"""Cells of which a task has fewer, and what such tasks are called."""


def measured(topic: str, scale: float, n_tasks: int, folder: Path) -> list[dict[str, Any]]:
    """Build a world and play its tasks; return a row a task, with the item F1 of each player."""
    settings = [f"scale={scale:g}", "gates.searcher.max_steps=0"]
    families = load_spec(topic, settings).tasks
    share = n_tasks / sum(family.count for family in families.values())
    settings += [f"tasks.{name}.count={max(1, round(share * one.count))}" for name, one in families.items()]
    world = open_world(build(load_spec(topic, settings), folder / f"{topic}-{scale:g}").folder)
    rows: dict[str, dict[str, Any]] = {task.id: {} for task in world.tasks}
    _play_searcher(world, rows)
    for agent in AGENTS:
        _play(world, f"{agent}?thoughts=none", agent, rows)
    for name, player in players(world).items():
        for id_, row in rows.items():
            task = world.task(id_)
            answer = player(Question(task.wording, tuple(task.labels)))
            row[name] = score_strict(answer, gold_with_aliases(world, task)).item_f1
            row |= {"world": topic, "family": task.family, "n_cells": task.n_cells, "two_keys": len(task.keys) > 1}
    return list(rows.values())


def _play_searcher(world: World, rows: dict[str, dict[str, Any]]) -> None:
    """Play all tasks with each budget, and count the calls that name what had not been shown."""
    environment = SearchEnvironment(world, dialect_of(SearchEnvironment, world.spec.rollouts.dialect))
    reader, names = PageReader(world), names_of(world)
    for task in world.tasks:
        row = rows[task.id]
        row["searcher: unseen"] = row["searcher: all calls"] = 0
        for budget in BUDGETS:
            episode = played(world, reader, environment, task, budget)
            score = score_strict(episode.answer, gold_with_aliases(world, task))
            row |= {f"searcher {budget}": score.item_f1, f"searcher {budget}: calls": episode.n_tool_calls}
            row["searcher: unseen"] += n_unseen(task, episode, names)
            row["searcher: all calls"] += episode.n_tool_calls


def _play(world: World, agent: str, column: str, rows: dict[str, dict[str, Any]]) -> None:
    """Play all tasks, and note in their rows what was reached in how many calls."""
    with tempfile.TemporaryDirectory() as out:
        summary = rollout(world, agent=agent, max_steps=BUDGETS[-1], trials=1, out=out)
        for path in sorted(summary.folder.glob("shards/*.parquet")):
            for row in pq.read_table(path, columns=["task", "item_f1", "n_tool_calls"]).to_pylist():
                rows[row["task"]] |= {column: row["item_f1"], f"{column}: calls": row["n_tool_calls"]}


def tables(rows: Sequence[dict[str, Any]]) -> str:
    """Write the tables: by world, by width, by family."""
    scores = ["largest_table", "scraper", "crawler", *(f"searcher {budget}" for budget in BUDGETS), *AGENTS]
    parts = []
    groupings: tuple[tuple[str, Callable[[dict[str, Any]], str]], ...] = (
        ("world", lambda row: row["world"]),
        ("cells", _width),
        ("family", lambda row: row["family"]),
        ("keys", lambda row: "two" if row["two_keys"] else "one"),
    )
    for title, key in groupings:
        lines = [[title, "tasks", "cells", *scores, "calls: searcher", "team"]]
        lines.append(["---"] * len(lines[0]))
        ordered = sorted(rows, key=lambda row: (title == "cells" and row["n_cells"], key(row)))
        for group in dict.fromkeys(map(key, ordered)):
            own = [row for row in rows if key(row) == group]
            calls = [_mean(own, f"{name}: calls", ",.0f") for name in (f"searcher {BUDGETS[-1]}", "team:searcher")]
            cells = _mean(own, "n_cells", ",.0f")
            lines.append([group, str(len(own)), cells, *(_mean(own, name, ".2f") for name in scores), *calls])
        parts.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
    unseen, calls = (sum(row[f"searcher: {name}"] for row in rows) for name in ("unseen", "all calls"))
    parts.append(f"Calls that name what was not shown: {unseen:,} of {calls:,} of the searcher's.")
    return "\n\n".join(parts)


def _width(row: dict[str, Any]) -> str:
    return next(name for most, name in WIDTHS if row["n_cells"] < most)


def _mean(rows: Iterable[dict[str, Any]], column: str, form: str) -> str:
    return format(statistics.fmean(row[column] for row in rows), form)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("topics", nargs="*", default=sorted(shipped_specs()))
    parser.add_argument("--scale", type=float, default=0.4)
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--folder", type=Path, help="where worlds are built and kept; default: a temporary folder")
    parser.add_argument("--json", type=Path, help="where a row a task is written, and read from if it is there")
    parser.add_argument(CHILD, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.folder or Path(scratch)
        if arguments.child:
            print(json.dumps(measured(arguments.child, arguments.scale, arguments.tasks, folder)))
            return
        rows: list[dict[str, Any]] = json.loads(arguments.json.read_text()) if _is_there(arguments.json) else []
        for topic in arguments.topics:
            if any(row["world"] == topic for row in rows):
                continue
            options = ["--scale", str(arguments.scale), "--tasks", str(arguments.tasks), "--folder", str(folder)]
            command = [sys.executable, "-m", "benchmarks.difficulty", CHILD, topic, *options]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
            if done.returncode:
                print(f"{topic} failed", file=sys.stderr)
                continue
            rows += json.loads(done.stdout.splitlines()[-1])
            if arguments.json:
                arguments.json.write_text(json.dumps(rows))
    print(tables(rows))


def _is_there(path: Path | None) -> bool:
    return path is not None and path.exists()


if __name__ == "__main__":
    main()
