"""Count what a phrasebook has for each type, relation and column of a spec, and what it lacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from worldforge.schema.column_paths import built_in_columns
from worldforge.schema.phrasebook import AttributePhrases, Book, Sentences, expanded
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Language
from worldforge.schema.table_columns import ColumnInfo, columns_of
from worldforge.schema.translations import labels_in_language

FORM_KINDS = ("says", "sentences", "asides", "talk")
"""The kinds of entries that state a fact."""
LEAST_FORMS = 12
"""Sentence forms that a column is to have."""
FORMS, VALUES = "forms", "values"
"""What a column may lack beside entries of one kind: sentence forms of any kind, wordings of its values."""
_OF_ROWS = 3
"""How many times fewer the columns of a relation are to have: a row is told in one sentence or two."""
_LEAST = {"labels": 4, "asks": 2, "which": 2, "over": 1, "under": 1}
_ORDERED = ("integer", "number", "year", "date")
_NO_PHRASES = AttributePhrases()


@dataclass(frozen=True, slots=True)
class ColumnCoverage:
    """What a book has for one column. `lacks` says how many of what are missing: `forms`, `labels`, `asks`, …"""

    table: str
    column: str
    forms: int
    """Sentences, predicates, asides and talk, with choices expanded."""
    entries: int
    """The same as they are written."""
    labels: int
    asks: int
    which: int
    over: int
    under: int
    lacks: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TableCoverage:
    """What a book has for one type or relation beside its columns: stories, fillers, quotes and others."""

    table: str
    counts: Mapping[str, int]
    columns: tuple[ColumnCoverage, ...]


@dataclass(frozen=True, slots=True)
class BookCoverage:
    """What a book has for a spec. `found` is False where it has nothing: where there is none."""

    language: Language
    found: bool
    voices: int
    documents: int
    tables: tuple[TableCoverage, ...]

    @property
    def lacking(self) -> list[ColumnCoverage]:
        """The columns that lack something."""
        return [column for table in self.tables for column in table.columns if column.lacks]


def coverage_of(spec: WorldSpec, book: Book, least: int = LEAST_FORMS, code_from: Path | None = None) -> BookCoverage:
    """Count what a book has for a spec; a column with fewer than `least` sentence forms lacks some.

    The columns of a relation are to have a third of that.
    """
    spoken = labels_in_language(spec, book.language)
    tables = [
        TableCoverage(
            name,
            _counts(book, name, is_relation=name in spec.relations),
            tuple(_columns(book, spoken, name, least, code_from)),
        )
        for name in (*spec.types, *spec.relations)
    ]
    found = bool(book.types or book.relations)
    return BookCoverage(book.language, found, len(book.voices), len(book.documents), tuple(tables))


def book_of(spec: WorldSpec, language: Language) -> Book:
    """Return the spec's book of a language; an empty one where there is none."""
    book: Book = spec.books.get(language) or Book(language=language)
    return book


def phrases_of_column(book: Book, table: str, column: str) -> AttributePhrases:
    """Return what a book has for a column; empty where it has nothing."""
    if table in book.types:
        return book.types[table].attributes.get(column, _NO_PHRASES)
    if table in book.relations:
        return book.relations[table].columns.get(column, _NO_PHRASES)
    return _NO_PHRASES


def covered_columns(spec: WorldSpec, table: str, code_from: Path | None = None) -> dict[str, ColumnInfo]:
    """Return the columns of a type or relation that a book has phrases for: all but names, ends and built-in ones."""
    left_out = {"name"} if table in spec.types else {"source", "target", *built_in_columns(spec, table)}
    return {key: one for key, one in columns_of(spec, table, code_from).items() if key not in left_out}


def _counts(book: Book, name: str, *, is_relation: bool) -> dict[str, int]:
    if is_relation:
        rows = book.relations.get(name)
        kinds = ("source", "target", "together", "stories")
        return {kind: _n_texts(getattr(rows, kind)) if rows else 0 for kind in kinds}
    own = book.types.get(name)
    found = {"stories": _n_texts(own.stories) if own else 0}
    groups = ("fillers", "leads", "quotes", "chatter", "themes")
    return found | {group: len(getattr(own, group)) if own else 0 for group in groups}


def _n_texts(entries: Sentences) -> int:
    return sum(1 if isinstance(entry, str) else len(entry.say) for entry in entries)


def _columns(book: Book, spec: WorldSpec, name: str, least: int, code_from: Path | None) -> Iterator[ColumnCoverage]:
    for column in covered_columns(spec, name, code_from).values():
        phrases = phrases_of_column(book, name, column.name)
        counts = {kind: _n_expanded(phrases, kind) for kind in _LEAST}
        forms = _forms_of(phrases)
        lacks = {kind: _LEAST[kind] - counts[kind] for kind in _wanted(spec, name, column)}
        if column.kind == "boolean" and not phrases.values:
            lacks[VALUES] = 2  # the two wordings without which nothing else can be said
        lacks[FORMS] = (least if name in spec.types else -(-least // _OF_ROWS)) - forms
        entries = sum(len(getattr(phrases, kind)) for kind in FORM_KINDS)
        missing = {kind: n for kind, n in lacks.items() if n > 0}
        yield ColumnCoverage(name, column.name, forms, entries, **counts, lacks=missing)


def _wanted(spec: WorldSpec, table: str, column: ColumnInfo) -> Iterator[str]:
    """Yield the kinds of entries beside sentences that a column is to have."""
    yield "labels"
    if table in spec.types:
        yield from ("asks", "which")
        if column.kind in _ORDERED and not column.rank:
            yield from ("over", "under")


def _n_expanded(phrases: AttributePhrases, kind: str) -> int:
    found = getattr(phrases, kind)
    texts = [text for own in found.values() for text in own] if isinstance(found, dict) else found
    return sum(len(expanded(text)) for text in texts)


def _forms_of(phrases: AttributePhrases) -> int:
    """Count the sentence forms of an attribute, with choices expanded."""
    return sum(len(expanded(text)) for key in ("says", "asides", "sentences", "talk") for text in getattr(phrases, key))
