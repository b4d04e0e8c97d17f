"""The vocabulary of a world, as wording banks take it: labels, units, and which texts are values or names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.tasks.path_labels import PathLabels
from worldforge.core.english import plural
from worldforge.schema.column_paths import PREVIOUS
from worldforge.schema.phrasebook import expanded
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Language
from worldforge.schema.table_columns import ColumnInfo, columns_of
from worldforge.schema.translations import label_of, labels_in_language, options_in, plural_of
from worldforge.world.question_labels import ColumnLabels, LinkLabels, Sort, TableLabels, Through, Vocabulary
from worldforge.world.question_phrases import question_phrases
from worldforge.world.value_text import as_written

_TITLE_END = re.compile("[,，]")
Columns = Mapping[str, Mapping[str, ColumnInfo]]


def vocabularies(
    spec: WorldSpec, tables: Mapping[str, pa.Table], named: Sequence[str], code_from: Path | None
) -> dict[str, Vocabulary]:
    """Return the labels of a world's types and relations, those `named`, in each of its languages."""
    return {
        language: _LanguageLabels(spec, tables, named, language, code_from).vocabulary() for language in spec.languages
    }


class _LanguageLabels:
    """The labels in one language, and the texts that are values of a column or the name of one entity."""

    def __init__(
        self,
        spec: WorldSpec,
        tables: Mapping[str, pa.Table],
        named: Sequence[str],
        language: Language,
        code_from: Path | None,
    ) -> None:
        self._spec, self._tables, self._language = labels_in_language(spec, language), tables, language
        self._columns = {name: columns_of(self._spec, name, code_from) for name in named}
        self._labels = PathLabels(self._spec, self._columns, language)
        self._options = options_in(spec, language)
        self._yes_no = as_written(pa.array([True, False]), "boolean", language).to_pylist()
        self._known = cache(self._find)
        book = spec.books.get(language)
        self._phrases = question_phrases(book, spec.seed) if book is not None else {}
        self._types = book.types if book is not None else {}
        self._reasons = book.reasons if book is not None else []
        self._relations = book.relations if book is not None else {}

    def vocabulary(self) -> Vocabulary:
        tables = {}
        for name in self._columns:
            columns = tuple(self._column_labels(name))
            if name in self._spec.types:
                links = tuple(map(self._phrased, _links(self._spec, self._columns, name)))
                labels = TableLabels(label_of(self._spec, name), plural_of(self._spec, name), columns, links)
                tables[name] = self._called(name, labels)
            else:  # nothing is asked about rows of a relation: they are only referred to, by its title
                tables[name] = TableLabels(name.replace("_", " "), name.replace("_", " "), columns)
        return tables

    def _called(self, name: str, labels: TableLabels) -> TableLabels:
        """Add what a phrasebook calls the entities of a type."""
        phrases = self._types.get(name)
        if phrases is None:
            return labels
        own, of_topic = (
            [one for text in texts for one in expanded(text)] for texts in (phrases.reasons, self._reasons)
        )
        short = self._short(name)
        names = (short, plural(short)) if short else ("", "")
        return replace(
            labels,
            short=names,
            reasons=(*own, *own, *of_topic),  # what fits the type twice as often
            the=phrases.the,
            around=phrases.around_name,
            person=phrases.pronoun != "it",
        )

    def _short(self, name: str) -> str:
        """Return the end of a type's label that a phrasebook calls it by, and no other type: `club`; else nothing."""
        if name not in self._types or self._language != "en":
            return ""
        label = label_of(self._spec, name)
        others = {label_of(self._spec, other) for other in self._spec.types if other != name}
        others |= {noun for other, phrases in self._types.items() if other != name for noun in phrases.nouns}
        fit = [noun for noun in self._types[name].nouns if label.endswith(f" {noun}") and noun not in others]
        return min(fit, key=len, default="")

    def _phrased(self, link: LinkLabels) -> LinkLabels:
        phrases, own = self._phrases.get((link.table, link.column)), self._relations.get(link.table)
        if link.end and link.column == "source":
            link = replace(link, rows=own.rows if own is not None and own.rows else self._rows(link))
        return replace(link, phrases=phrases.link) if phrases is not None else link

    def _rows(self, link: LinkLabels) -> str:
        """Call the rows of a relation by its title; among entities of one type that does not say which end is meant."""
        relation, title = self._spec.relations[link.table], _TITLE_END.split(link.title)[0]
        if relation.source == relation.target:
            return ""
        return title if title[1:2].isupper() else title[:1].lower() + title[1:]

    def _column_labels(self, table: str) -> Iterator[ColumnLabels]:
        """Yield the labels of a table's columns, and of those that its references lead to."""
        for column in self._columns[table].values():
            if column.name == PREVIOUS:
                continue
            yield self._labels_of(table, column, column.name, column.label)
            if column.references and column.references in self._columns:
                for further in self._columns[column.references].values():
                    if further.references and further.name != PREVIOUS:
                        path, label = f"{column.name}.{further.name}", self._labels.possessive(column.label, further)
                        labels = self._labels_of(column.references, further, path, label)
                        through = self._through(table, column)
                        labels = replace(labels, phrases=labels.phrases if through else None, through=through)
                        yield labels

    def _through(self, table: str, column: ColumnInfo) -> Through | None:
        """Return what a phrasebook has for the first column of a path."""
        refers, phrases = str(column.references), self._phrases.get((table, column.name))
        if phrases is None:
            return None
        called = self._short(refers) or label_of(self._spec, refers)
        return Through(refers, called, phrases, self._types[refers].the if refers in self._types else "")

    def _labels_of(self, table: str, column: ColumnInfo, path: str, label: str) -> ColumnLabels:
        phrases = self._phrases.get((table, column.name))
        sort: Sort = "number" if column.kind == "integer" else column.kind
        unit = column.unit or ("年" if self._language == "zh" and column.kind == "year" else "")
        if column.references:
            known = self._is_known(column.references, "name", once=True)
            around = self._types[column.references].around_name if column.references in self._types else ""
            labels = ColumnLabels(path, label, "reference", unit, column.references, known=known, phrases=phrases)
            return replace(labels, typed=self._labels.is_typed(column), around=around)
        if column.kind == "boolean":
            return ColumnLabels(path, label, sort, unit, known=lambda text: text in self._yes_no, phrases=phrases)
        if column.address:
            return ColumnLabels(path, label, "address", phrases=phrases)
        if column.kind != "text":
            return ColumnLabels(path, label, sort, unit, phrases=phrases)
        known = self._is_known(table, column.name, once=False)
        own = self._types[table].attributes.get(column.name) if table in self._types else None
        around = own.around if own is not None else ""
        return ColumnLabels(path, label, sort, unit, known=known, phrases=phrases, around=around)

    def _is_known(self, table: str, column: str, *, once: bool) -> Callable[[str], bool]:
        return lambda text: text in self._known(table, column, once)

    def _find(self, table: str, column: str, once: bool) -> frozenset[str]:
        counts = Counter(self._tables[table][column].cast(pa.string()).to_pylist())
        if once and len(self._spec.languages) > 1:  # a question may call entities by their names in its own script
            counts.update(pc.list_flatten(self._tables[table]["aliases"]).to_pylist())
        found = (text for text, count in counts.items() if text is not None and (not once or count == 1))
        return frozenset(found if once else (self._options.get(text, text) for text in found))


def _links(spec: WorldSpec, columns: Columns, type_name: str) -> Iterator[LinkLabels]:
    """Yield the links to a type: relations, under the headings that pages give them, and other types."""
    for name, relation in spec.relations.items():
        if name not in columns:
            continue
        begin, until = _period(spec, columns, name)
        if relation.source == type_name:
            title = relation.title or name.replace("_", " ").capitalize()
            yield LinkLabels(name, "source", title, "target", begin, until)
        if relation.target == type_name:
            plural = plural_of(spec, relation.source)
            yield LinkLabels(name, "target", plural[:1].upper() + plural[1:], "source", begin, until)
    for other in spec.types:
        for column in columns[other].values():
            if column.references == type_name:
                yield LinkLabels(other, column.name, column.label)


def _period(spec: WorldSpec, columns: Columns, relation: str) -> tuple[str, str]:
    """Name the columns in which periods of a relation begin and end: a constraint's, else `from` and `until`."""
    exclusive = [c.exclusive for c in spec.constraints if c.on == relation and c.exclusive is not None]
    begin, until = (exclusive[0].begin, exclusive[0].end) if exclusive else ("from", "until")
    held = columns[relation]
    timed = all(name in held and held[name].kind in ("year", "date") for name in (begin, until))
    return (begin, until) if timed and held[begin].kind == held[until].kind else ("", "")
