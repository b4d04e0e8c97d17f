"""Warn of labels that break sentences, and of years and days far beyond the world's today.

A type's label is a singular noun phrase (`football club`): pages say `Velmar is a football club`. A column's is a noun
phrase (`founding year`): questions say `whose founding year is later than 1990`. Chinese labels go into any sentence.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from pathlib import Path as Folder

from worldforge.core.english import be, is_participle, is_plural, plural, with_article
from worldforge.schema.column_paths import all_drawn, built_in_columns
from worldforge.schema.expression_sql import constant_parameters
from worldforge.schema.problems import Problem
from worldforge.schema.spec import WorldSpec
from worldforge.schema.table_columns import ColumnInfo, columns_of
from worldforge.schema.translations import label_of
from worldforge.schema.yaml_tree import Path, TreeNode

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


def label_warnings(tree: TreeNode, spec: WorldSpec, code_from: Folder | None) -> Iterator[Problem]:
    """Warn of every label that makes a broken sentence, at its place."""
    for name, kind in spec.types.items():
        yield from _of_type(tree, spec, name, kind.plural)
        for column in columns_of(spec, name, code_from).values():
            part = "derived" if column.derived else "attributes"
            yield from _of_column(tree, spec, ("types", name, part, column.name), column)
    for name in spec.relations:
        built_in = built_in_columns(spec, name)
        for column in columns_of(spec, name, code_from).values():
            if column.kind in ("integer", "number") and column.name not in built_in:
                yield from _of_column(tree, spec, ("relations", name, "columns", column.name), column)


def _of_type(tree: TreeNode, spec: WorldSpec, name: str, several: str) -> Iterator[Problem]:
    path: Path = ("types", name)
    for label, place in _in_english(spec, label_of(spec, name), (*path, "label")):
        fault = _fault(label)
        if not fault and is_plural(label):
            fault = "is a plural"
        elif not fault and label.rpartition(" ")[2].lower() in _UNCOUNTED:
            fault = "names no single thing"
        if fault:
            message = f"`{label}` {fault}: pages would say “Velmar is {with_article(label)}”"
            yield _problem(tree, place, message, _TYPE_HINT)
        elif several == label != plural(label):
            message = f"`{several}` is no plural: questions would say “list all {several}”"
            yield _problem(tree, (*path, "plural"), message, f"write `{plural(label)}`, or leave `plural` out")


def _of_column(tree: TreeNode, spec: WorldSpec, path: Path, column: ColumnInfo) -> Iterator[Problem]:
    if column.name in ("name", "source", "target"):
        return
    for label, place in _in_english(spec, column.label, (*path, "label")):
        if column.kind == "boolean":
            fault, hint = _fault_of_yes(label), _YES_HINT
        else:
            fault, hint = _fault(label) or _fault_of_noun(label), _COLUMN_HINT
        if fault:
            message = f"`{label}` {fault}: questions would say “{_sentence(path, column, label)}”"
            yield _problem(tree, place, message, hint)


def _sentence(path: Path, column: ColumnInfo, label: str) -> str:
    """Write what questions say of a column."""
    if path[0] == "relations":
        return f"and {label} of more than 40"
    match column.kind:
        case "boolean":
            return f"whose entry for {label} is yes"
        case "year" | "date":
            return f"whose {label} {be(label)} {'later than 1990' if column.kind == 'year' else 'after 3 May 1990'}"
        case "integer" | "number":
            return f"with {with_article(label)} of more than 40"
    return f"whose {label} {be(label)} …"


def _fault(label: str) -> str:
    """Say why a label is no noun phrase; nothing where that cannot be told."""
    first, last = label.partition(" ")[0].lower(), label.rpartition(" ")[2].lower()
    if label[-1:] in tuple(".?!:;,"):
        return f"ends with `{label[-1]}`"
    if first in _DETERMINERS:
        return f"begins with `{first}`"
    if first in _PREPOSITIONS or first in _VERBS:
        return f"begins with `{first}`, which is no noun"
    return f"ends with `{last}`" if last in _DANGLING else ""


def _fault_of_noun(label: str) -> str:
    words = label.lower().split()
    alone = len(words) == 1 or (len(words) == 2 and words[0] in _ADVERBS)
    return "says what was done, and is no noun" if alone and words and is_participle(words[-1]) else ""


def _fault_of_yes(label: str) -> str:
    first = label.partition(" ")[0].lower()
    if label[-1:] in tuple(".?!:;,"):
        return f"ends with `{label[-1]}`"
    return f"begins with `{first}`" if first in _VERBS | _DETERMINERS else ""


def _in_english(spec: WorldSpec, label: str, path: Path) -> Iterator[tuple[str, Path]]:
    """Give a label and where it stands, or where it is Chinese, its English translation."""
    english = spec.translations.get("en", {})
    if not _HAN.search(label):
        yield label, path
    elif label in english:
        yield english[label], ("translations", "en", label)


def _problem(tree: TreeNode, path: Path, message: str, hint: str) -> Problem:
    """Return a problem at a label; where it is not written, at the key that it is made of."""
    written = tree.at(path) is not None
    place = tree.value_place(path) if written else tree.key_place(path[:-1])
    return place.problem(path if written else path[:-1], message, hint)


_PAST = re.compile(
    r"birth|born|death|died|found|establish|opened|opening|built|construct|complet|launch|releas|publi|charter"
    r"|accession|join|discover|成立|出生|诞生|逝世|去世|创立|创办|建立|建成|落成|开业|发行|出版|发布"
)
FAR_YEARS = 100
"""Years beyond today that hardly anyone means."""


def is_past_event(column: str, label: str) -> bool:
    """Say whether a column holds when something happened, by its name or label: `born`, `founding year`."""
    return _PAST.search(f"{column} {label}".lower()) is not None


def day_warnings(tree: TreeNode, spec: WorldSpec) -> Iterator[Problem]:
    """Warn of constant bounds of years and days that lie far beyond the world's today, or in no past."""
    for path, source in all_drawn(spec):
        if source.generator in ("values.year", "values.date"):
            constants = constant_parameters(spec, str(path[1]), source.params)
            past = is_past_event(str(path[3]), source.label)
            yield from _of_bounds(tree, spec, path, constants, past=past)


def _of_bounds(
    tree: TreeNode, spec: WorldSpec, path: Path, constants: dict[str, object], *, past: bool
) -> Iterator[Problem]:
    for side in ("low", "high"):
        value = constants.get(side)
        year = _year(value)
        place = tree.value_place((*path, "params", side))
        if year is not None and abs(year - int(spec.as_of[:4])) > FAR_YEARS and year > int(spec.as_of[:4]):
            message = f"`{side}` is {value}, and the world's today is {spec.as_of}"
            hint = f"values are drawn up to it: write a nearer one, such as {spec.as_of[:4]}, or set `as_of`"
            yield place.problem((*path, "params", side), message, hint)
            return
        if past and _is_later(value, spec.as_of):
            message = f"`{side}` is {value}, after the world's today, {spec.as_of}, of what has happened by its label"
            hint = f"let it be {spec.as_of[: len(str(value))]} at most, or set `as_of` to a later day"
            yield place.problem((*path, "params", side), message, hint)
            return


def _year(value: object) -> int | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return int(value)
    found = re.match(r"(\d{1,4})-", str(value)) if isinstance(value, str | datetime.date) else None
    return int(found[1]) if found else None


def _is_later(value: object, as_of: str) -> bool:
    """Say whether a year, or a day as it is written, comes after today."""
    if isinstance(value, str | datetime.date):
        return str(value)[: len(as_of)] > as_of
    year = _year(value)
    return year is not None and year > int(as_of[:4])
