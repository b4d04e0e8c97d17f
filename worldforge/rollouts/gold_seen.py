"""Which gold cells an observation showed: known from the pages' mentions and the text, from the records in it.

    reader_for = gold_readers(Stated(world, tasks), "search/agentworld")
    shown = reader_for(task)                                    # one a trajectory: it remembers what it was shown
    shown("web_extractor", text, observation)                   # -> [0, 1, 6]: row * n_columns + column

A page shows a cell where a stretch of it that the observation disclosed states the cell's fact truly, the value
stands in the text as the page writes it, and no control altered the fact. A list of results shows none: its snippets
hint. A record that was listed or got shows a cell where its field holds gold's value; a reference does from when both
the reference and the name of what it refers to were shown. A cell that is computed is shown from when the last of the
facts that it is computed from was. Values that an agent wrote itself are not shown by that.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.rollouts.stated import Stated
from worldforge.world.computed_cells import facts_of, measure_of
from worldforge.world.parquet_reader import Table, matching
from worldforge.world.stable_ids import rows_of
from worldforge.world.table_files import TRUE_STANCES
from worldforge.world.task import Task

Shown = Callable[[str, str, Mapping[str, Any]], list[int]]
"""Says what an observation showed: from the tool's name, the text, and the row of `OBSERVATION` on record."""

ShownTo = Callable[[Task], Shown]
"""Makes the reader of one episode at a task."""

_TASKS_HELD = 64  # trials of a task are played close together
_READING = frozenset({"list_records", "get_records"})
_DECODER = json.JSONDecoder()


class _Stated(NamedTuple):
    """Where a page states the fact of some gold cells as it is: characters [start, end), and the value as written."""

    start: int
    end: int
    value: str
    fact: str
    cells: tuple[int, ...]


def reads_pages(environment: str) -> bool:
    """Say whether what is seen in an environment named `search/…` or `database/…` is seen on pages."""
    return not environment.startswith("database/")


def gold_readers(stated: Stated, environment: str) -> ShownTo:
    """Return what makes readers for episodes at the tasks of `stated`, in an environment `search/…` or `database/…`."""
    if not reads_pages(environment):
        return Records
    gold = GoldMentions(stated.mentions, stated.tasks)
    by_id = {task.id: task for task in stated.tasks}
    by_page = lru_cache(_TASKS_HELD)(lambda id_: gold.by_page(by_id[id_]))
    return lambda task: Pages(by_page(task.id), Computed(task))


class Computed:
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
        """Take a fact of some cells as shown; give those of them that are not computed, or now are complete."""
        for cell in cells:
            lacking = self._lacking.get(cell)
            if lacking is not None:
                lacking.discard(fact)
            if not lacking:
                yield cell


class GoldMentions:
    """The mentions of a world that state facts of some tasks' gold as they are; sorted by fact."""

    def __init__(self, mentions: Table, tasks: Iterable[Task]) -> None:
        facts = pa.array(sorted({fact for task in tasks for fact in task.answer_facts}), pa.string())
        kept = matching(mentions, ["page", "fact", "start", "end", "stance", "value"], "fact", facts)
        kept = kept.filter(pc.is_in(kept["stance"], pa.array(TRUE_STANCES))).combine_chunks()
        places = pc.index_in(kept["fact"], facts).to_numpy()
        order = np.argsort(places, kind="stable")
        self._places: npt.NDArray[np.int64] = places[order]
        self._kept = kept.take(order)
        self._pages = rows_of(self._kept["page"])
        self._place_of = {fact: place for place, fact in enumerate(facts.to_pylist())}

    def by_page(self, task: Task) -> dict[int, list[_Stated]]:
        """Return, by page row number, where each page states facts of a task's gold."""
        cells = _cells_of(task)
        found: dict[int, list[_Stated]] = {}
        for fact, own in cells.items():
            place = self._place_of[fact]
            first, last = np.searchsorted(self._places, [place, place + 1]).tolist()
            part = self._kept.slice(first, last - first)
            spans = zip(*(part[name].to_pylist() for name in ("start", "end", "value")), strict=True)
            for page, (start, end, value) in zip(self._pages[first:last].tolist(), spans, strict=True):
                found.setdefault(page, []).append(_Stated(start, end, value, fact, own))
        return found


class Pages:
    """Reads the observations of one episode in a world's web; see the module."""

    def __init__(self, stated: Mapping[int, Sequence[_Stated]], computed: Computed) -> None:
        self._stated, self._computed = stated, computed

    def __call__(self, tool: str, text: str, observation: Mapping[str, Any]) -> list[int]:
        """Return the gold cells that an observation showed, in order."""
        seen: set[int] = set()
        for part in observation["disclosed"]:
            start, end = part["start"], part["end"]
            for one in self._stated.get(part["page"], ()):
                if start <= one.start and one.end <= end and _stands(one.value, text):
                    if any(was["fact"] == one.fact for was in observation["altered"]):
                        continue
                    seen.update(self._computed.shown(one.fact, one.cells))
        return sorted(seen)


class Records:
    """Reads the observations of one episode at a world's tables; see the module."""

    def __init__(self, task: Task) -> None:
        self._wanted: dict[str, list[tuple[str, int, str]]] = {}
        self._computed = Computed(task)
        written, gold = chain.from_iterable(task.facts), chain.from_iterable(task.gold)
        for cell, (facts, value) in enumerate(zip(written, gold, strict=True)):
            for fact in facts_of(facts):
                record, _, column = fact.rpartition("#")
                self._wanted.setdefault(record, []).append((column, cell, value))
        self._names: dict[str, str] = {}
        self._referring: dict[str, dict[int, str]] = {}

    def __call__(self, tool: str, text: str, observation: Mapping[str, Any]) -> list[int]:
        """Return the gold cells that an observation showed, in order."""
        if tool not in _READING:
            return []
        records, renamed = _records(text)
        altered = {was["fact"] for was in observation["altered"]}
        seen: set[int] = set()
        for record in records:
            id_ = record.get("id")
            if isinstance(id_, str):
                cells = {renamed.get(name, name): value for name, value in record.items()}
                self._take_name(id_, cells.get("name"), altered, seen)
                seen.update(self._shown_by(id_, cells, altered))
        return sorted(seen)

    def _take_name(self, id_: str, name: object, altered: set[str], seen: set[int]) -> None:
        if isinstance(name, str) and f"{id_}#name" not in altered:
            self._names[id_] = name
            seen.update(cell for cell, value in self._referring.get(id_, {}).items() if value == name)

    def _shown_by(self, id_: str, cells: Mapping[str, Any], altered: set[str]) -> Iterator[int]:
        for column, cell, value in self._wanted.get(id_, ()):
            if column not in cells or f"{id_}#{column}" in altered:
                continue
            held = cells[column]
            if cell in self._computed:
                yield from self._computed.shown(f"{id_}#{column}", [cell] if held is not None else [])
                continue
            if _written(held) == value:
                yield cell
            elif isinstance(held, str):
                self._referring.setdefault(held, {})[cell] = value
                if self._names.get(held) == value:
                    yield cell


def _cells_of(task: Task) -> dict[str, tuple[int, ...]]:
    """Return the gold cells that each fact is, or is one of: several, where rows share it."""
    cells: dict[str, list[int]] = {}
    for cell, facts in enumerate(chain.from_iterable(task.facts)):
        for fact in facts_of(facts):
            cells.setdefault(fact, []).append(cell)
    return {fact: tuple(own) for fact, own in cells.items()}


def _stands(value: str, text: str) -> bool:
    """Say whether a value stands in a text by itself, and not as a part of a longer word or number."""
    at = text.find(value)
    while at >= 0:
        end = at + len(value)
        if not _goes_on(text[max(0, at - 2) : at][::-1], value[0]) and not _goes_on(text[end : end + 2], value[-1]):
            return True
        at = text.find(value, at + 1)
    return False


def _goes_on(beside: str, edge: str) -> bool:
    """Say whether what stands beside a value's edge, nearest first, belongs to its word or number: `1`, `,4` to `2`."""
    if not edge.isascii() or not edge.isalnum():
        return False
    if beside[:1] in (",", "."):
        return edge.isdigit() and beside[1:].isdigit()
    return beside[:1].isascii() and beside[:1].isalnum()


def _written(value: object) -> str | None:
    """Write a record's value as gold tables do (`world.values.canonical`); None for what is no single value."""
    match value:
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.6f}".rstrip("0").rstrip(".")
        case int() | str():
            return str(value)
    return None


def _records(text: str) -> tuple[list[dict[str, Any]], Mapping[str, str]]:
    """Read the records in a text, and whose names their fields bear: of one that is broken, those before the break."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return list(_whole_records(text)), {}
    if not isinstance(content, dict):
        return [], {}
    records, renamed = content.get("records"), content.get("renamed")
    found = [record for record in records if isinstance(record, dict)] if isinstance(records, list) else []
    return found, renamed if isinstance(renamed, dict) else {}


def _whole_records(text: str) -> Iterator[dict[str, Any]]:
    _, _, text = text.partition('"records":[')
    at = 0
    while text[at : at + 1] == "{":
        try:
            record, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        yield record
        at = end + 1 if text[end : end + 1] == "," else len(text)
