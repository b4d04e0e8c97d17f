"""Check names, references and phrasings."""

from __future__ import annotations

import datetime
import string
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from worldforge.core.suggestions import did_you_mean
from worldforge.schema.checks.partial_spec import PartialSpec, Rejection
from worldforge.schema.column_paths import built_in_columns, drawn_columns
from worldforge.schema.spec import Attribute, Phrasing
from worldforge.schema.yaml_tree import Path

RESERVED = ("id", "name", "aliases", "source", "target")
_SLOTS = ("subject", "value", "unit")


def check_structure(draft: PartialSpec) -> Iterator[Rejection]:
    """Check names against one another, references against types, and how columns are spoken of."""
    yield from _check_day(draft)
    for name, entity_type in draft.spec.types.items():
        path: Path = ("types", name)
        yield from _check_lines(draft, path, {"label": entity_type.label, "plural": entity_type.plural})
        yield from _check_columns(draft, (*path, "attributes"), entity_type.attributes)
        yield from _check_reserved(draft, (*path, "derived"), entity_type.derived)
        for column in entity_type.derived:
            if column in entity_type.attributes:
                where = (*path, "derived", column)
                yield Rejection(draft.at_key(where, f"`{name}` has an attribute `{column}` already"), where)
        yield from _check_labels(draft, path, {"attributes": entity_type.attributes, "derived": entity_type.derived})
    for name, relation in draft.spec.relations.items():
        path = ("relations", name)
        if name in draft.spec.types:
            yield Rejection(draft.at_key(path, f"a type is called `{name}` already"), path)
        yield from _check_lines(draft, path, {"title": relation.title})
        for side in ("source", "target"):
            yield from _check_type(draft, (*path, side), getattr(relation, side), path)
        yield from _check_columns(draft, (*path, "columns"), relation.columns)
        yield from _check_built_in(draft, name, relation.columns)
        if relation.pairs is not None and relation.pairs.within is not None and relation.source in draft.spec.types:
            place = (*path, "pairs", "within")
            yield from draft.check_references(place, relation.source, relation.pairs.within, path)
        yield from _check_labels(draft, path, {"columns": relation.columns})
    for name, site in draft.spec.sites.items():
        yield from _check_lines(draft, ("sites", name), {"title": site.title})
    yield from _check_constraints(draft)


def _check_day(draft: PartialSpec) -> Iterator[Rejection]:
    try:
        datetime.date.fromisoformat(draft.spec.as_of)
    except ValueError:
        yield Rejection(draft.at_value(("as_of",), f"`{draft.spec.as_of}` is no day of the calendar"))


def _check_columns(draft: PartialSpec, path: Path, columns: Mapping[str, Attribute]) -> Iterator[Rejection]:
    yield from _check_reserved(draft, path, columns)
    for name, attribute in columns.items():
        if attribute.references is not None:
            yield from _check_type(draft, (*path, name, "references"), attribute.references, (*path, name))


def _check_reserved(draft: PartialSpec, path: Path, columns: Mapping[str, Phrasing]) -> Iterator[Rejection]:
    for name in columns:
        if name in RESERVED:
            hint = f"reserved are {', '.join(f'`{word}`' for word in RESERVED)}"
            yield Rejection(draft.at_key((*path, name), f"`{name}` is a reserved name", hint), (*path, name))


def _check_built_in(draft: PartialSpec, relation: str, columns: Mapping[str, Phrasing]) -> Iterator[Rejection]:
    built_in = built_in_columns(draft.spec, relation)
    for name in columns:
        if name in built_in:
            path: Path = ("relations", relation, "columns", name)
            hint = f"built in are {', '.join(f'`{word}`' for word in built_in)}: name yours otherwise"
            yield Rejection(draft.at_key(path, f"`{relation}` has a column `{name}` without asking", hint), path)


def _check_type(draft: PartialSpec, path: Path, type_name: str, exclude: Path) -> Iterator[Rejection]:
    excluded = draft.may_have_table(type_name)
    return draft.check_known(path, type_name, draft.spec.types, "type", excluded=excluded, exclude=exclude)


def _check_labels(draft: PartialSpec, path: Path, parts: Mapping[str, Mapping[str, Phrasing]]) -> Iterator[Rejection]:
    """Check that the columns of one table are called differently, and that their sentences have the right slots."""
    built_in = built_in_columns(draft.spec, str(path[1]))
    places = {name: (*path, part, name) for part, columns in parts.items() for name in columns}
    columns = {name: phrasing for listed in parts.values() for name, phrasing in listed.items()}
    for name, label, first in repeated_labels(columns, built_in):
        message = f"the label `{label}` is that of `{first}` already"
        yield Rejection(draft.at_value((*places[name], "label"), message, "readers must be able to tell them apart"))
    for name, phrasing in columns.items():
        yield from _check_wording(draft, places[name], phrasing)


def repeated_labels(columns: Mapping[str, Phrasing], built_in: Sequence[str] = ()) -> Iterator[tuple[str, str, str]]:
    """Yield each column whose label an earlier column of its table has: its name, the label, the earlier column."""
    taken = {name: name for name in built_in}
    for name, phrasing in columns.items():
        label = phrasing.label or name.replace("_", " ")
        if label.lower() in taken and name not in taken.values():
            yield name, label, taken[label.lower()]
        taken.setdefault(label.lower(), name)


def _check_wording(draft: PartialSpec, path: Path, phrasing: Phrasing) -> Iterator[Rejection]:
    yield from _check_lines(draft, path, {"label": phrasing.label, "unit": phrasing.unit})
    for number, sentence in enumerate(phrasing.sentences):
        fault = sentence_fault(sentence)
        if fault:
            hint = "the slots are `{subject}`, `{value}` and `{unit}`; a brace itself is written twice"
            yield Rejection(draft.at_value((*path, "sentences", number), fault, hint))


def _check_lines(draft: PartialSpec, path: Path, texts: Mapping[str, str]) -> Iterator[Rejection]:
    """Check texts that stand in the lines and tables of a page, and in wordings that have slots of their own."""
    for key, text in texts.items():
        if "{" in text or "}" in text:
            message = f"`{key}` holds a brace: it has no slots"
            hint = "a column's `sentences` have the slots `{subject}` and `{value}`; write plain words here"
            yield Rejection(draft.at_value((*path, key), message, hint))
        if any(character in text for character in "|\n\r"):
            message = f"`{key}` stands in lines and tables: no `|` and no line breaks"
            yield Rejection(draft.at_value((*path, key), message))


def sentence_fault(sentence: str) -> str:
    """Return what is wrong with a sentence that states a column; empty if nothing is."""
    try:
        fields = list(string.Formatter().parse(sentence))
    except ValueError:
        return "the sentence has a brace without its partner"
    slots = Counter(name for _, name, _, _ in fields if name is not None)
    for slot in slots:
        if slot not in _SLOTS:
            return f"the sentence has an unknown slot `{{{slot}}}`"
    if any(form or conversion for _, _, form, conversion in fields):
        return "a slot of a sentence takes no format"
    if slots["value"] != 1:
        return "the sentence must have the slot `{value}` once"
    return ""


def _check_constraints(draft: PartialSpec) -> Iterator[Rejection]:
    for number, constraint in enumerate(draft.spec.constraints):
        path: Path = ("constraints", number)
        if draft.is_excluded(path):
            continue
        tables = [*draft.spec.types, *draft.spec.relations]
        if constraint.on not in tables:
            excluded, place = draft.may_have_table(constraint.on), (*path, "on")
            yield from draft.check_known(
                place, constraint.on, tables, "type or relation", excluded=excluded, exclude=path
            )
        elif constraint.redraw is not None:
            yield from _check_redraw(draft, path, constraint.on, constraint.redraw)


def _check_redraw(draft: PartialSpec, path: Path, table: str, column: str) -> Iterator[Rejection]:
    drawn = drawn_columns(draft.spec, table)
    if column in drawn:
        return
    if draft.may_have_column(table, column):
        yield Rejection(None, path)
        return
    hint = did_you_mean(column, drawn)
    message = f"`{table}` draws no column `{column}`: it cannot be drawn again"
    yield Rejection(draft.at_value((*path, "redraw"), message, hint), path)
