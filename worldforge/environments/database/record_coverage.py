"""Find the gold cells that observations of records showed, from the records in the text.

A record that was listed or got shows a cell where its field holds gold's value; a reference does from when both the
reference and the name of what it refers to were shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from worldforge.environments.coverage import ComputedCells, GoldSource, ShownTo
from worldforge.world.computed_cells import facts_of
from worldforge.world.task import Task

_READING = frozenset({"list_records", "get_records"})
_DECODER = json.JSONDecoder()


def readers_of_records(source: GoldSource) -> ShownTo:
    """Return a factory of readers, which need only their task."""
    return RecordReader


class RecordReader:
    """Reads the observations of one episode at a world's tables."""

    def __init__(self, task: Task) -> None:
        self._wanted: dict[str, list[tuple[str, int, str]]] = {}
        self._computed = ComputedCells(task)
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


def _written(value: object) -> str | None:
    """Write a record's value as gold tables do (`world.values.canonical`); None for other types."""
    match value:
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.6f}".rstrip("0").rstrip(".")
        case int() | str():
            return str(value)
    return None


def _records(text: str) -> tuple[list[dict[str, Any]], Mapping[str, str]]:
    """Parse the records and renamed fields of a text; of broken JSON, the records before the break."""
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
