"""Judges answers by a world's own aliases instead of a model: an alias counts as the name, nothing else does.

gold = gold_with_aliases(world, task)           # for both scorers
score_compatible(answer, gold, AliasJudge(gold))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from worldforge.scoring.gold_table import GoldTable, synonyms_of_columns
from worldforge.world.entity_names import OtherNames, Titles
from worldforge.world.task import Task
from worldforge.world.world import World


class Judge(Protocol):
    """The judge that the benchmark calls: once for the column names, once for each key column and judged column."""

    def match(self, names: Sequence[str], gold_names: Sequence[str]) -> Mapping[str, str]:
        """Map the answer's names (of columns, or the cells of a key column) to the gold names that mean the same."""

    def grade(self, cells: Sequence[str], gold_cells: Sequence[str], criterion: str) -> Sequence[float]:
        """Give each of `cells` 1 where it says the same as the gold cell at its place, by `criterion`, else 0."""


class AliasJudge:
    """A judge by a gold table's aliases; cells that they do not decide go to another judge, if there is one."""

    def __init__(self, gold: GoldTable, other: Judge | None = None) -> None:
        self._names = {alias: name for names in gold.aliases.values() for alias, name in names.items()}
        self._other = other

    def match(self, names: Sequence[str], gold_names: Sequence[str]) -> Mapping[str, str]:
        """Map aliases to the names they stand for, where these are gold's."""
        gold = set(gold_names)
        known = {name: self._names[name] for name in names if name not in gold and self._names.get(name) in gold}
        if self._other is None:
            return known
        return {**self._other.match([name for name in names if name not in known], gold_names), **known}

    def grade(self, cells: Sequence[str], gold_cells: Sequence[str], criterion: str) -> Sequence[float]:
        """Give 1 to a cell that is gold's or its alias, but for case; the rest is the other judge's, or 0."""
        same = [self._same(cell, gold) for cell, gold in zip(cells, gold_cells, strict=True)]
        if self._other is None or all(same):
            return [float(one) for one in same]
        left = [place for place, one in enumerate(same) if not one]
        graded = self._other.grade([cells[place] for place in left], [gold_cells[place] for place in left], criterion)
        grades = dict(zip(left, graded, strict=True))
        return [grades.get(place, 1.0) for place in range(len(same))]

    def _same(self, cell: str, gold: str) -> bool:
        return gold.lower() in (cell.lower(), self._names.get(cell, cell).lower())


def gold_with_aliases(world: World, task: Task) -> GoldTable:
    """Give a task's gold table with every other name of an entity whose name stands in it, by column.

    So it is with the title of its article, where others share its name. An alias that would mean two names of one
    column means neither.
    """
    gold, titles = gold_called(task, world.other_names), _titles(task, world.titles)
    if not titles:
        return gold
    both = {label: {**gold.aliases.get(label, {}), **titles.get(label, {})} for label in task.labels}
    return replace(gold, aliases={label: names for label, names in both.items() if names})


def _titles(task: Task, titles: Titles) -> dict[str, dict[str, str]]:
    """Give for each column the titles of articles on what its cells name, where they say more than the name."""
    found: dict[str, dict[str, str]] = {}
    for cells, facts in zip(task.gold, task.facts, strict=True):
        for label, cell, fact in zip(task.labels, cells, facts, strict=True):
            for title in titles.of(fact):
                found.setdefault(label, {})[title] = cell
    return found


def gold_called(task: Task, named: OtherNames) -> GoldTable:
    """Give a task's gold table as `gold_with_aliases` does, of entities that have these other names.

    Other words for values are there too.
    """
    aliases = synonyms_of_columns(task)
    for label, cells in zip(task.labels, zip(*task.gold, strict=True), strict=True):
        if names := _column_aliases(named, set(cells)):
            aliases[label] = {**aliases.get(label, {}), **names}
    return GoldTable(tuple(task.labels), task.gold, task.keys, task.evaluation, aliases)


def _column_aliases(named: OtherNames, cells: set[str]) -> dict[str, str]:
    meant: dict[str, set[str]] = {}
    for cell in sorted(cells & named.keys()):
        for alias in named[cell]:
            meant.setdefault(alias, set()).add(cell)
    return {alias: min(names) for alias, names in meant.items() if alias not in cells and len(names) == 1}
