"""The labels of types and columns in a question's language, and the formats of values and cells.

Gold tables are canonical, in any language (dates as ISO 8601 writes them, plain numbers, entities by their names), but
for what a language has words of its own for: 是 and 否 in Chinese, and options in a language other than the tables'.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from worldforge.builders.tasks.gold_sql import referred_type
from worldforge.core.columns import ValueKind
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Language
from worldforge.schema.table_columns import ColumnInfo, columns_of
from worldforge.schema.task_section import TaskFamily
from worldforge.schema.translations import labels_in_language, options_in
from worldforge.world.task import Task, TaskColumn
from worldforge.world.task_terms import AnyOf, Condition, DescribedTerm, NoneOf, RelatedTerm, Term, Terms
from worldforge.world.value_text import as_written

_YES_NO: dict[str, dict[str, str]] = {"en": {}, "zh": {"yes": "是", "no": "否"}}
Cells = tuple[tuple[str | None, ...], ...]


def language_of(spec: WorldSpec, family: TaskFamily, number: int) -> Language:
    """Return what candidate `number` of a family is worded in."""
    if family.language == "both":
        return spec.languages[number % len(spec.languages)]
    return family.language or spec.languages[0]


def gold_in_words(spec: WorldSpec, task: Task, rows: Cells) -> Cells:
    """Write canonical cells as the answer to a task in its language has them."""
    options = options_in(spec, task.language)  # type: ignore[arg-type]
    maps = [
        _YES_NO[task.language] if column.kind == "boolean" else options if _is_option(spec, task, column) else {}
        for column in task.columns
    ]
    if not any(maps):
        return rows
    return tuple(
        tuple(None if cell is None else m.get(cell, cell) for cell, m in zip(row, maps, strict=True)) for row in rows
    )


def _is_option(spec: WorldSpec, task: Task, column: TaskColumn) -> bool:
    steps = column.path.split(".")
    return column.kind == "text" and steps[-1] != "name" and referred_type(spec, task.about, steps) is None


class QuestionLanguage:
    """What a world's types and columns are called in a language."""

    def __init__(self, spec: WorldSpec, language: Language, code_from: Path | None) -> None:
        told = labels_in_language(spec, language)
        self.language = language
        self.columns: dict[str, dict[str, ColumnInfo]] = {
            name: columns_of(told, name, code_from) for name in told.types
        }
        self.labels = {name: kind.label or name.replace("_", " ") for name, kind in told.types.items()}
        self._options = options_in(spec, language)

    def asked(self, about: str, columns: Sequence[TaskColumn]) -> tuple[TaskColumn, ...]:
        """Call the columns of an answer as the language does: `成立年份`, `面积（平方公里）`."""
        if self.language == "en":
            return tuple(columns) if not self._options else tuple(self._called(about, one, " ({})") for one in columns)
        return tuple(self._called(about, column, "（{}）") for column in columns)

    def _called(self, about: str, column: TaskColumn, unit: str) -> TaskColumn:
        if column.path == "name":
            label, sign = self.labels[about], ""
        else:
            own = self.columns[about][column.path]
            label, sign = own.label, unit.format(own.unit) if own.unit else ""
        return replace(column, label=label[:1].upper() + label[1:] + sign)

    def said(self, terms: Sequence[Term]) -> Terms:
        """Write the values of conditions as the language does, however deep they lie."""
        return tuple(self._said(term) for term in terms)

    def _said(self, term: Term) -> Term:
        match term:
            case Condition():
                upper = self._written(term.upper, term.upper_written, term.kind)
                return replace(term, written=self._written(term.value, term.written, term.kind), upper_written=upper)
            case AnyOf() | NoneOf():
                return type(term)(tuple(self.said(part) for part in term.parts))
            case RelatedTerm() | DescribedTerm():
                return replace(term, where=self.said(term.where))
            case _:
                return term

    def _written(self, value: str, written: str, kind: ValueKind) -> str:
        if kind == "text":
            return self._options.get(written, written)
        if kind == "boolean":
            return _YES_NO[self.language].get(written, written)
        if kind != "date" or self.language == "en" or not value:
            return written
        return str(as_written(pa.array([datetime.date.fromisoformat(value)]), "date", self.language)[0].as_py())
