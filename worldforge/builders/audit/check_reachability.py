"""Check that an agent can get to the pages behind a task: by searching as a person would, or by links from there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from worldforge.builders.audit.finding import Finding, even_sample
from worldforge.environments.search.evidence_plan import worded
from worldforge.search.search_index import SearchIndex
from worldforge.world.evidence import Evidence
from worldforge.world.parquet_reader import Table
from worldforge.world.stable_ids import rows_of
from worldforge.world.task import Task

MOST_TASKS = 20
MOST_PAGES = 50
"""Pages of one task that are looked for."""
FIRST = 20
"""Results of a query that a searcher looks through."""
DEPTH = 2
"""Links that a searcher follows from a page that a search has found."""
_LONGEST = 160  # characters of a query


def check_reachability(
    pages: Table, links: Table, tasks: Sequence[Task], evidence: Evidence, index: SearchIndex
) -> Finding:
    """Check that every page that states a fact of a task is found by some query, or a few links from one that is."""
    finding = Finding("reachability")
    titles, urls = pages["title"], pages["url"]
    rows, found = {url: row for row, url in enumerate(urls.to_pylist())}, set[int]()
    source, target = rows_of(links["source"]), rows_of(links["target"])
    source, target = source[target >= 0], target[target >= 0]
    for place in even_sample(len(tasks), MOST_TASKS):
        task = tasks[place]
        stating = [evidence.page[evidence.of(fact)] for fact in task.needed_facts]
        behind = np.unique(np.concatenate([np.empty(0, np.int64), *stating]))
        wanted = behind[even_sample(len(behind), MOST_PAGES)].tolist()
        finding.n_checked += len(wanted)
        _look_for({row: titles[row].as_py() for row in wanted}, task, index, rows, found)
        reached = np.isin(np.arange(pages.num_rows), list(found))
        for _ in range(0 if found.issuperset(wanted) else DEPTH):
            reached[target[reached[source]]] = True
        lost = [row for row in wanted if not reached[row]]
        finding.fail(f"{task.id}: no search and no link leads to {urls[row].as_py()}" for row in lost)
    return finding


def _look_for(
    titles: Mapping[int, str], task: Task, index: SearchIndex, rows: Mapping[str, int], found: set[int]
) -> None:
    """Search for pages by their titles, plain and quoted, then as the task has it; add all that is shown to `found`."""
    for page, title in titles.items():
        for query in (worded(title)[:_LONGEST], f'"{worded(title)}"'):
            if page not in found:
                found |= _shown(index, query, rows)
    for query in _queries_of(task):
        if titles.keys() <= found:
            return
        found |= _shown(index, query, rows)


def _shown(index: SearchIndex, query: str, rows: Mapping[str, int]) -> set[int]:
    """Return the pages that are among the first results of a query."""
    return {rows[hit.url] for hit in index.search(query, FIRST) if hit.url in rows} if query else set()


def _queries_of(task: Task) -> Iterator[str]:
    """Yield what a person who knows the question may type: its words, and its words with one of the answer's keys."""
    question = worded(task.wording.partition("\n")[0])
    yield question[:_LONGEST]
    keys = [task.labels.index(key) for key in task.keys]
    for row in task.gold:
        key = worded(" ".join(row[place] for place in keys))
        yield key[:_LONGEST]
        yield f"{key} {question}"[:_LONGEST]
