"""Puts tasks through the gates, in this process or in several; verdicts come in the order of the tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import pyarrow as pa

from worldforge.builders.audit.check_site_formats import as_tables_write
from worldforge.builders.tasks.ambiguity import called_in
from worldforge.builders.tasks.gates import GateChecks, GateVerdict
from worldforge.builders.tasks.gold_walk import GoldWalker
from worldforge.builders.tasks.guesses import Shortcuts
from worldforge.builders.tasks.task_family import load_family
from worldforge.builders.tasks.task_wording import asked_relations
from worldforge.builders.tasks.vocabulary import vocabularies
from worldforge.core.temp_dir import TempDir, remove_stale
from worldforge.core.worker_pool import Engine, WorkerPool
from worldforge.core.worker_runtime import worker_cached
from worldforge.environments.search.environment import SearchEnvironment
from worldforge.environments.search.evidence_plan import EvidencePlanner
from worldforge.models.embedding import embeds_in_process
from worldforge.schema.site_authority import authority_of, has_conflicting_pages
from worldforge.schema.spec import WorldSpec
from worldforge.search.page_store import mapped_pages
from worldforge.search.search_index import open_index
from worldforge.world.conflict_resolution import Conflicts, contested_mentions, find_conflicts
from worldforge.world.database import connect
from worldforge.world.evidence import Evidence
from worldforge.world.graph_arrays import ArrayGraph
from worldforge.world.parquet_reader import ParquetReader
from worldforge.world.table_files import read_tables
from worldforge.world.task import Task
from worldforge.world.value_formats import ValueFormats

Left = Callable[[], int]
"""Says how many tasks are still wanted."""
Judge = Callable[[Iterator[Task], Left], Iterator[GateVerdict]]
Opening = Callable[[Mapping[str, pa.Table], Evidence], Judge]
_EARNED = 32  # tasks by which a process earns its start
_CHUNK = 8  # tasks that it is given at once, fewer towards the end: what is under way then is judged in vain


def open_gates(
    spec: WorldSpec,
    folder: Path,
    tables: Mapping[str, pa.Table],
    evidence: Evidence,
    code_from: Path | None = None,
) -> GateChecks:
    """Open what the gates need beside tables and evidence: the database, the graph, pages and index in `folder`."""
    return _open_beside(spec, folder, tables, code_from)(evidence)


def _open_beside(
    spec: WorldSpec, folder: Path, tables: Mapping[str, pa.Table], code_from: Path | None
) -> Callable[[Evidence], GateChecks]:
    """Open all that the gates need but evidence; give what makes them of that."""
    relations = asked_relations(spec)
    asked = {name: tables[name] for name in (*spec.types, *relations)}
    graph = ArrayGraph(spec, {name: tables[name] for name in spec.types}, {name: tables[name] for name in relations})
    words = vocabularies(spec, tables, tuple(asked), code_from)
    forms, connection = ValueFormats(spec, lambda name: tables[name]), connect(asked)
    pages = ParquetReader(folder / "pages.parquet")
    texts = mapped_pages(folder / "index").append_column("kind", pages["kind"])
    environment = SearchEnvironment(open_index(folder / "index"))
    conflicts = _conflicts(spec, pages, ParquetReader(folder / "mentions.parquet"), forms)
    called, walker = called_in(spec, tables), GoldWalker(graph)

    def over(evidence: Evidence) -> GateChecks:
        planner, shortcuts = EvidencePlanner(texts, evidence, forms), Shortcuts(spec, connection, evidence)
        families = {one.family: load_family(one.family, code_from) for one in spec.tasks.values()}
        return GateChecks(spec, connection, walker, planner, environment, words, conflicts, called, shortcuts, families)

    return over


def _conflicts(spec: WorldSpec, pages: ParquetReader, mentions: ParquetReader, forms: ValueFormats) -> Conflicts:
    authority = {key: authority_of(spec, key) for key in spec.pages}
    if not has_conflicting_pages(spec):
        return Conflicts(frozenset(), frozenset())
    plain = as_tables_write(forms, pages["kind"], contested_mentions(mentions))
    return find_conflicts(plain, pages.select(["kind", "published"]), authority, spec.web.settled_by)


@dataclass(frozen=True, slots=True)
class _GateInput:
    """What a worker opens its gates from; `evidence` is the folder into which its index is written meanwhile."""

    spec: WorldSpec
    folder: Path
    code_from: Path | None
    evidence: Path


@contextmanager
def judging(spec: WorldSpec, folder: Path, engine: Engine, code_from: Path | None = None) -> Iterator[Opening]:
    """Begin workers; give what opens, from tables and evidence, a function that judges tasks one after the other.

    It judges as far as its verdicts are asked for. Workers start while tables are read and evidence is gathered, and
    look things up in that evidence.
    """
    workers = min(engine.workers, sum(family.count for family in spec.tasks.values()) // _EARNED)
    if spec.search.dense is not None and embeds_in_process():
        workers = 1  # each would load the model
    if workers <= 1:
        remove_stale(folder)  # of several that were killed
        yield lambda tables, evidence: _alone(open_gates(spec, folder, tables, evidence, code_from))
        return
    with TempDir(folder) as shared:
        given = _GateInput(spec, folder, code_from, shared)
        sees = folder / "pages.parquet"
        with engine.pool(given, n_workers=workers, initializer=_open_given_beside, shared_path=sees) as pool:
            yield lambda _tables, evidence: _together(given, evidence, pool)


def _alone(gates: GateChecks) -> Judge:
    return lambda tasks, _left: gates.judge(tasks)


def _together(given: _GateInput, evidence: Evidence, pool: WorkerPool) -> Judge:
    evidence.write(given.evidence)
    return lambda tasks, left: _on_workers(tasks, left, pool)


def _on_workers(tasks: Iterator[Task], left: Left, pool: WorkerPool) -> Iterator[GateVerdict]:
    """Judge tasks in lots, which become smaller when there are nearly enough: all workers end at about one time."""
    under_way = 0

    def lots() -> Iterator[list[Task]]:
        nonlocal under_way
        while lot := list(islice(tasks, max(1, min(_CHUNK, (left() - under_way) // (2 * pool.size))))):
            under_way += len(lot)
            yield lot

    for verdicts in pool.map_ordered(_judge_given, lots()):
        for verdict in verdicts:
            under_way -= 1
            yield verdict


def _judge_given(tasks: list[Task]) -> list[GateVerdict]:
    return list(worker_cached(_open_given).judge(tasks, len(tasks)))


def _open_given(given: _GateInput) -> GateChecks:
    return worker_cached(_open_given_beside)(Evidence.written(given.evidence))


def _open_given_beside(given: _GateInput) -> Callable[[Evidence], GateChecks]:
    return _open_beside(given.spec, given.folder, read_tables(given.spec, given.folder), given.code_from)
