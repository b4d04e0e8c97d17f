"""Read conditions of a phrasebook back as a world's questions would be read: by the same templates.

ConditionReader(spec, book).reads("club", "founded", "over", "founded after {value}")      True
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from worldforge.builders.phrasebooks.coverage import covered_columns, phrases_of_column
from worldforge.core.imports import load
from worldforge.schema.phrasebook import Book, expanded
from worldforge.schema.spec import WorldSpec
from worldforge.schema.table_columns import ColumnInfo
from worldforge.schema.translations import label_of, labels_in_language, plural_of
from worldforge.world.question_labels import ColumnLabels, Sort, TableLabels
from worldforge.world.question_phrases import ColumnPhrases
from worldforge.world.task_terms import Condition, Operator

OPERATORS: Mapping[str, Operator] = {"which": "=", "over": ">", "under": "<"}
"""What a condition of each kind says of its value."""
_READ = "questions.read_conditions"
_VALUES = {"number": "47", "year": "1923", "boolean": "yes"}
_DATES = {"en": "18 June 2024", "zh": "2024年6月18日"}


class ConditionReader:
    """Reads conditions on the columns of a spec's types, with all that a book has for them.

    Values are samples: two columns may hold the same one where both hold numbers, years, dates, or names of one type.
    """

    def __init__(self, spec: WorldSpec, book: Book, code_from: Path | None = None) -> None:
        self._spec, self._language, self._book = labels_in_language(spec, book.language), book.language, book
        self._columns = {name: covered_columns(self._spec, name, code_from) for name in spec.types}
        self._tables = {name: self._table(name) for name in spec.types}

    def reads(self, table: str, column: str, kind: str, text: str) -> bool:
        """Say whether a text of a kind (`which`, `over`, `under`) is read as its condition, and as no other."""
        labels = self._tables[table]
        own = labels.column(column)
        phrases = own.phrases or ColumnPhrases()
        entries: dict[str, Any] = {kind: (*getattr(phrases, kind), text)}
        tried = replace(own, phrases=replace(phrases, **entries))
        words = {
            **self._tables,
            table: replace(labels, columns=tuple(tried if one is own else one for one in labels.columns)),
        }
        value = self._sample(own)
        wanted = (Condition(column, OPERATORS[kind], "", value, "text"),)
        found = load(_READ)(words, self._language, table, own, OPERATORS[kind], text, value)
        return list(found) == [wanted]

    def _table(self, name: str) -> TableLabels:
        columns = tuple(self._labels(name, column) for column in self._columns[name].values())
        own = self._book.types.get(name)
        person = own is not None and own.pronoun != "it"
        return TableLabels(label_of(self._spec, name), plural_of(self._spec, name), columns, person=person)

    def _labels(self, table: str, column: ColumnInfo) -> ColumnLabels:
        sort: Sort = "number" if column.kind == "integer" else column.kind
        unit = column.unit or ("年" if self._language == "zh" and column.kind == "year" else "")
        phrases = self._phrases(table, column.name)
        if column.references:
            name = _name(column.references)
            return ColumnLabels(
                column.name, column.label, "reference", unit, column.references, known=name.__eq__, phrases=phrases
            )
        if column.kind == "text":
            return ColumnLabels(column.name, column.label, sort, unit, known=_name(column.name).__eq__, phrases=phrases)
        return ColumnLabels(column.name, column.label, sort, unit, phrases=phrases)

    def _sample(self, labels: ColumnLabels) -> str:
        if labels.sort == "date":
            return _DATES[self._language]
        return _VALUES.get(labels.sort) or _name(labels.refers or labels.path)

    def _phrases(self, table: str, column: str) -> ColumnPhrases:
        found = phrases_of_column(self._book, table, column)
        own = self._book.types.get(table)
        groups = {kind: getattr(found, kind) for kind in OPERATORS}
        texts: dict[str, Any] = {
            kind: tuple(dict.fromkeys(one for text in group for one in expanded(text)))
            for kind, group in groups.items()
            if isinstance(group, list)
        }
        return ColumnPhrases(**texts, person=own is not None and own.pronoun != "it")


def _name(key: str) -> str:
    """Return a name that stands for one of a type, or a text that stands for those of a column."""
    return f"Q{key.replace('_', '')}q"
