"""Cells that are computed: a count, a sum, a mean over the entities of a group.

    measure_of("mean(capacity, 1)")    Measure("mean", "capacity", 1): the mean, rounded to one decimal
    measure_of("count()")              Measure("count")
    measure_of("capacity")             None: the column itself

A computed cell is no fact. Where a task lists the fact that each cell of its answer is, it lists all facts that this
one is computed from, with blanks between: `club/0003#town club/0003#capacity club/0011#town club/0011#capacity`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast

from worldforge.schema.task_section import MeasureName

_PATH = re.compile(r"(count|sum|mean|min|max)\((\w*)(?:, (\d))?\)")
_BETWEEN = " "


@dataclass(frozen=True, slots=True)
class Measure:
    """What is computed of a column over a group; of means, to how many decimals."""

    name: MeasureName
    column: str = ""
    places: int = 0

    @property
    def path(self) -> str:
        """Write it as the path of an answer's column."""
        return f"{self.name}({self.column}{f', {self.places}' if self.name == 'mean' else ''})"


def measure_of(path: str) -> Measure | None:
    """Read the path of an answer's column; None where it is no computed one."""
    found = _PATH.fullmatch(path)
    return Measure(cast(MeasureName, found[1]), found[2], int(found[3] or 0)) if found else None


def facts_of(cell: str) -> list[str]:
    """List the facts that a cell of a task's answer is, or is computed from."""
    return cell.split(_BETWEEN)


def cell_of(facts: list[str]) -> str:
    """Write the facts that a cell is computed from as one."""
    return _BETWEEN.join(facts)
