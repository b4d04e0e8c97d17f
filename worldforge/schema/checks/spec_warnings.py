"""Warn of labels that break sentences, and of years and days far beyond the world's today.

A type's label is a singular noun phrase (`football club`): pages say `Velmar is a football club`. A column's is a noun
phrase (`founding year`): questions say `whose founding year is later than 1990`. Chinese labels go into any sentence.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from pathlib import Path

from worldforge.core.english import is_participle, is_plural, plural, with_article
from worldforge.schema.column_paths import all_drawn, built_in_columns, declared_at
from worldforge.schema.document import Document, KeyPath
from worldforge.schema.expression_sql import constant_parameters
from worldforge.schema.problems import Problem
from worldforge.schema.spec import WorldSpec
from worldforge.schema.table_columns import ColumnInfo, columns_of
from worldforge.schema.translations import label_of

_HAN = re.compile(r"[\u3400-\u9fff]")
_DETERMINERS = frozenset(
    ("a", "an", "the", "this", "that", "these", "those", "every", "each", "some", "any", "its", "their", "his", "her")
)
_PREPOSITIONS = frozenset((
    "in", "of", "at", "on", "from", "with", "since", "by", "for", "to", "until", "after", "before", "under", "over",
    "as", "without", "within", "between", "among", "during", "per",
))  # fmt: skip
_VERBS = frozenset((
    "is", "are", "was", "were", "has", "have", "had", "does", "do", "did", "can", "will", "would", "may", "must",
))  # fmt: skip
_DANGLING = _PREPOSITIONS | {"and", "or", "a", "an", "the", "than", "who", "which"}
_UNCOUNTED = frozenset((
    "staff", "personnel", "equipment", "furniture", "information", "software", "hardware", "news", "money", "traffic",
    "luggage", "baggage", "advice", "machinery", "wildlife", "livestock", "clothing", "jewellery", "poetry", "music",
))  # fmt: skip
_ADVERBS = ("first", "last", "once", "newly", "originally", "formerly")
_TYPE_HINT = "call one of them by a singular noun, as it stands after `a`: `football club`, `member of staff`"
_COLUMN_HINT = "call it by a noun, as it stands after `the`: `founding year`, `number of seats`"
_YES_HINT = "call it by a noun, or by what is true of them: `seat won`, `open in winter`"


def spec_warnings(document: Document, spec: WorldSpec, code_from: Path | None) -> Iterator[Problem]:
    """Warn of every label that makes a broken sentence, and of bounds far beyond the world's today, at their places."""
    for name, kind in spec.types.items():
        yield from _warn_of_type(document, spec, name, kind.plural)
    for table in (*spec.types, *spec.relations):
        for column in columns_of(spec, table, code_from).values():
            is_number = column.kind in ("integer", "number") and column.name not in built_in_columns(spec, table)
            if column.name not in ("name", "source", "target") and (table in spec.types or is_number):
                yield from _warn_of_column(document, spec, declared_at(spec, table, column.name), column)
    for path, source in all_drawn(spec):
        if source.generator in ("values.year", "values.date"):
            constants = constant_parameters(spec, str(path[1]), source.params)
            is_past = is_past_event(str(path[3]), source.label)
            found = (_warn_of_bound(document, spec, (*path, "params"), constants, side, is_past) for side in _SIDES)
            yield from [warning for warning in found if warning is not None][:1]


def _warn_of_type(document: Document, spec: WorldSpec, name: str, several: str) -> Iterator[Problem]:
    path: KeyPath = ("types", name)
    label, place = _in_english(spec, label_of(spec, name), (*path, "label"))
    fault = _fault(label)
    if not fault and is_plural(label):
        fault = "is a plural"
    elif not fault and label.rpartition(" ")[2].lower() in _UNCOUNTED:
        fault = "names no single thing"
    if fault:
        message = f"`{label}` {fault}: pages would say “Velmar is {with_article(label)}”"
        yield _warning(document, place, message, _TYPE_HINT)
    elif label and several == label != plural(label):
        message = f"`{several}` is no plural: questions would say “list all {several}”"
        yield _warning(document, (*path, "plural"), message, f"write `{plural(label)}`, or leave `plural` out")


def _warn_of_column(document: Document, spec: WorldSpec, path: KeyPath, column: ColumnInfo) -> Iterator[Problem]:
    label, place = _in_english(spec, column.label, (*path, "label"))
    words, first = label.lower().split(), label.partition(" ")[0].lower()
    if column.kind == "boolean":
        fault, hint = _ending(label) or (f"begins with `{first}`" if first in _VERBS | _DETERMINERS else ""), _YES_HINT
        sentence = f"whose entry for {label} is yes"
    else:
        fault, hint = _fault(label), _COLUMN_HINT
        alone = len(words) == 1 or (len(words) == 2 and words[0] in _ADVERBS)
        if not fault and alone and is_participle(words[-1]):
            fault = "says what was done, and is no noun"
        sentence = f"whose {label} is later than 1990"
        if column.kind in ("integer", "number"):
            sentence = f"and {label} of more than 40" if path[0] == "relations" else f"with a {label} of more than 40"
    if fault:
        yield _warning(document, place, f"`{label}` {fault}: questions would say “{sentence}”", hint)


def _fault(label: str) -> str:
    """Say why a label is no noun phrase; nothing where that cannot be told."""
    first, last = label.partition(" ")[0].lower(), label.rpartition(" ")[2].lower()
    if first in _DETERMINERS:
        return f"begins with `{first}`"
    if first in _PREPOSITIONS or first in _VERBS:
        return f"begins with `{first}`, which is no noun"
    return _ending(label) or (f"ends with `{last}`" if last in _DANGLING else "")


def _ending(label: str) -> str:
    return f"ends with `{label[-1]}`" if label.endswith(tuple(".?!:;,")) else ""


def _in_english(spec: WorldSpec, label: str, path: KeyPath) -> tuple[str, KeyPath]:
    """Return a label and where it stands, or where it is Chinese, its English translation, empty without one."""
    if not _HAN.search(label):
        return label, path
    return spec.translations.get("en", {}).get(label, ""), ("translations", "en", label)


def _warning(document: Document, path: KeyPath, message: str, hint: str) -> Problem:
    """Return a problem at a label; where it is not written, at the key that it is made of."""
    if document.get(path) is None:
        return document.problem(path[:-1], message, hint, key=True)
    return document.problem(path, message, hint)


_PAST = re.compile(
    r"birth|born|death|died|found|establish|opened|opening|built|construct|complet|launch|releas|publi|charter"
    r"|accession|join|discover|成立|出生|诞生|逝世|去世|创立|创办|建立|建成|落成|开业|发行|出版|发布"
)
_SIDES = ("low", "high")
FAR_YEARS = 100
"""Years beyond today that hardly anyone means."""


def is_past_event(column: str, label: str) -> bool:
    """Say whether a column holds when something happened, by its name or label: `born`, `founding year`."""
    return _PAST.search(f"{column} {label}".lower()) is not None


def _warn_of_bound(
    document: Document, spec: WorldSpec, path: KeyPath, constants: dict[str, object], side: str, is_past: bool
) -> Problem | None:
    """Warn of a year or day that lies far beyond the world's today, or after it where it is of the past."""
    value, today = constants.get(side), spec.as_of
    written = str(value.date() if isinstance(value, datetime.datetime) else value)
    year = re.match(r"\d{1,4}", written)
    if year is None or isinstance(value, bool):
        return None
    if int(year[0]) - int(today[:4]) > FAR_YEARS:
        message = f"`{side}` is {value}, and the world's today is {today}"
        hint = f"values are drawn up to it: write a nearer one, such as {today[:4]}, or set `as_of`"
        return document.problem((*path, side), message, hint)
    if is_past and (int(year[0]), written[4:]) > (int(today[:4]), today[4 : len(written)]):
        message = f"`{side}` is {value}, after the world's today, {today}, of what has happened by its label"
        hint = f"let it be {today[: len(written)]} at most, or set `as_of` to a later day"
        return document.problem((*path, side), message, hint)
    return None
