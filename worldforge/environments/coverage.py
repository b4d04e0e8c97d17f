"""Find the gold cells that observations showed, by the mentions of pages and the text, or by the view's own facts.

    readers = readers_of_facts(task_mentions)
    shown = readers(task)                                       # one a trajectory: it remembers what it was shown
    shown("web_extractor", text, observation)                   # -> [0, 1, 6]: row * n_columns + column

An excerpt of a page shows a cell where a stretch of it that the observation disclosed states the cell's fact truly, the
value stands in the text as the page writes it, and no control altered the fact. A list of results shows none: its
snippets hint. A view that names its facts itself shows those whose values stand in the text. A cell that is computed is
shown from when the last of the facts that it is computed from was; one that pages state relative to another fact, from
when both were. Values that an agent wrote itself are not shown by
that. An environment whose records are read otherwise has readers of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.environments.disclosure import stands_in
from worldforge.world.computed_cells import facts_of, measure_of
from worldforge.world.evidence import Evidence
from worldforge.world.parquet_reader import Table, rows_matching
from worldforge.world.site_figures import is_of_site, of_table
from worldforge.world.stable_ids import rows_of
from worldforge.world.table_files import RELATIVE, TRUE_STANCES
from worldforge.world.task import Task

Shown = Callable[[str, str, Mapping[str, Any]], list[int]]
"""Returns the gold cells that an observation showed, from the tool's name, the text and the recorded observation."""

ShownTo = Callable[[Task], Shown]
"""Makes the reader of one episode of a task."""


class GoldSource(Protocol):
    """Tasks, and the mentions of pages that state their facts."""

    @property
    def tasks(self) -> Sequence[Task]:
        """The tasks."""

    @property
    def mentions(self) -> Table:
        """The mentions of those pages, in order."""

    @property
    def evidence(self) -> Evidence:
        """The same, by fact."""


Readers = Callable[[GoldSource], ShownTo]
"""Prepares readers for the episodes of some tasks."""


class _GoldSpan(NamedTuple):
    """A statement of a fact of gold on a page: characters [start, end), and what stands there.

    `relative_to` is the fact that it is stated relative to, if any.
    """

    fact: str
    start: int
    end: int
    value: str
    relative_to: str | None = None


def readers_of_facts(source: GoldSource) -> ShownTo:
    """Return a factory of readers for the tasks of `source`; mentions are read with the first reader."""
    gold = cache(lambda: gold_spans(source))
    return lambda task: FactReader(task, gold()(task))


class ComputedCells:
    """The computed cells of a task's gold, and the facts that each still lacks in one episode."""

    def __init__(self, task: Task) -> None:
        n_columns = len(task.columns)
        self._lacking = {
            row * n_columns + place: set(facts_of(cells[place]))
            for row, cells in enumerate(task.facts)
            for place, column in enumerate(task.columns)
            if measure_of(column.path)
        }

    def __contains__(self, cell: int) -> bool:
        return cell in self._lacking

    def shown(self, fact: str, cells: Iterable[int]) -> Iterator[int]:
        """Mark a fact as shown; yield those of its cells that are not computed, or are now complete."""
        for cell in cells:
            lacking = self._lacking.get(cell)
            if lacking is not None:
                lacking.discard(fact)
            if not lacking:
                yield cell


def gold_spans(source: GoldSource) -> Callable[[Task], dict[int, list[_GoldSpan]]]:
    """Return a function that gives the statements of a task's gold, and what they are relative to, by page row number.

    They are true, or of a figure as a site gives it.
    """
    mentions, facts = source.mentions, {fact for task in source.tasks for fact in task.answer_facts}
    by_site = {fact for fact in facts if is_of_site(fact)}
    stated = _spans_by_fact(mentions, facts - by_site)
    stated |= _spans_of_sites(source, by_site) if by_site else {}
    others = {one.relative_to for own in stated.values() for _, one in own if one.relative_to}
    stated |= _spans_by_fact(mentions, others - stated.keys())

    def by_page(task: Task) -> dict[int, list[_GoldSpan]]:
        found: dict[int, list[_GoldSpan]] = {}
        facts = dict.fromkeys(task.answer_facts)
        others = [one.relative_to for fact in facts for _, one in stated.get(fact, ()) if one.relative_to]
        for fact in facts | dict.fromkeys(others):
            for page, span in stated.get(fact, ()):
                found.setdefault(page, []).append(span)
        return found

    return by_page


def _spans_by_fact(mentions: Table, facts: Iterable[str]) -> dict[str, list[tuple[int, _GoldSpan]]]:
    """Return the true statements of facts, each with the row number of its page."""
    names = ["fact", "start", "end", "value", "relative_to"]
    kept = rows_matching(mentions, ["page", "stance", *names], "fact", pa.array(sorted(facts), pa.string()))
    kept = kept.filter(pc.is_in(kept["stance"], pa.array([*TRUE_STANCES, RELATIVE]))).combine_chunks()
    stated: dict[str, list[tuple[int, _GoldSpan]]] = {}
    for page, *span in zip(rows_of(kept["page"]).tolist(), *(kept[name].to_pylist() for name in names), strict=True):
        stated.setdefault(span[0], []).append((page, _GoldSpan(*span)))
    return stated


def _spans_of_sites(source: GoldSource, facts: Iterable[str]) -> dict[str, list[tuple[int, _GoldSpan]]]:
    """Return the statements of figures as sites give them, each with the row number of its page."""
    places = {fact: source.evidence.of(fact) for fact in sorted(facts)}
    rows = np.unique(np.concatenate(list(places.values())))
    values = dict(zip(rows.tolist(), source.mentions["value"].take(pa.array(rows)).to_pylist(), strict=True))
    page, start, end = source.evidence.page, source.evidence.start, source.evidence.end
    return {
        fact: [(int(page[row]), _GoldSpan(fact, int(start[row]), int(end[row]), values[row])) for row in own.tolist()]
        for fact, own in places.items()
    }


class FactReader:
    """Reads the observations of one episode; `stated` are the statements of its gold by page."""

    def __init__(self, task: Task, stated: Mapping[int, Sequence[_GoldSpan]]) -> None:
        self._stated, self._cells, self._computed = stated, _cells_of(task), ComputedCells(task)
        self._shown: set[str] = set()
        self._relative: dict[str, str] = {}  # by fact, what it was shown relative to

    def __call__(self, tool: str, text: str, observation: Mapping[str, Any]) -> list[int]:
        """Return the gold cells that an observation showed, in order."""
        altered = {was["fact"] for was in observation["altered"]}
        found = [
            one
            for part in observation["disclosed"]
            for one in self._stated.get(part["page"], ())
            if part["start"] <= one.start and one.end <= part["end"]
            if of_table(one.fact) not in altered and stands_in(one.value, text)
        ]
        self._relative |= {one.fact: one.relative_to for one in found if one.relative_to}
        self._shown.update(one.fact for one in found if not one.relative_to)
        facts = [one.fact for one in found if not one.relative_to]
        complete = [fact for fact, other in self._relative.items() if other in self._shown]
        facts += [fact for fact in complete if self._relative.pop(fact)]
        facts += observation.get("facts") or ()
        return sorted({cell for fact in facts for cell in self._computed.shown(fact, self._cells.get(fact, ()))})


def _cells_of(task: Task) -> dict[str, tuple[int, ...]]:
    """Return the gold cells that depend on each fact: several, where rows share it."""
    cells: dict[str, list[int]] = {}
    for cell, facts in enumerate(chain.from_iterable(task.facts)):
        for fact in facts_of(facts):
            cells.setdefault(fact, []).append(cell)
    return {fact: tuple(own) for fact, own in cells.items()}
