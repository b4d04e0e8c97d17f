"""Marks around names in running text, as Chinese has around titles: 收录于《{album}》 where the book has 收录于{album}.

    with_name_marks(book, spec)     # the book, with marks around the slots of columns that name such entities

A phrasebook gives the marks of a type (`around_name`) and of columns that hold names as texts (`around`). A slot that
stands in marks already keeps those.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

from worldforge.schema.phrasebook import AttributePhrases, Book, Entry, RelationPhrases, ReportPhrases, TypePhrases
from worldforge.schema.spec import WorldSpec
from worldforge.world.comparison_phrases import comparison_texts

_SLOT = re.compile(r"(?<![《〈“‘「『])\{([a-z][a-z0-9_]*)\}")
_GROUPS = ("says", "asides", "sentences", "talk")
_ROW_GROUPS = ("source", "target", "together", "stories")
_Phrases = TypeVar("_Phrases", TypePhrases, RelationPhrases, ReportPhrases)
Marks = Mapping[str, str]
"""By column, the two marks around its values."""


def with_name_marks(book: Book, spec: WorldSpec) -> Book:
    """Return a book whose texts have the marks of names around the slots of their columns."""
    around = {name: own.around_name for name, own in book.types.items() if own.around_name}
    types, relations = dict(book.types), dict(book.relations)
    for name, own in book.types.items():
        declared = spec.types[name].attributes if name in spec.types else {}
        references = {key: one.references for key, one in declared.items() if one.references}
        types[name] = _type(own, _marks(own.attributes, references, around), book)
    for name, rows in book.relations.items():
        relation = spec.relations.get(name)
        ends = {"source": relation.source, "target": relation.target} if relation is not None else {}
        relations[name] = _relation(rows, _marks(rows.columns, ends, around), book)
    return book.model_copy(update={"types": types, "relations": relations})


def _marks(
    columns: Mapping[str, AttributePhrases], references: Mapping[str, str], around: Mapping[str, str]
) -> dict[str, str]:
    found = {key: around[name] for key, name in references.items() if name in around}
    return found | {key: own.around for key, own in columns.items() if own.around}


def _type(own: TypePhrases, marks: Marks, book: Book) -> TypePhrases:
    if not marks:
        return own
    columns = {key: _attribute(one, key, marks, book) for key, one in own.attributes.items()}
    return _texts(own, ("leads", "stories"), marks).model_copy(update={"attributes": columns})


def _relation(own: RelationPhrases, marks: Marks, book: Book) -> RelationPhrases:
    if not marks:
        return own
    columns = {key: _attribute(one, key, marks, book) for key, one in own.columns.items()}
    report = _texts(own.report, tuple(key for key in ReportPhrases.model_fields if key != "without"), marks)
    return _texts(own, _ROW_GROUPS, marks).model_copy(update={"columns": columns, "report": report})


def _attribute(own: AttributePhrases, key: str, marks: Marks, book: Book) -> AttributePhrases:
    if key not in marks:
        return own
    same = comparison_texts(book.language, own, "same")  # of the predicates without marks
    texts = {group: [_marked(text, {"value": marks[key]}) for text in getattr(own, group)] for group in _GROUPS}
    return own.model_copy(update={**texts, "same": same})


def _texts(own: _Phrases, groups: tuple[str, ...], marks: Marks) -> _Phrases:
    return own.model_copy(update={group: [_entry(one, marks) for one in getattr(own, group)] for group in groups})


def _entry(entry: str | Entry, marks: Marks) -> str | Entry:
    if isinstance(entry, str):
        return _marked(entry, marks)
    return entry.model_copy(update={"say": [_marked(text, marks) for text in entry.say]})


def _marked(text: str, marks: Marks) -> str:
    """Put marks around the slots of the columns that have such."""

    def with_marks(match: re.Match[str]) -> str:
        around = marks.get(match[1])
        return match[0] if around is None else f"{around[0]}{match[0]}{around[1]}"

    return _SLOT.sub(with_marks, text)
