"""A plan for a task: the fewest pages that state all its facts, and where in them. Reads the gold: only the oracle may.

Greedy set cover over the mentions (Chvátal 1979): the page that states most of the facts still needed comes first,
ties to the lower page number. Of each page it keeps the lines to read, so that a value is taken from what was observed
and not from the plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from worldforge.environments.parts import page_parts
from worldforge.world.evidence import Evidence
from worldforge.world.task import Task


@dataclass(frozen=True, slots=True)
class Reading:
    """A fact to read off a page: the line it stands in, and the characters [start, end) of that line."""

    fact: str
    part: int
    line: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PlannedPage:
    """A page to open: how to recognise it, what to type to find it, which parts to read, what stands there."""

    url: str
    title: str
    readings: tuple[Reading, ...]

    @property
    def parts(self) -> list[int]:
        """The parts of the page that hold readings, in order, counted from 1."""
        return sorted({reading.part for reading in self.readings})


@dataclass(frozen=True, slots=True)
class Plan:
    """The pages to open, in order, and the facts that no page states."""

    pages: tuple[PlannedPage, ...]
    unstated: tuple[str, ...]


class Planner:
    """Plans tasks on one world. `pages` needs the columns url, title, text, in page order."""

    def __init__(self, pages: pa.Table, evidence: Evidence) -> None:
        self._urls, self._titles, self._texts = (pages[name].combine_chunks() for name in ("url", "title", "text"))
        self._evidence = evidence

    def plan(self, task: Task) -> Plan:
        """Plan the reading of every fact of a task: its answer's cells, and what shows that its conditions hold."""
        return self.plan_facts([*(fact for row in task.facts for fact in row), *task.evidence])

    def plan_facts(self, facts: Sequence[str]) -> Plan:
        """Plan the reading of `facts`."""
        stated: dict[int, dict[str, int]] = {}
        for fact in dict.fromkeys(facts):
            for mention in self._evidence.of(fact).tolist():
                stated.setdefault(int(self._evidence.page[mention]), {}).setdefault(fact, mention)
        needed = set(facts)
        chosen = []
        while stated:
            page = min(stated, key=lambda row: (-len(stated[row]), row))
            readings = stated.pop(page)
            chosen.append(self._planned(page, readings))
            needed.difference_update(readings)
            left = {row: {f: m for f, m in known.items() if f in needed} for row, known in stated.items()}
            stated = {row: known for row, known in left.items() if known}
        return Plan(tuple(chosen), tuple(sorted(needed)))

    def _planned(self, page: int, mentions: dict[str, int]) -> PlannedPage:
        text = self._texts[page].as_py()
        parts = page_parts(text)
        readings = []
        for fact, mention in mentions.items():
            start, end = int(self._evidence.start[mention]), int(self._evidence.end[mention])
            first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
            line = text[first : last if last >= 0 else len(text)]
            part = next(number for number, (_, stop) in enumerate(parts, 1) if start < stop)
            readings.append(Reading(fact, part, line, start - first, end - first))
        return PlannedPage(self._urls[page].as_py(), self._titles[page].as_py(), tuple(readings))
