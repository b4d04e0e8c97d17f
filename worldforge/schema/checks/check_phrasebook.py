"""Check that a phrasebook fits its spec: types, columns and slots that there are, conditions that can be computed."""

from __future__ import annotations

from collections.abc import Iterator, Set
from pathlib import Path
from typing import Any

from worldforge.core.suggestions import did_you_mean
from worldforge.schema.column_paths import names_of
from worldforge.schema.expression_grammar import ExpressionError
from worldforge.schema.expressions import compile_expression
from worldforge.schema.phrasebook import (
    REFERENCES,
    SLOT,
    AttributePhrases,
    Book,
    DocumentPart,
    RelationPhrases,
    Sentences,
    TypePhrases,
    expanded,
)
from worldforge.schema.problems import Problem
from worldforge.schema.spec import WorldSpec


def check_book(spec: WorldSpec, book: Book, path: Path) -> list[Problem]:
    """Return what in a book does not fit the spec: unknown types and columns, slots that nothing fills."""
    return [
        Problem(file=str(path), line=1, column=1, path=where, message=message, hint=hint)
        for where, message, hint in _faults(spec, book)
    ]


_Fault = tuple[str, str, str]
_DIFFERENCES = {"years", "n"}
"""Slots of comparisons, which may stand in words as computed numbers do."""


def _faults(spec: WorldSpec, book: Book) -> Iterator[_Fault]:
    yield from _unknown(("types",), book.types, spec.types)
    yield from _unknown(("relations",), book.relations, spec.relations)
    yield from _text_faults(("reasons",), book.reasons, set())
    for name, phrases in book.types.items():
        if name in spec.types:
            yield from _type_faults(spec, name, phrases)
    for name, rows in book.relations.items():
        if name in spec.relations:
            yield from _relation_faults(spec, name, rows)
    for name, form in book.documents.items():
        where: tuple[object, ...] = ("documents", name)
        if form.about not in spec.types:
            yield _fault((*where, "about"), f"`{form.about}` is no type", did_you_mean(form.about, spec.types))
            continue
        yield from _text_faults((*where, "titles"), form.titles, {"name"})
        for number, part in enumerate(form.parts):
            yield from _part_faults(spec, (*where, "parts", number), form.about, part)


def _part_faults(spec: WorldSpec, where: tuple[object, ...], about: str, part: DocumentPart) -> Iterator[_Fault]:
    if part.facts != "rest":
        yield from _unknown((*where, "facts"), part.facts, names_of(spec, about))
    if part.rows is not None and not any(
        name == part.rows and about in (relation.source, relation.target) for name, relation in spec.relations.items()
    ):
        yield _fault((*where, "rows"), f"`{part.rows}` is no relation of `{about}`", "")
    for key in ("heading", "text"):
        yield from _text_faults((*where, key), getattr(part, key), set(REFERENCES))


def _type_faults(spec: WorldSpec, name: str, phrases: TypePhrases) -> Iterator[_Fault]:
    where = ("types", name)
    columns = set(names_of(spec, name)) - {"name"}
    yield from _unknown((*where, "attributes"), phrases.attributes, columns)
    plain = set(REFERENCES)
    yield from _text_faults((*where, "leads"), phrases.leads, plain | columns)
    for key in ("nouns", "quotes", "chatter", "fillers"):
        yield from _text_faults((*where, key), getattr(phrases, key), plain)
    yield from _text_faults((*where, "reasons"), phrases.reasons, set())
    placed: set[str] = set()
    for number, theme in enumerate(phrases.themes):
        yield from _unknown((*where, "themes", number, "facts"), theme.facts, columns)
        for key in placed & set(theme.facts):
            yield _fault((*where, "themes", number), f"`{key}` stands in two themes", "leave it in one")
        placed |= set(theme.facts)
        for key in ("titles", "openings"):
            yield from _text_faults((*where, "themes", number, key), getattr(theme, key), plain)
    for key, attribute in phrases.attributes.items():
        yield from _attribute_faults((*where, "attributes", key), attribute, plain)
    yield from _entry_faults(spec, name, (*where, "stories"), phrases.stories, plain | columns)


def _relation_faults(spec: WorldSpec, name: str, phrases: RelationPhrases) -> Iterator[_Fault]:
    where = ("relations", name)
    columns = set(names_of(spec, name))
    yield from _unknown((*where, "columns"), phrases.columns, columns)
    for key, attribute in phrases.columns.items():
        yield from _attribute_faults((*where, "columns", key), attribute, set())
    for end, other in (("source", "target"), ("target", "source")):
        texts = getattr(phrases, f"which_{end}")
        yield from _text_faults((*where, f"which_{end}"), texts, {other}, needed={other})
    yield from _entry_faults(spec, name, (*where, "source"), phrases.source, set(REFERENCES) | columns - {"source"})
    yield from _entry_faults(spec, name, (*where, "target"), phrases.target, set(REFERENCES) | columns - {"target"})
    for key in ("together", "stories"):
        yield from _entry_faults(spec, name, (*where, key), getattr(phrases, key), columns)
    for key in ("before", "during", "after"):
        yield from _entry_faults(spec, name, (*where, "report", key), getattr(phrases.report, key), columns)
    yield from _entry_faults(
        spec, name, (*where, "report", "headlines"), phrases.report.headlines, {"source", "target"}
    )
    yield from _entry_faults(spec, name, (*where, "report", "quotes"), phrases.report.quotes, set())
    yield from _unknown((*where, "report", "without"), phrases.report.without, columns)


def _attribute_faults(where: tuple[object, ...], phrases: AttributePhrases, slots: set[str]) -> Iterator[_Fault]:
    one_of = {"value", "worded"} if phrases.values else {"value"}
    for key in ("says", "asides", "sentences", "talk"):
        yield from _text_faults((*where, key), getattr(phrases, key), slots | one_of, needed=one_of)
    yield from _text_faults((*where, "asks"), phrases.asks, slots)
    yield from _text_faults((*where, "same"), phrases.same, {"other"}, needed={"other"})
    for key in ("later", "earlier"):
        yield from _text_faults((*where, key), getattr(phrases, key), {"other", "years", "time"}, needed={"other"})
    for key in ("more", "less"):
        yield from _text_faults((*where, key), getattr(phrases, key), {"other", "n"}, needed={"other"})
    for key in ("over", "under"):
        yield from _text_faults((*where, key), getattr(phrases, key), {"value"}, needed={"value"})
    if isinstance(phrases.which, dict):
        for value, texts in phrases.which.items():
            yield from _text_faults((*where, "which", value), texts, set())
    else:
        yield from _text_faults((*where, "which"), phrases.which, {"value"}, needed={"value"})
    yield from _text_faults((*where, "which_referred"), phrases.which_referred, {"some"}, needed={"some"})
    for key in ("labels", "most", "least"):
        yield from _text_faults((*where, key), getattr(phrases, key), set())
    meaning: dict[str, str] = {}
    for value, texts in phrases.values.items():
        yield from _text_faults((*where, "values", value), texts, set())
        for text in (one for entry in texts for one in expanded(entry)):
            if meaning.setdefault(text, value) != value:
                yield _fault((*where, "values", value), f"`{text}` stands for `{meaning[text]}` as well", "say which")


def _entry_faults(
    spec: WorldSpec, table: str, where: tuple[object, ...], entries: Sentences, slots: set[str]
) -> Iterator[_Fault]:
    for number, entry in enumerate(entries):
        if isinstance(entry, str):
            yield from _text_faults((*where, number), [entry], slots)
            continue
        for key, expression in ({"when": entry.when} if entry.when else {} | entry.let).items():
            try:
                compile_expression(expression, table, spec)
            except ExpressionError as error:
                yield _fault((*where, number, key), f"`{expression}`: {error}", "")
        yield from _text_faults((*where, number, "say"), entry.say, slots | set(entry.let), computed=set(entry.let))


def _text_faults(
    where: tuple[object, ...],
    texts: list[str],
    slots: set[str],
    needed: set[str] | None = None,
    computed: Set[str] = frozenset(),
) -> Iterator[_Fault]:
    """Find faults in a phrasebook's texts: unknown slots, unmatched brackets, a fact stated twice, a missing slot.

    `slots` are those that a text may have. Where `needed` is given, a text has exactly one of these. Words are chosen
    (`{goals?goal|goals}`) by what the text states, or by `computed` numbers.
    """
    for number, text in enumerate(texts):
        for one in expanded(text):
            left = SLOT.sub("", one)
            if any(mark in left for mark in "{}[]|"):
                yield _fault((*where, number), f"`{text}` has a stray brace, bracket or bar", "choices do not nest")
                break
            matches = [*SLOT.finditer(one)]
            found = [match[1] for match in matches if not match[2] and not match[3]]
            named = {match[1] for match in matches}
            if unknown := sorted(named - slots):
                hint = did_you_mean(unknown[0], slots) or f"there is {', '.join(sorted(slots))}"
                yield _fault((*where, number), f"`{text}` has an unknown slot `{unknown[0]}`", hint)
                break
            forms = [(match[1], match[4]) for match in matches if match[4]]
            in_words = {name for name, form in forms if form != "ordinal"} - computed - _DIFFERENCES
            if in_words:
                message = f"`{text}` has `{min(in_words)}` in words: that is for computed numbers"
                yield _fault((*where, number), message, f"write `{{{min(in_words)}}}`")
                break
            chosen_by = named - set(found) - computed - set(REFERENCES)
            if needed is None and chosen_by:
                name = min(chosen_by)
                message = f"`{text}` chooses words by `{name}`, which it does not state"
                yield _fault((*where, number), message, f"write `{{{name}}}` in it, or leave the choice out")
                break
            if needed is not None and sum(name in needed for name in found) != 1:
                slot = "value" if "value" in needed else min(needed)
                yield _fault((*where, number), f"`{text}` must have `{{{slot}}}` once", f"write `{{{slot}}}` in it")
                break
            repeated = [name for name in found if name not in REFERENCES and found.count(name) > 1]
            if repeated:
                yield _fault((*where, number), f"`{text}` has `{repeated[0]}` twice", "state a fact once")
                break


def _unknown(where: tuple[object, ...], keys: Any, known: Any) -> Iterator[_Fault]:
    for key in keys:
        if key not in known:
            hint = did_you_mean(key, known) or f"there is {', '.join(sorted(known))}"
            yield _fault((*where, key), f"`{key}` is unknown here", hint)


def _fault(where: tuple[object, ...], message: str, hint: str) -> _Fault:
    return ".".join(str(step) for step in where), message, hint
