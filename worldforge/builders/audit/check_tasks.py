"""Checks on tasks: the gold table derived again both ways, its evidence, its pages behind the search tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import duckdb
import numpy as np
import pyarrow as pa

from worldforge.builders.audit.finding import CheckCounter, Finding
from worldforge.builders.tasks.gold_sql import run_gold_query
from worldforge.builders.tasks.gold_walk import GoldWalker
from worldforge.builders.tasks.question_languages import gold_in_words
from worldforge.builders.tasks.task_wording import asked_relations
from worldforge.schema.spec import WorldSpec
from worldforge.search.search_index import SearchIndex
from worldforge.world.evidence import Evidence
from worldforge.world.graph_arrays import ArrayGraph
from worldforge.world.parquet_reader import Table, cell_reader
from worldforge.world.stable_ids import rows_of
from worldforge.world.task import Task

_SAMPLED = 500  # pages looked up in the index


def check_gold(
    spec: WorldSpec, tables: Mapping[str, pa.Table], connection: duckdb.DuckDBPyConnection, tasks: Sequence[Task]
) -> Finding:
    """SQL and the walk over the graph both give the gold table that is on file."""
    tally = CheckCounter("gold")
    tally.checked(len(tasks))
    relations = {name: tables[name] for name in asked_relations(spec)}
    walker = GoldWalker(ArrayGraph(spec, {name: tables[name] for name in spec.types}, relations))
    for task in tasks:
        by_query = run_gold_query(connection, task.query)
        by_walk = walker.gold(task.about, task.conditions, task.columns, task.shape)
        for how, found in (("SQL", by_query), ("the walk over the graph", by_walk)):
            if gold_in_words(spec, task, found.rows) != task.gold:
                tally.failed(
                    [f"{task.id}: {how} gives {len(found.rows)} rows that differ from the {len(task.gold)} on file"]
                )
    return tally.finding()


def check_evidence(tasks: Sequence[Task], evidence: Evidence) -> Finding:
    """Every fact of a gold table, and every fact behind its conditions, is stated by a page."""
    tally = CheckCounter("evidence")
    for task in tasks:
        facts = task.needed_facts
        tally.checked(len(facts))
        tally.failed(f"{task.id}: no page states {fact}" for fact in facts if len(evidence.of(fact)) == 0)
    return tally.finding()


def check_search(pages: Table, index: SearchIndex, redirects: pa.Table | None = None) -> Finding:
    """The index gives a page's own text under its address: an even sample of pages; and under one that it has left."""
    tally = CheckCounter("search")
    text_of, url_of = cell_reader(pages, "text"), cell_reader(pages, "url")
    for page in _sampled(pages.num_rows):
        _check_address(tally, text_of, index, page, url_of(page))
    if redirects is not None:
        targets = rows_of(redirects["target"])
        left = sorted(_sampled(redirects.num_rows), key=lambda row: int(targets[row]))
        for row in left:
            _check_address(tally, text_of, index, int(targets[row]), redirects["url"][row].as_py())
    return tally.finding()


def _sampled(n_rows: int) -> list[int]:
    places = np.linspace(0, n_rows - 1, num=min(_SAMPLED, n_rows), dtype=np.int64)
    sample: list[int] = np.unique(places).tolist()
    return sample


def _check_address(tally: CheckCounter, text_of: Callable[[int], str], index: SearchIndex, page: int, url: str) -> None:
    tally.checked(1)
    found = index.page(url)
    if found is None or found.text != text_of(page):
        tally.failed([f"page/{page:06d}: the index {'lacks' if found is None else 'has another text under'} {url}"])
