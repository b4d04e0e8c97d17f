"""Runs the gates over tasks, in this process or on several workers; yields verdicts in task order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa

from worldforge.builders.stated_values import conflicts_of
from worldforge.builders.tasks.ambiguity import called_in
from worldforge.builders.tasks.gates import GateChecks, GateVerdict
from worldforge.builders.tasks.gold_walk import walker_of
from worldforge.builders.tasks.guesses import Shortcuts
from worldforge.builders.tasks.task_family import asked_relations, load_family
from worldforge.builders.tasks.vocabulary import vocabularies
from worldforge.core.temp_dir import TempDir, remove_stale
from worldforge.core.worker_pool import Engine
from worldforge.core.worker_runtime import worker_cached
from worldforge.environments.search.environment import SearchEnvironment
from worldforge.environments.search.evidence_plan import EvidencePlanner
from worldforge.models.embedding import embeds_in_process
from worldforge.schema.site_authority import has_conflicting_pages
from worldforge.schema.spec import WorldSpec
from worldforge.search.page_store import mapped_pages
from worldforge.search.search_index import open_index
from worldforge.world.conflict_resolution import Conflicts
from worldforge.world.database import connect
from worldforge.world.evidence import Evidence
from worldforge.world.parquet_reader import ParquetReader
from worldforge.world.table_files import read_tables
from worldforge.world.task import Task
from worldforge.world.value_formats import ValueFormats

Judge = Callable[[Iterator[Task]], Iterator[GateVerdict]]
_EARNED = 32  # tasks by which a process earns its start


def connect_asked(spec: WorldSpec, tables: Mapping[str, pa.Table]) -> duckdb.DuckDBPyConnection:
    """Open a database over the tables that tasks may ask about."""
    return connect({name: tables[name] for name in (*spec.types, *asked_relations(spec))})


def open_gates(
    spec: WorldSpec,
    folder: Path,
    tables: Mapping[str, pa.Table],
    connection: duckdb.DuckDBPyConnection,
    evidence: Evidence,
    code_from: Path | None = None,
) -> GateChecks:
    """Open the graph, pages and index that the gates need."""
    pages, mentions = ParquetReader(folder / "pages.parquet"), ParquetReader(folder / "mentions.parquet")
    texts = mapped_pages(folder / "index").append_column("kind", pages["kind"])
    agree = Conflicts(frozenset(), frozenset())
    return GateChecks(
        spec,
        connection,
        walker_of(spec, tables),
        EvidencePlanner(texts, evidence, ValueFormats(spec, lambda name: tables[name])),
        SearchEnvironment(open_index(folder / "index")),
        vocabularies(spec, tables, (*spec.types, *asked_relations(spec)), code_from),
        conflicts_of(spec, tables, pages, mentions) if has_conflicting_pages(spec) else agree,
        called_in(spec, tables),
        Shortcuts(spec, connection, evidence),
        {one.family: load_family(one.family, code_from) for one in spec.tasks.values()},
    )


@dataclass(frozen=True, slots=True)
class _GateInput:
    """What a worker opens its gates from; `evidence` is the folder of the index that all workers map."""

    spec: WorldSpec
    folder: Path
    code_from: Path | None
    evidence: Path


@contextmanager
def open_judge(
    spec: WorldSpec,
    folder: Path,
    tables: Mapping[str, pa.Table],
    connection: duckdb.DuckDBPyConnection,
    evidence: Evidence,
    engine: Engine,
    code_from: Path | None,
) -> Iterator[Judge]:
    """Give a function that judges tasks in order, a few ahead of those that are taken, on as many workers as pay."""
    workers = min(engine.workers, sum(family.count for family in spec.tasks.values()) // _EARNED)
    if spec.search.dense is not None and embeds_in_process():
        workers = 1  # each would load the model
    if workers <= 1:
        remove_stale(folder)  # of several that were killed
        gates = open_gates(spec, folder, tables, connection, evidence, code_from)
        yield lambda tasks: map(gates.judge, tasks)
        return
    with TempDir(folder) as shared:
        evidence.write(shared)
        given = _GateInput(spec, folder, code_from, shared)
        with engine.pool(
            given, n_workers=workers, initializer=_open_given, shared_path=folder / "pages.parquet"
        ) as pool:
            yield lambda tasks: pool.map_ordered(_judge_given, tasks)


def _judge_given(task: Task) -> GateVerdict:
    return worker_cached(_open_given).judge(task)


def _open_given(given: _GateInput) -> GateChecks:
    evidence = Evidence.written(given.evidence)
    tables = read_tables(given.spec, given.folder)
    connection = connect_asked(given.spec, tables)
    return open_gates(given.spec, given.folder, tables, connection, evidence, given.code_from)
