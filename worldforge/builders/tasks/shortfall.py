"""Explains why a world has fewer tasks than its spec asks for: by family, and by gate.

shortfalls(spec, folder)        ["`list` has 312 of 5,000: 4,102 were set aside (duplicate 3,900, shortcut 202)"]
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq

from worldforge.builders.tasks.cell_ladder import MOST_TRIES
from worldforge.builders.tasks.task_maker import DRAWS_A_STEP, DRAWS_A_TASK, DRAWS_IN_VAIN
from worldforge.schema.spec import WorldSpec
from worldforge.schema.task_section import TaskFamily

_SHOWN = 3


def shortfalls(spec: WorldSpec, folder: Path) -> list[str]:
    """Return for each family that fell short its number of tasks and the reasons for not having more."""
    kept = Counter(map(_family, _column(folder / "tasks.parquet", "id")))
    ids, reasons = (_column(folder / "set_aside.parquet", name) for name in ("id", "reason"))
    aside: dict[str, Counter[str]] = {name: Counter() for name in spec.tasks}
    for id_, reason in zip(ids, reasons, strict=True):
        aside[_family(id_)][reason.partition(":")[0]] += 1
    return [
        f"`{name}` has {kept[name]:,} of {family.count:,}: {_why(aside[name], family)}"
        for name, family in spec.tasks.items()
        if kept[name] < family.count
    ]


def _why(reasons: Counter[str], family: TaskFamily) -> str:
    size, n_draws = "rows", min(family.count * DRAWS_A_TASK, DRAWS_IN_VAIN)
    if family.cells is not None:
        size, n_draws = "cells", MOST_TRIES * DRAWS_A_STEP
    if not reasons:
        return f"no draw of {n_draws:,} fits `{size}`, `columns` and what pages state"
    gates = ", ".join(f"{gate} {n:,}" for gate, n in reasons.most_common(_SHOWN))
    return f"{n_draws:,} draws in a row gave no further one, and gates set {reasons.total():,} aside ({gates})"


def _family(id_: str) -> str:
    return id_.partition("/")[2].rpartition("-")[0]


def _column(path: Path, name: str) -> list[str]:
    found: list[str] = pq.read_table(path, columns=[name])[name].to_pylist()
    return found
