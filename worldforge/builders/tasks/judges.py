"""Puts tasks through the gates, in this process or in several; verdicts come in the order of the tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import islice
from pathlib import Path

import pyarrow as pa

from worldforge.agents.plan import Planner
from worldforge.builders.tasks.gates import Gates, Verdict
from worldforge.builders.tasks.walk import Walker
from worldforge.core.processes import pool, spread, taken
from worldforge.environments.search import SearchEnvironment
from worldforge.schema.spec import WorldSpec
from worldforge.search.index import open_index
from worldforge.world.database import connect
from worldforge.world.evidence import Evidence
from worldforge.world.graph import build_graph
from worldforge.world.styles import Forms
from worldforge.world.tables import read_parquet, read_tables
from worldforge.world.task import Task

Judge = Callable[[Iterator[Task]], Iterator[Verdict]]
_CHUNK = 32  # tasks that a process is given at once


def open_gates(spec: WorldSpec, folder: Path, tables: Mapping[str, pa.Table], evidence: Evidence) -> Gates:
    """Open what the gates need beside tables and evidence: the database, the graph, pages and index in `folder`."""
    graph = build_graph(spec, {name: tables[name] for name in spec.types}, {})
    pages = read_parquet(folder / "pages.parquet", ["url", "title", "text", "kind"])
    planner = Planner(pages, evidence, Forms(spec, lambda name: tables[name]))
    environment = SearchEnvironment(open_index(folder / "index"))
    return Gates(connect(tables), Walker(graph), planner, environment)


@contextmanager
def judging(
    spec: WorldSpec, folder: Path, tables: Mapping[str, pa.Table], evidence: Evidence, workers: int
) -> Iterator[Judge]:
    """Give a function that judges tasks one after the other, as far as its verdicts are asked for."""
    workers = min(workers, sum(family.count for family in spec.tasks.values()) // _CHUNK)
    if workers <= 1:
        gates = open_gates(spec, folder, tables, evidence)
        yield lambda tasks: map(gates.judge, tasks)
        return
    with pool(workers, (spec, folder)) as executor:
        yield lambda tasks: _spread(tasks, executor, workers)


def _spread(tasks: Iterator[Task], executor: ProcessPoolExecutor, workers: int) -> Iterator[Verdict]:
    chunks = iter(lambda: list(islice(tasks, _CHUNK)), [])
    while batch := list(islice(chunks, workers)):
        for verdicts in spread(executor, _judge_all, batch):
            yield from verdicts


def _judge_all(tasks: list[Task]) -> list[Verdict]:
    gates = _gates_of_this_process()
    return [gates.judge(task) for task in tasks]


@cache
def _gates_of_this_process() -> Gates:
    spec, folder = taken()
    evidence = Evidence(read_parquet(folder / "mentions.parquet"))
    return open_gates(spec, folder, read_tables(spec, folder), evidence)
