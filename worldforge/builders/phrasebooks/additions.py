"""Write entries for a phrasebook into a file of their own, for a person to review and to copy over.

The file has the form of a book: what it adds, and what it would be none without: each type's nouns, wordings of values.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from worldforge.builders.phrasebooks.coverage import phrases_of_column
from worldforge.core.errors import InputError
from worldforge.core.files import write_text
from worldforge.schema.phrasebook import Book, read_book
from worldforge.schema.spec import WorldSpec
from worldforge.schema.spec_section import Language
from worldforge.schema.spec_sources import read_text
from worldforge.schema.translations import label_of, labels_in_language

_MARK = "# Additions to the phrasebook"
Additions = dict[tuple[str, str, str], list[str]]
"""Entries by table, column and kind."""
_Data = dict[str, dict[str, dict[str, Any]]]
_KINDS = ("labels", "says", "asides", "sentences", "talk", "asks", "which", "over", "under")


def read_additions(path: Path, language: Language) -> Additions:
    """Read the file of an earlier run, to add to it; nothing where there is none.

    Raises InputError where another file stands there, or one of another language.
    """
    if not path.exists():
        return {}
    if not path.is_file() or not read_text(path).startswith(_MARK):
        raise InputError(f"{path} is no file of additions", "name another with `-o FILE`, or move it away")
    book = read_book(path)
    if book.language != language:
        raise InputError(f"{path} is in language `{book.language}`", "name another with `-o FILE`")
    columns = {name: own.attributes for name, own in book.types.items()}
    columns |= {name: rows.columns for name, rows in book.relations.items()}
    return {
        (table, column, kind): list(entries)
        for table, own in columns.items()
        for column, phrases in own.items()
        for kind in _KINDS
        if (entries := getattr(phrases, kind)) and isinstance(entries, list)
    }


def with_additions(book: Book, spec: WorldSpec, additions: Additions) -> Book:
    """Return a book with entries added to it."""
    if not additions:
        return book
    data = book.model_dump(exclude_defaults=True)
    own = _as_data(spec, book, additions)
    for section, columns in (("types", "attributes"), ("relations", "columns")):
        for table, added in own[section].items():
            target = data.setdefault(section, {}).setdefault(
                table, {key: added[key] for key in added if key != columns}
            )
            for column, kinds in added[columns].items():
                into = target.setdefault(columns, {}).setdefault(column, {})
                for kind, entries in kinds.items():
                    if kind in _KINDS and isinstance(into.setdefault(kind, []), list):
                        into[kind] = [*into[kind], *entries]
    return Book.model_validate(data)


def write_additions(path: Path, spec: WorldSpec, book: Book, additions: Additions, model: str) -> None:
    """Write entries as a book of their own, in place of an earlier file, at once or not at all."""
    title = f"{_MARK} `{spec.phrases or spec.name}`, by {_one_line(model)}."
    lines = [f"{title} Review them, then copy what is good into the book.", f"language: {book.language}"]
    text = "\n".join([*lines, *_lines(_as_data(spec, book, additions))]) + "\n"
    Book.model_validate(yaml.load(text, yaml.CSafeLoader))  # raises by a defect alone
    write_text(path, text)


def _as_data(spec: WorldSpec, book: Book, additions: Additions) -> _Data:
    found: _Data = {"types": {}, "relations": {}}
    spoken = labels_in_language(spec, book.language)
    for (table, column, kind), entries in _ordered(spec, additions):
        if table in spec.types:
            own = found["types"].setdefault(table, {**_head(spoken, book, table), "attributes": {}})["attributes"]
        else:
            own = found["relations"].setdefault(table, {"columns": {}})["columns"]
        values = phrases_of_column(book, table, column).values
        is_worded = values and any("{worded}" in entry for entry in entries)
        own.setdefault(column, {})[kind] = entries
        if is_worded:
            own[column]["values"] = values
    return found


def _ordered(spec: WorldSpec, additions: Additions) -> Iterable[tuple[tuple[str, str, str], list[str]]]:
    tables = [*spec.types, *spec.relations]
    places = {table: number for number, table in enumerate(tables)}
    held = ((key, entries) for key, entries in additions.items() if key[0] in places and entries)
    return sorted(held, key=lambda one: (places[one[0][0]], one[0][1], _KINDS.index(one[0][2])))


def _head(spec: WorldSpec, book: Book, table: str) -> dict[str, object]:
    own = book.types.get(table)
    if own is None:
        return {"nouns": [label_of(spec, table)]}
    return {"nouns": own.nouns} | ({"pronoun": own.pronoun} if own.pronoun != "it" else {})


def _one_line(name: str) -> str:
    return " ".join("".join(sign if sign.isprintable() else " " for sign in name).split())[:120]


def _lines(data: _Data) -> Iterator[str]:
    for section, columns in (("types", "attributes"), ("relations", "columns")):
        if data[section]:
            yield f"{section}:"
        for table, own in data[section].items():
            yield f"  {_key(table)}:"
            yield from (f"    {key}: {_text(value)}" for key, value in own.items() if key != columns)
            yield f"    {columns}:"
            for column, kinds in own[columns].items():
                yield f"      {_key(column)}:"
                for kind, entries in kinds.items():
                    if kind == "values":
                        yield f"        {kind}: {_text(entries)}"
                        continue
                    yield f"        {kind}:"
                    yield from (f"          - {_text(entry)}" for entry in entries)


def _key(name: str) -> str:
    """Write a key, in quotation marks where YAML would not take it for a text: `on`."""
    return name if yaml.load(name, yaml.CSafeLoader) == name else _text(name)


def _text(value: object) -> str:
    """Write a text, or a list of them, as YAML: what JSON writes is."""
    return json.dumps(value, ensure_ascii=False)
