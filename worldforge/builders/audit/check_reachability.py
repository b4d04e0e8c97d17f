"""Checks that an agent can get to the pages behind a task: by searching as a person would, or by links from there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from worldforge.builders.audit.check_duplicates import even_sample
from worldforge.builders.audit.finding import CheckCounter, Finding
from worldforge.environments.search.query_wording import worded
from worldforge.search.search_index import SearchIndex
from worldforge.world.evidence import Evidence
from worldforge.world.parquet_reader import Table, parts
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

Rows = npt.NDArray[np.int64]


def check_reachability(
    pages: Table, links: Table, tasks: Sequence[Task], evidence: Evidence, index: SearchIndex
) -> Finding:
    """Every page that states a fact of a task is among the first results of some query, or a few links from one."""
    tally = CheckCounter("reachability")
    searcher = _Searcher(index, pages["url"])
    linked, titled, located = _Links(links, pages.num_rows), pages["title"], pages["url"]
    for row in even_sample(len(tasks), MOST_TASKS):
        wanted = pages_behind(tasks[row], evidence)
        wanted = wanted[even_sample(len(wanted), MOST_PAGES)]
        titles = titled.take(pa.array(wanted)).to_pylist()
        tally.checked(len(wanted))
        found = searcher.look_for(dict(zip(wanted.tolist(), titles, strict=True)), tasks[row])
        lost = sorted({*wanted.tolist()} - found)
        if lost:
            lost = np.setdiff1d(lost, linked.reached_from(found, DEPTH)).tolist()
        urls = located.take(pa.array(lost, pa.int64())).to_pylist()
        tally.failed(f"{tasks[row].id}: no search and no link leads to {url}" for url in urls)
    return tally.finding()


def pages_behind(task: Task, evidence: Evidence) -> Rows:
    """Return the rows of the pages that state a fact of the task's gold table or conditions, in order."""
    stating = [evidence.page[evidence.of(fact)] for fact in task.needed_facts]
    return np.unique(np.concatenate([np.empty(0, np.int64), *stating]))


def _of_task(task: Task) -> Iterator[str]:
    """Give what one may type who knows the question: its words, and its words with one of the answer's keys."""
    asked = worded(task.wording.partition("\n")[0])
    yield asked[:_LONGEST]
    keys = [task.labels.index(key) for key in task.keys]
    for row in task.gold:
        key = worded(" ".join(row[place] for place in keys))
        yield key[:_LONGEST]
        yield f"{key} {asked}"[:_LONGEST]


class _Searcher:
    """Searches, and keeps which pages were among the first results."""

    def __init__(self, index: SearchIndex, urls: pa.ChunkedArray) -> None:
        self._index = index
        self._rows = {url: row for row, url in enumerate(urls.to_pylist())}
        self._found: set[int] = set()

    def look_for(self, titles: Mapping[int, str], task: Task) -> set[int]:
        """Search for pages by their titles, plain and quoted, then as the task has it; return all that was found."""
        for page, title in titles.items():
            for query in (worded(title)[:_LONGEST], f'"{worded(title)}"'):
                if page not in self._found:
                    self._search(query)
        for query in _of_task(task):
            if titles.keys() <= self._found:
                break
            self._search(query)
        return self._found

    def _search(self, query: str) -> None:
        if query:
            hits = self._index.search(query, FIRST)
            self._found.update(self._rows[hit.url] for hit in hits if hit.url in self._rows)


class _Links:
    """The links between pages: from each page, those it leads to."""

    def __init__(self, links: Table, n_pages: int) -> None:
        ends = [(rows_of(part["source"]), rows_of(part["target"])) for part in parts(links, ["source", "target"])]
        source, target = np.concatenate([np.empty((2, 0), np.int64), *map(np.array, ends)], axis=1)
        source, target = source[target >= 0], target[target >= 0]  # the others lead to pages that are gone
        order = np.argsort(source, kind="stable")
        self._targets = target[order]
        self._first = np.searchsorted(source[order], np.arange(n_pages + 1))

    def reached_from(self, pages: Iterable[int], depth: int) -> Rows:
        """Return the pages that links lead to from `pages`, in at most `depth` steps."""
        reached = np.array(sorted(pages), np.int64)
        edge = reached
        for _ in range(depth):
            steps = [self._targets[self._first[page] : self._first[page + 1]] for page in edge.tolist()]
            edge = np.setdiff1d(np.concatenate([np.empty(0, np.int64), *steps]), reached)
            reached = np.union1d(reached, edge)
        return reached
