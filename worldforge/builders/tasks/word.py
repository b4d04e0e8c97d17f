"""From a candidate to a worded task: its question, its query, the facts that its answer and its conditions rest on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from worldforge.builders.tasks.pose import Candidate, Poser
from worldforge.builders.tasks.query import gold_query, referred_type
from worldforge.builders.tasks.views import TypeView
from worldforge.builders.tasks.widesearch import evaluation_of
from worldforge.core.chance import Stream
from worldforge.core.imports import load
from worldforge.schema.columns import Column, columns_of
from worldforge.schema.spec import WorldSpec
from worldforge.schema.tasks import TaskFamily
from worldforge.world.evidence import Evidence
from worldforge.world.ids import entity_id, rows_of
from worldforge.world.task import Condition, Task

DRAWS_A_TASK = 60  # candidates drawn for one wanted task before the stage gives up
_WORDINGS = {"list": "questions.list_all"}


class TaskMaker:
    """Draws candidates over the tables of one world, and words them."""

    def __init__(
        self, spec: WorldSpec, tables: Mapping[str, pa.Table], evidence: Evidence, code_from: Path | None
    ) -> None:
        self.spec, self.tables = spec, tables
        self._rows: dict[tuple[str, str], npt.NDArray[np.int64]] = {}
        self.columns: dict[str, dict[str, Column]] = {name: columns_of(spec, name, code_from) for name in spec.types}
        self.views = {name: TypeView(name, tables, self.columns, evidence) for name in spec.types}
        self.labels = {name: kind.label or name.replace("_", " ") for name, kind in spec.types.items()}
        self.plurals = {name: kind.plural or f"{self.labels[name]}s" for name, kind in spec.types.items()}

    def tasks(self, name: str, family: TaskFamily) -> Iterator[Task]:
        """Draw and word the tasks of a family, no two with the same conditions; their gold is still to be derived."""
        return (self.worded(name, family, candidate) for candidate in self.candidates(name, family))

    def candidates(self, name: str, family: TaskFamily) -> Iterator[Candidate]:
        """Draw candidates of a family, no two with the same conditions."""
        stream = Stream(self.spec.seed).child("tasks", name)
        capitals = {key: label[:1].upper() + label[1:] for key, label in self.labels.items()}
        poser = Poser(self.views, capitals, family, stream)
        seen: set[tuple[str, frozenset[Condition]]] = set()
        for number in range(family.count * DRAWS_A_TASK):
            candidate = poser.candidate(number)
            if candidate is not None and (key := (candidate.about, frozenset(candidate.conditions))) not in seen:
                seen.add(key)
                yield candidate

    def worded(self, name: str, family: TaskFamily, candidate: Candidate) -> Task:
        """Word a candidate; its gold is still to be derived."""
        about = candidate.about
        labels = [column.label for column in candidate.columns]
        wording = load(_WORDINGS[family.family])(
            Stream(self.spec.seed).child("tasks", name, candidate.number, "wording"),
            self.labels[about],
            self.plurals[about],
            [self._phrase_parts(about, condition) for condition in candidate.conditions],
            labels,
        )
        return Task(
            id=f"task/{name}-{candidate.number:04d}",
            family=family.family,
            about=about,
            language="en",
            wording=wording,
            query=gold_query(self.spec, about, candidate.conditions, candidate.columns),
            conditions=candidate.conditions,
            columns=candidate.columns,
            keys=(labels[0],),
            evaluation=evaluation_of(candidate.columns, labels[:1]),
            gold=(),
            facts=self._facts(about, [column.path for column in candidate.columns], candidate.rows),
            evidence=tuple(
                fact
                for condition in candidate.conditions
                for fact in self._chain(about, condition.path, candidate.rows)
            ),
            n_hops=sum(condition.path.count(".") for condition in candidate.conditions),
        )

    def _phrase_parts(self, about: str, condition: Condition) -> tuple[str, str, str, str]:
        """Give label, sort, operator and value of a condition, as the wording banks take them."""
        steps = condition.path.split(".")
        tables = [about, *(str(referred_type(self.spec, about, steps[:n])) for n in range(1, len(steps)))]
        columns = [self.columns[table][step] for table, step in zip(tables, steps, strict=True)]
        sort = {"integer": "number"}.get(condition.kind, condition.kind)
        unit = f" {columns[-1].unit}" if columns[-1].unit else ""
        label = "'s ".join(column.label for column in columns)
        return (
            label,
            "reference" if columns[-1].references else sort,
            condition.operator,
            condition.written + unit,
        )

    def _facts(self, about: str, paths: list[str], rows: npt.NDArray[np.int64]) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(f"{entity_id(about, row)}#{path}" for path in paths) for row in rows.tolist())

    def _chain(self, about: str, path: str, rows: npt.NDArray[np.int64]) -> list[str]:
        """List the facts along a path for each of `rows`: `club/0031#town`, then `town/0012#region`."""
        facts: list[str] = []
        table = about
        for step in path.split("."):
            facts += [f"{entity_id(table, row)}#{step}" for row in rows.tolist()]
            references = self.columns[table][step].references
            if references:
                rows, table = self._targets(table, step)[rows], references
        return list(dict.fromkeys(facts))

    def _targets(self, table: str, column: str) -> npt.NDArray[np.int64]:
        """Return the row that each row of `table` refers to."""
        if (table, column) not in self._rows:
            self._rows[table, column] = rows_of(self.tables[table][column])
        return self._rows[table, column]
