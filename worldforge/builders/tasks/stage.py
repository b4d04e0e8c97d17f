"""The tasks stage: draw candidates, word them, put them through the gates, keep as many as the spec asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from worldforge.builders.tasks.addressed import Addressed
from worldforge.builders.tasks.elsewhere import Elsewhere
from worldforge.builders.tasks.gates import Verdict
from worldforge.builders.tasks.judges import judging
from worldforge.builders.tasks.repeats import Repeats
from worldforge.builders.tasks.sides import wanted
from worldforge.builders.tasks.widesearch import write_widesearch
from worldforge.builders.tasks.word import TaskMaker
from worldforge.core.engine import Engine
from worldforge.core.progress import Progress
from worldforge.schema.spec import WorldSpec
from worldforge.world.evidence import Evidence
from worldforge.world.stored import Stored
from worldforge.world.tables import SET_ASIDE, TASKS, read_tables, write_parquet
from worldforge.world.task import Task, tasks_to_table


def pose_tasks(
    spec: WorldSpec, folder: Path, engine: Engine, progress: Progress, code_from: Path | None = None
) -> None:
    """Pose the tasks of every family over the world in `folder`.

    Writes tasks.parquet, set_aside.parquet and widesearch/. Tables, pages, mentions and index must be there.
    """
    progress.note("reads the world")
    kept: list[Task] = []
    aside: list[Verdict] = []
    repeats, elsewhere = Repeats(), Elsewhere(spec)
    with judging(spec, folder, engine, code_from) as opening:
        tables = read_tables(spec, folder)
        mentions = Stored(folder / "mentions.parquet")
        evidence = Evidence(mentions)
        judge = opening(tables, evidence)
        maker = TaskMaker(spec, tables, evidence, Addressed(spec, tables, mentions), code_from)
        for name, family in spec.tasks.items():
            progress.start(f"tasks: {name}", family.count)
            before = len(kept)
            for side, n in wanted(spec.split, family):
                judged = judge(maker.tasks(name, family, side)) if n else ()
                for task in _passing(judged, elsewhere, repeats, aside, progress):
                    kept.append(replace(task, id=f"task/{name}-{len(kept) - before:04d}"))
                    repeats.keep(kept[-1])
                    progress.advance()
                    n -= 1
                    if n == 0:
                        break
    _write(folder, kept, aside)


def _passing(
    verdicts: Iterable[Verdict], elsewhere: Elsewhere, repeats: Repeats, aside: list[Verdict], progress: Progress
) -> Iterator[Task]:
    """Give the tasks that no gate refused and that repeat none kept; put the others with what was set aside."""
    for verdict in verdicts:
        if reason := verdict.reason or elsewhere.reason(verdict.task) or repeats.reason(verdict.task):
            aside.append(replace(verdict, reason=reason))
            progress.count("set_aside", of=reason.partition(":")[0])
        else:
            yield verdict.task


def _write(folder: Path, kept: Sequence[Task], aside: Sequence[Verdict]) -> None:
    rows = [
        {"id": v.task.id.replace("task/", "aside/"), "family": v.task.family, "query": v.task.query, "reason": v.reason}
        for v in aside
    ]
    write_parquet(folder / "set_aside.parquet", [pa.Table.from_pylist(rows, schema=SET_ASIDE)], SET_ASIDE)
    write_widesearch(kept, folder / "widesearch")
    write_parquet(folder / "tasks.parquet", [tasks_to_table(kept)], TASKS)
