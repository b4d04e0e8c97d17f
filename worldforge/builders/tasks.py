"""The tasks stage: draw candidates, word them, put them through the gates, keep as many as the spec asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import replace
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from worldforge.agents.plan import Planner
from worldforge.builders.gates import Gates, Verdict
from worldforge.builders.pose import Candidate, Poser, TypeView
from worldforge.builders.query import gold_query, referred_type
from worldforge.builders.walk import Walker
from worldforge.builders.widesearch import evaluation_of, write_widesearch
from worldforge.core.chance import Stream
from worldforge.core.imports import load
from worldforge.core.progress import Progress
from worldforge.environments.search_session import SearchEnvironment
from worldforge.schema.columns import Column, columns_of
from worldforge.schema.spec import TaskFamily, WorldSpec
from worldforge.search.index import open_index
from worldforge.world.database import connect
from worldforge.world.evidence import Evidence
from worldforge.world.graph import build_graph
from worldforge.world.ids import entity_ids, rows_of
from worldforge.world.tables import SET_ASIDE, TASKS, read_parquet, read_tables, write_parquet
from worldforge.world.task import Condition, Task, tasks_to_table

DRAWS_A_TASK = 60  # candidates drawn for one wanted task before the stage gives up
CHUNK = 32  # tasks judged together by one worker
_WORDINGS = {"list": "questions.list_all"}


class TaskMaker:
    """Turns candidates into worded tasks over the tables of one world."""

    def __init__(
        self, spec: WorldSpec, tables: dict[str, pa.Table], evidence: Evidence, code_from: Path | None
    ) -> None:
        self.spec, self.tables = spec, tables
        self.columns: dict[str, dict[str, Column]] = {name: columns_of(spec, name, code_from) for name in spec.types}
        self.views = {name: TypeView(name, tables, self.columns, evidence) for name in spec.types}
        self.labels = {name: kind.label or name.replace("_", " ") for name, kind in spec.types.items()}
        self.plurals = {name: kind.plural or f"{self.labels[name]}s" for name, kind in spec.types.items()}

    def candidates(self, name: str, family: TaskFamily) -> Iterator[Candidate]:
        """Draw candidates of a family, no two with the same conditions."""
        stream = Stream(self.spec.seed).child("tasks", name)
        capitals = {key: label[:1].upper() + label[1:] for key, label in self.labels.items()}
        poser = Poser(self.views, capitals, family, stream)
        seen: set[tuple[str, frozenset[Condition]]] = set()
        for number in range(family.count * DRAWS_A_TASK):
            candidate = poser.candidate(number)
            if candidate is not None and (key := (candidate.about, frozenset(candidate.conditions))) not in seen:
                seen.add(key)
                yield candidate

    def worded(self, name: str, family: TaskFamily, candidate: Candidate) -> Task:
        """Word a candidate; its gold is still to be derived."""
        about = candidate.about
        labels = [column.label for column in candidate.columns]
        wording = load(_WORDINGS[family.family])(
            Stream(self.spec.seed).child("tasks", name, candidate.number, "wording"),
            self.labels[about],
            self.plurals[about],
            [self._phrase_parts(about, condition) for condition in candidate.conditions],
            labels,
        )
        return Task(
            id=f"task/{name}-{candidate.number:04d}",
            family=family.family,
            about=about,
            language="en",
            wording=wording,
            query=gold_query(self.spec, about, candidate.conditions, candidate.columns),
            conditions=candidate.conditions,
            columns=candidate.columns,
            keys=(labels[0],),
            evaluation=evaluation_of(candidate.columns, labels[:1]),
            gold=(),
            facts=self._facts(about, [column.path for column in candidate.columns], candidate.rows),
            evidence=tuple(
                fact
                for condition in candidate.conditions
                for fact in self._chain(about, condition.path, candidate.rows)
            ),
            n_hops=sum(condition.path.count(".") for condition in candidate.conditions),
        )

    def _phrase_parts(self, about: str, condition: Condition) -> tuple[str, str, str, str]:
        """Give label, sort, operator and value of a condition, as the wording banks take them."""
        steps = condition.path.split(".")
        tables = [about, *(str(referred_type(self.spec, about, steps[:n])) for n in range(1, len(steps)))]
        columns = [self.columns[table][step] for table, step in zip(tables, steps, strict=True)]
        sort = {"integer": "number"}.get(condition.kind, condition.kind)
        unit = f" {columns[-1].unit}" if columns[-1].unit else ""
        label = "'s ".join(column.label for column in columns)
        return (
            label,
            "reference" if columns[-1].references else sort,
            condition.operator,
            condition.written + unit,
        )

    def _facts(self, about: str, paths: list[str], rows: npt.NDArray[np.int64]) -> tuple[tuple[str, ...], ...]:
        ids = entity_ids(about, rows).to_pylist()
        return tuple(tuple(f"{entity}#{path}" for path in paths) for entity in ids)

    def _chain(self, about: str, path: str, rows: npt.NDArray[np.int64]) -> list[str]:
        """List the facts along a path for each of `rows`: `club/0031#town`, then `town/0012#region`."""
        facts: list[str] = []
        table = about
        for step in path.split("."):
            facts += [f"{entity}#{step}" for entity in entity_ids(table, rows).to_pylist()]
            column = self.columns[table][step]
            if column.references:
                rows, table = rows_of(self.tables[table][step])[rows], column.references
        return list(dict.fromkeys(facts))


def pose_tasks(
    spec: WorldSpec, folder: Path, workers: int, progress: Progress, code_from: Path | None = None
) -> tuple[int, int]:
    """Pose the tasks of every family over the world in `folder`; return how many were kept, how many set aside.

    Writes tasks.parquet, set_aside.parquet and widesearch/. Tables, pages, mentions and index must be there.
    """
    tables = read_tables(spec, folder)
    maker = TaskMaker(spec, tables, Evidence(read_parquet(folder / "mentions.parquet")), code_from)
    kept: list[Task] = []
    aside: list[Verdict] = []
    for name, family in spec.tasks.items():
        progress.start(f"tasks: {name}", family.count)
        wanted = family.count
        with closing(_verdicts(maker, name, family, folder, workers)) as verdicts:
            for verdict in verdicts:
                if verdict.reason:
                    aside.append(verdict)
                    continue
                kept.append(_numbered(verdict.task, name, family.count - wanted))
                progress.advance()
                wanted -= 1
                if not wanted:
                    break
    _write(folder, kept, aside)
    return len(kept), len(aside)


def make_gates(spec: WorldSpec, folder: Path) -> Gates:
    """Open everything that the gates need over the world in `folder`."""
    tables = read_tables(spec, folder)
    entities = {name: tables[name] for name in spec.types}
    pages = read_parquet(folder / "pages.parquet", ["url", "title", "text"])
    return Gates(
        connection=connect(tables),
        walker=Walker(build_graph(spec, entities, {})),
        planner=Planner(pages, Evidence(read_parquet(folder / "mentions.parquet"))),
        environment=SearchEnvironment(open_index(folder / "index")),
    )


def _verdicts(maker: TaskMaker, name: str, family: TaskFamily, folder: Path, workers: int) -> Iterator[Verdict]:
    """Judge candidates in their order, in chunks, by `workers` processes; the order of verdicts is the candidates'."""
    tasks = (
        (
            maker.worded(name, family, candidate),
            tuple(entity_ids(candidate.about, candidate.rows).to_pylist()),
        )
        for candidate in maker.candidates(name, family)
    )
    chunks = iter(lambda: list(islice(tasks, CHUNK)), [])
    if workers == 1:
        gates = make_gates(maker.spec, folder)
        for chunk in chunks:
            for task, ids in chunk:
                yield gates.judge(task, ids)
        return
    with ProcessPoolExecutor(workers, get_context("spawn"), _open_gates, (maker.spec, folder)) as pool:
        while rounds := list(islice(chunks, workers)):
            for verdicts in pool.map(_judge, rounds):
                yield from verdicts


_gates: Gates  # of this worker process


def _open_gates(spec: WorldSpec, folder: Path) -> None:
    global _gates
    _gates = make_gates(spec, folder)


def _judge(chunk: list[tuple[Task, tuple[str, ...]]]) -> list[Verdict]:
    return [_gates.judge(task, ids) for task, ids in chunk]


def _numbered(task: Task, family: str, number: int) -> Task:
    return replace(task, id=f"task/{family}-{number:04d}")


def _write(folder: Path, kept: Sequence[Task], aside: Sequence[Verdict]) -> None:
    rows = [
        {
            "id": v.task.id.replace("task/", "aside/"),
            "family": v.task.family,
            "query": v.task.query,
            "reason": v.reason,
        }
        for v in aside
    ]
    write_parquet(folder / "set_aside.parquet", [pa.Table.from_pylist(rows, schema=SET_ASIDE)], SET_ASIDE)
    write_widesearch(kept, folder / "widesearch")
    write_parquet(folder / "tasks.parquet", [tasks_to_table(kept)], TASKS)
