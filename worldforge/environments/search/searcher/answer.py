"""Write what a searcher believes as the table that a question asks for."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from worldforge.environments.answer_rows import answer_table, computed_cell
from worldforge.environments.search.searcher.beliefs import Beliefs
from worldforge.environments.search.searcher.open_questions import OpenQuestions
from worldforge.environments.search.searcher.term_truth import TermTruth
from worldforge.world.computed_cells import measure_of
from worldforge.world.task import Task, TaskColumn


class AnswerWriter:
    """Writes the rows of the entities that were found; a cell of which nothing was read stays empty."""

    def __init__(self, task: Task, beliefs: Beliefs, truth: TermTruth, questions: OpenQuestions) -> None:
        self._task, self._beliefs, self._truth, self._questions = task, beliefs, truth, questions

    def table(self, found: Sequence[str]) -> str:
        """Write the answer, of those found which its shape asks for."""
        shape = self._task.shape
        chosen = found
        if shape.limit:
            groups = self.divided(found, shape.within).values() if shape.within else [found]
            chosen = [entity for own in groups for entity in self.first(own)]
        if self._task.shape.group:
            rows = self._grouped(chosen)
        else:
            rows = [
                [self._in_asked_form(row, column.path) for column in self._task.columns]
                for entity in chosen
                for row in self._questions.rows(entity)
            ]
        return answer_table(self._task.labels, rows)

    def cell(self, row: str, path: str) -> str:
        """Write what is believed of the end of a path from an entity or a relation's row; of a reference the name."""
        if path == "name":
            return self._beliefs.names[row]
        known, _ = self._truth.value(self._task.table, row, path)
        return "" if known is None else self._beliefs.names.get(str(known.value), known.written)

    def _in_asked_form(self, row: str, path: str) -> str:
        """Write a cell as the question asks for it: dates as 2024-06-18, numbers all alike."""
        known, _ = (None, ()) if path == "name" else self._truth.value(self._task.table, row, path)
        if known is not None and isinstance(known.value, datetime.date):
            return known.value.isoformat()
        if known is not None and isinstance(known.value, int | float) and not isinstance(known.value, bool):
            return known.written.replace(",", "")
        return self.cell(row, path)

    def first(self, found: Sequence[str]) -> list[str]:
        """Rank entities and return as many as the question asks for, best first; ties at the last place all count."""
        shape = self._task.shape
        known = [(self._truth.value(self._task.about, entity, shape.order)[0], entity) for entity in found]
        ranked = [(one.value, entity) for one, entity in known if one is not None]
        ranked.sort(key=lambda one: one[0], reverse=shape.highest)
        values = [value for value, _ in ranked[: shape.limit]]
        return [entity for value, entity in ranked if value in values]

    def divided(self, found: Sequence[str], group: str) -> dict[str, list[str]]:
        """Return entities by the cell of a column; those of which it is not known are left out."""
        members: dict[str, list[str]] = {}
        for entity in found:
            if cell := self.cell(entity, group):
                members.setdefault(cell, []).append(entity)
        return members

    def _grouped(self, found: Sequence[str]) -> list[list[str]]:
        members = self.divided(found, self._task.shape.group)
        columns = self._task.columns[1:]
        return [[group, *(self._computed(column, own) for column in columns)] for group, own in members.items()]

    def _computed(self, column: TaskColumn, members: Sequence[str]) -> str:
        measure = measure_of(column.path)
        assert measure is not None, column
        seen = [self.cell(entity, measure.column) for entity in members] if measure.column else members
        return computed_cell(measure, column.kind, seen)
