"""The tasks stage: draw candidates, word them, put them through the gates, keep as many as the spec asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from worldforge.builders.tasks.cell_ladder import LadderStep
from worldforge.builders.tasks.derive_site_figures import derive_site_figures
from worldforge.builders.tasks.gates import GateChecks, GateVerdict
from worldforge.builders.tasks.repeated_tasks import RepeatedTasks
from worldforge.builders.tasks.splits import wanted
from worldforge.builders.tasks.task_family import load_family, relations_for_tasks
from worldforge.builders.tasks.task_maker import DRAWS_IN_VAIN, TaskMaker
from worldforge.builders.tasks.widesearch_files import widesearch
from worldforge.builders.tasks.world_part import OtherWorldParts
from worldforge.core.files import remove
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress
from worldforge.core.temp_dir import remove_stale, temp_dir
from worldforge.core.worker_runtime import worker_cached
from worldforge.models.embedding import embeds_in_process
from worldforge.schema.spec import WorldSpec
from worldforge.world.database import connect
from worldforge.world.evidence import Evidence
from worldforge.world.parquet_reader import ParquetReader
from worldforge.world.site_figures import (
    SITE_FIGURES,
    SITE_FIGURES_FILE,
    page_sites,
    with_site_figures,
)
from worldforge.world.table_files import SET_ASIDE, TASKS, read_tables, write_parquet
from worldforge.world.task import Task, task_to_row
from worldforge.world.world import World

_NOTED_EVERY = 500  # draws
_EARNED = 32  # tasks by which a process earns its start
_Judge = Callable[[Iterator[Task]], Iterator[GateVerdict]]


def pose_tasks(spec: WorldSpec, folder: Path, workers: int, progress: Progress, code_from: Path | None = None) -> None:
    """Make the tasks of every family over the world in `folder`.

    Writes tasks.parquet, set_aside.parquet and widesearch/, and site_figures.parquet where a family asks for figures by
    site. Tables, pages, mentions and index must be there.
    """
    progress.note("reads the world")
    rows: list[dict[str, Any]] = []
    aside: list[GateVerdict] = []
    repeats, elsewhere = RepeatedTasks(), OtherWorldParts(spec)
    mentions = ParquetReader(folder / "mentions.parquet")
    _write_site_figures(spec, folder, code_from)
    tables = task_tables(spec, folder)
    evidence = Evidence(mentions, page_sites(World(folder, {})))
    connection = connect_task_tables(spec, tables)
    maker = TaskMaker(spec, tables, connection, evidence, mentions, code_from)
    with (
        _open_judge(_GateInput(spec, folder, code_from), tables, connection, evidence, workers) as judge,
        widesearch(folder / "widesearch") as write,
    ):
        for name, family in spec.tasks.items():
            progress.start(f"tasks: {name}", family.count)
            before = len(rows)
            for side, n in wanted(spec.split, family):
                review = _Review([elsewhere.reason, repeats.reason], aside, progress)
                if family.cells is None:
                    passing = islice(_kept(judge(maker.tasks(name, side)), review), n) if n else iter(())
                else:
                    passing = _kept_on_ladder(maker, judge, name, side, maker.steps(name, n), review)
                for passed in passing:
                    task = replace(passed, id=f"task/{name}-{len(rows) - before:04d}")
                    repeats.keep(task)
                    write(task)
                    rows.append(task_to_row(task))
                    progress.advance()
        write_parquet(folder / "set_aside.parquet", [_set_aside(aside)], SET_ASIDE)
        write_parquet(folder / "tasks.parquet", [pa.Table.from_pylist(rows, schema=TASKS)], TASKS)


def task_tables(spec: WorldSpec, folder: Path) -> dict[str, pa.Table]:
    """Read a world's tables, with columns such as `seats@inspectorate` if its tasks ask for figures by site."""
    return with_site_figures(read_tables(spec, folder), folder)


def _write_site_figures(spec: WorldSpec, folder: Path, code_from: Path | None) -> None:
    """Write site_figures.parquet if a family of tasks asks for figures by site; otherwise remove an old one."""
    if not any(load_family(family.family, code_from).names_sites for family in spec.tasks.values()):
        remove(folder / SITE_FIGURES_FILE)
        return
    found = derive_site_figures(spec, read_tables(spec, folder), World(folder, {}))
    write_parquet(folder / SITE_FIGURES_FILE, [found], SITE_FIGURES)


def connect_task_tables(spec: WorldSpec, tables: Mapping[str, pa.Table]) -> duckdb.DuckDBPyConnection:
    """Open a database over the tables that tasks may ask about."""
    return connect({name: tables[name] for name in (*spec.types, *relations_for_tasks(spec))})


@contextmanager
def _open_judge(
    given: _GateInput,
    tables: Mapping[str, pa.Table],
    connection: duckdb.DuckDBPyConnection,
    evidence: Evidence,
    workers: int,
) -> Iterator[_Judge]:
    """Yield a function that judges tasks in order, a few ahead of those taken, on as many workers as pay."""
    spec, folder = given.spec, given.folder
    workers = min(workers, sum(family.count for family in spec.tasks.values()) // _EARNED)
    if spec.search.dense is not None and embeds_in_process():
        workers = 1  # each would load the model
    if workers <= 1:
        remove_stale(folder)  # of several that were killed
        gates = GateChecks(spec, folder, tables, connection, evidence, given.code_from)
        yield lambda tasks: map(gates.judge, tasks)
        return
    with temp_dir(folder) as shared:
        evidence.write(shared)
        given = replace(given, evidence=shared)
        with LocalEngine(workers).pool(given, initializer=_open_gates) as pool:
            yield lambda tasks: pool.map_ordered(_judge, tasks)


@dataclass(frozen=True, slots=True)
class _GateInput:
    """The input of a worker's gates; `evidence` is the folder of the index of facts that all workers map."""

    spec: WorldSpec
    folder: Path
    code_from: Path | None
    evidence: Path = Path()


def _open_gates(given: _GateInput) -> GateChecks:
    tables, evidence = task_tables(given.spec, given.folder), Evidence.written(given.evidence)
    connection = connect_task_tables(given.spec, tables)
    return GateChecks(given.spec, given.folder, tables, connection, evidence, given.code_from)


def _judge(task: Task) -> GateVerdict:
    return worker_cached(_open_gates).judge(task)


@dataclass(frozen=True, slots=True)
class _Review:
    """Takes judged tasks: refuses what a gate refused, or any of `reasons`, and puts it with what was set aside."""

    reasons: Sequence[Callable[[Task], str]]
    aside: list[GateVerdict]
    progress: Progress

    def passes(self, verdict: GateVerdict) -> bool:
        reason = verdict.reason or next(filter(None, (one(verdict.task) for one in self.reasons)), "")
        if reason:
            self.aside.append(replace(verdict, reason=reason))
            self.progress.count("set_aside", of=reason.partition(":")[0])
        return not reason


def _kept(verdicts: Iterable[GateVerdict], review: _Review) -> Iterator[Task]:
    """Yield the tasks that pass, until too many candidates in a row did not."""
    last = noted = 0
    for verdict in verdicts:
        number = int(verdict.task.id.rpartition("-")[2])
        if number - last > DRAWS_IN_VAIN:
            return
        if number - max(last, noted) >= _NOTED_EVERY:
            review.progress.note(f"no further task in {number - last:,} draws; gives up after {DRAWS_IN_VAIN:,}")
            noted = number
        if review.passes(verdict):
            last = number
            yield verdict.task


def _kept_on_ladder(
    maker: TaskMaker, judge: _Judge, name: str, side: str, steps: Sequence[LadderStep], review: _Review
) -> Iterator[Task]:
    """Yield a task for each step of a ladder, as far as one is found.

    In rounds: a candidate for each step that has no task yet. What a round draws depends on those before it alone, so
    the tasks are the same for any number of workers.
    """
    cells = maker.spec.tasks[name].cells
    assert cells is not None
    while steps:
        drawn: list[LadderStep] = []
        kept: set[int] = set()

        def candidates(steps: Sequence[LadderStep] = steps, drawn: list[LadderStep] = drawn) -> Iterator[Task]:
            for step in steps:
                task = maker.task_at(name, side, step)
                if task is not None:
                    drawn.append(step)
                    yield task

        for number, verdict in enumerate(judge(candidates())):
            if review.passes(verdict):
                kept.add(drawn[number].place)
                yield verdict.task
        further = (step.further(cells) for step in steps if step.place not in kept)
        steps = [step for step in further if step is not None]


def _set_aside(verdicts: Sequence[GateVerdict]) -> pa.Table:
    rows = [
        {"id": v.task.id.replace("task/", "aside/"), "family": v.task.family, "query": v.task.query, "reason": v.reason}
        for v in verdicts
    ]
    return pa.Table.from_pylist(rows, schema=SET_ASIDE)
