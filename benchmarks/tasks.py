"""Speed of posing tasks: candidates drawn, worded, and given their gold by SQL and by the walk over the graph.

    python -m benchmarks.tasks [--pages 100000] [--tasks 1000]

Prints CPU seconds a step, and tasks a CPU second beside the bare queries: the same SQL, run and fetched, nothing else.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from worldforge.build import build
from worldforge.builders.tasks.addressed import Addressed
from worldforge.builders.tasks.judges import open_gates
from worldforge.builders.tasks.query import run_gold_query
from worldforge.builders.tasks.word import TaskMaker
from worldforge.schema.load import load_spec
from worldforge.schema.spec import WorldSpec
from worldforge.world.evidence import Evidence
from worldforge.world.stored import Stored
from worldforge.world.tables import read_tables

PAGES_AT_SCALE_1 = 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--tasks", type=int, default=1000)
    arguments = parser.parse_args()
    settings = [f"scale={arguments.pages / PAGES_AT_SCALE_1}", "tasks.list.count=1"]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "world"
        build(load_spec("quickstart", settings), folder)
        measure(folder, load_spec("quickstart", [settings[0], f"tasks.list.count={arguments.tasks}"]), arguments.tasks)


def measure(folder: Path, spec: WorldSpec, n_tasks: int) -> dict[str, float]:
    """Pose and judge tasks over the world in `folder`, in this process; print and return how fast.

    Returns tasks posed a CPU second (`posed`), that as a multiple of the bare queries' time (`beside`), and CPU seconds
    of the gates for 1,000 tasks (`gated`).
    """
    steps: dict[str, float] = {}

    def timed(step: str, work: Callable[[], Any]) -> Any:
        started = time.process_time()
        result = work()
        steps[step] = time.process_time() - started
        return result

    tables = read_tables(spec, folder)
    mentions = Stored(folder / "mentions.parquet")
    evidence = timed("index the mentions, once", lambda: Evidence(mentions))
    gates = timed("open database, graph and index, once", lambda: open_gates(spec, folder, tables, evidence))
    maker = TaskMaker(spec, tables, evidence, Addressed(spec, tables, mentions), None)
    family = spec.tasks["list"]
    tasks = timed("draw and word", lambda: list(islice(maker.tasks("list", family), n_tasks)))
    queried = timed("gold by SQL", lambda: [run_gold_query(gates.connection, task.query) for task in tasks])
    walk = gates.walker.gold
    walked = timed(
        "gold by walk", lambda: [walk(task.about, task.conditions, task.columns, task.shape) for task in tasks]
    )
    verdicts = timed("all gates, the oracle's proof among them", lambda: [gates.judge(task) for task in tasks])
    for step, cpu_s in steps.items():
        print(f"{step:42} {cpu_s:7.2f} CPU s")
    posed = steps["draw and word"] + steps["gold by SQL"] + steps["gold by walk"]
    agreed = sum(a == b for a, b in zip(queried, walked, strict=True))
    print(
        f"posed with gold both ways: {len(tasks) / posed:,.0f} tasks/CPU s (target 450), {agreed} of {len(tasks)} agree"
    )
    print(f"beside the bare queries: {posed / steps['gold by SQL']:.2f} ×")
    kept = sum(not verdict.reason for verdict in verdicts)
    gated = steps["all gates, the oracle's proof among them"] * 1000 / len(tasks)
    print(f"gates: {gated:.1f} CPU s for 1,000 tasks (target 40), {kept} kept")
    return {"posed": len(tasks) / posed, "beside": posed / steps["gold by SQL"], "gated": gated}


if __name__ == "__main__":
    main()
