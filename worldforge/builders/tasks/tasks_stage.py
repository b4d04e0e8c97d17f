"""The tasks stage: draw candidates, word them, put them through the gates, keep as many as the spec asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from worldforge.builders.tasks.gate_runner import connect_asked, open_judge
from worldforge.builders.tasks.gates import GateVerdict
from worldforge.builders.tasks.repeated_tasks import RepeatedTasks
from worldforge.builders.tasks.splits import wanted
from worldforge.builders.tasks.task_wording import DRAWS_IN_VAIN, TaskMaker
from worldforge.builders.tasks.widesearch_files import widesearch
from worldforge.builders.tasks.world_part import OtherWorldParts
from worldforge.core.progress import Progress
from worldforge.core.worker_pool import Engine
from worldforge.schema.spec import WorldSpec
from worldforge.world.evidence import Evidence
from worldforge.world.parquet_reader import ParquetReader
from worldforge.world.table_files import SET_ASIDE, TASKS, read_tables, write_parquet
from worldforge.world.task import Task, task_to_row

_NOTED_EVERY = 500  # draws


def pose_tasks(
    spec: WorldSpec, folder: Path, engine: Engine, progress: Progress, code_from: Path | None = None
) -> None:
    """Make the tasks of every family over the world in `folder`.

    Writes tasks.parquet, set_aside.parquet and widesearch/. Tables, pages, mentions and index must be there.
    """
    progress.note("reads the world")
    rows: list[dict[str, Any]] = []
    aside: list[GateVerdict] = []
    repeats, elsewhere = RepeatedTasks(), OtherWorldParts(spec)
    tables = read_tables(spec, folder)
    mentions = ParquetReader(folder / "mentions.parquet")
    evidence = Evidence(mentions)
    connection = connect_asked(spec, tables)
    maker = TaskMaker(spec, tables, connection, evidence, mentions, code_from)
    with (
        open_judge(spec, folder, tables, connection, evidence, engine, code_from) as judge,
        widesearch(folder / "widesearch") as write,
    ):
        for name, family in spec.tasks.items():
            progress.start(f"tasks: {name}", family.count)
            before = len(rows)
            for side, n in wanted(spec.split, family):
                end = len(rows) + n
                judged = judge(maker.tasks(name, side)) if n else ()
                judged = _while_some_are_kept(judged, rows, progress)
                for passed in _passing(judged, elsewhere, repeats, aside, progress):
                    task = replace(passed, id=f"task/{name}-{len(rows) - before:04d}")
                    repeats.keep(task)
                    write(task)
                    rows.append(task_to_row(task))
                    progress.advance()
                    if len(rows) == end:
                        break
        write_parquet(folder / "set_aside.parquet", [_set_aside(aside)], SET_ASIDE)
        write_parquet(folder / "tasks.parquet", [pa.Table.from_pylist(rows, schema=TASKS)], TASKS)


def _while_some_are_kept(
    verdicts: Iterable[GateVerdict], rows: Sequence[object], progress: Progress
) -> Iterator[GateVerdict]:
    """Yield verdicts until too many candidates in a row were not kept."""
    n_kept, last, noted = len(rows), 0, 0
    for verdict in verdicts:
        number = int(verdict.task.id.rpartition("-")[2])
        if number - last > DRAWS_IN_VAIN:
            return
        if number - max(last, noted) >= _NOTED_EVERY:
            progress.note(f"no further task in {number - last:,} draws; gives up after {DRAWS_IN_VAIN:,}")
            noted = number
        yield verdict
        if len(rows) > n_kept:
            n_kept, last = len(rows), number


def _passing(
    verdicts: Iterable[GateVerdict],
    elsewhere: OtherWorldParts,
    repeats: RepeatedTasks,
    aside: list[GateVerdict],
    progress: Progress,
) -> Iterator[Task]:
    """Give the tasks that no gate refused and that repeat none kept; put the others with what was set aside."""
    for verdict in verdicts:
        if reason := verdict.reason or elsewhere.reason(verdict.task) or repeats.reason(verdict.task):
            aside.append(replace(verdict, reason=reason))
            progress.count("set_aside", of=reason.partition(":")[0])
        else:
            yield verdict.task


def _set_aside(verdicts: Sequence[GateVerdict]) -> pa.Table:
    rows = [
        {"id": v.task.id.replace("task/", "aside/"), "family": v.task.family, "query": v.task.query, "reason": v.reason}
        for v in verdicts
    ]
    return pa.Table.from_pylist(rows, schema=SET_ASIDE)
