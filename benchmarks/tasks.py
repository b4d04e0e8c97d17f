"""Speed of posing tasks: candidates drawn, worded, and given their gold by SQL and by the walk over the graph.

    python -m benchmarks.tasks [--pages 100000] [--tasks 1000]

Prints CPU seconds a step, and tasks a CPU second beside the bare queries: the same SQL, run and fetched over the same
tables as plain DuckDB holds them, nothing else, some tasks of each in turn. What is made ready once for all tasks,
however many, is printed apart: indexes, the database, and the columns, which the first hundred tasks read.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import generators.questions  # noqa: F401 - what wording imports is no part of it
from worldforge.builders.tasks.gates import GateChecks
from worldforge.builders.tasks.gold_sql import run_gold_query
from worldforge.builders.tasks.task_maker import TaskMaker
from worldforge.builders.tasks.tasks_stage import connect_task_tables
from worldforge.entry_points.build_world import build
from worldforge.schema.spec import WorldSpec
from worldforge.world.database import connect
from worldforge.world.evidence import Evidence
from worldforge.world.parquet_reader import ParquetReader
from worldforge.world.table_files import read_tables
from worldforge.world.task import Task

CHUNK = 32  # tasks of each step in turn


def main() -> None:
    from benchmarks.scale.steps import spec_of  # which comes here to measure, too

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--tasks", type=int, default=1000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "world"
        build(spec_of(arguments.pages, 1), folder)
        measure(folder, spec_of(arguments.pages, arguments.tasks), arguments.tasks)


def measure(folder: Path, spec: WorldSpec, n_tasks: int) -> dict[str, float]:
    """Pose and judge tasks over the world in `folder`, in this process; print and return how fast.

    Returns tasks posed a CPU second (`posed`), that as a multiple of the bare queries' time (`beside`), and CPU seconds
    of the gates for 1,000 tasks (`gated`).
    """
    steps: dict[str, float] = {}

    def timed(step: str, work: Callable[[], Any]) -> Any:
        started = time.process_time()
        result = work()
        steps[step] = steps.get(step, 0.0) + time.process_time() - started
        return result

    tables = read_tables(spec, folder)
    mentions = ParquetReader(folder / "mentions.parquet")
    evidence = timed("index the mentions, once", lambda: Evidence(mentions))
    connection = timed("open the database, once", lambda: connect_task_tables(spec, tables))
    gates = timed("open graph and index, once", lambda: GateChecks(spec, folder, tables, connection, evidence))
    maker = TaskMaker(spec, tables, connection, evidence, mentions)
    plain = connect({name: tables[name] for name in spec.types})
    found = maker.tasks("list")

    def walk(task: Task) -> Any:
        return gates.walker.gold(task.about, task.conditions, task.columns, task.shape)

    timed("make columns ready, once", lambda: [walk(task) for task in islice(found, 100)])
    tasks: list[Task] = []
    n_agreed = 0
    for first in range(0, n_tasks, CHUNK):
        n = min(CHUNK, n_tasks - first)
        chunk = timed("draw and word", lambda n=n: list(islice(found, n)))
        timed("the bare queries", lambda chunk=chunk: [plain.execute(task.query).fetchall() for task in chunk])
        queried = timed("gold by SQL", lambda chunk=chunk: [run_gold_query(connection, task.query) for task in chunk])
        walked = timed("gold by walk", lambda chunk=chunk: [walk(task) for task in chunk])
        n_agreed += sum(one == other for one, other in zip(queried, walked, strict=True))
        tasks += chunk
    verdicts = timed("all gates, the oracle's proof among them", lambda: list(map(gates.judge, tasks)))
    for step, cpu_s in steps.items():
        print(f"{step:42} {cpu_s:7.2f} CPU s")
    posed = steps["draw and word"] + steps["gold by SQL"] + steps["gold by walk"]
    beside = posed / steps["the bare queries"]
    print(f"posed with gold both ways: {len(tasks) / posed:,.0f} tasks/CPU s (target 450)")
    print(f"{n_agreed} of {len(tasks)} agree; beside the bare queries: {beside:.2f} ×")
    kept = sum(not verdict.reason for verdict in verdicts)
    gated = steps["all gates, the oracle's proof among them"] * 1000 / len(tasks)
    print(f"gates: {gated:.1f} CPU s for 1,000 tasks (target 40), {kept} kept")
    return {"posed": len(tasks) / posed, "beside": beside, "gated": gated}


if __name__ == "__main__":
    main()
