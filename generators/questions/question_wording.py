"""Questions for tasks of every family, in either language: worded from frames and phrases, and read back from them.

    ask(stream, words, question)                              the wording
    read(words, language, family, about, labels, wording)     what it says: every way to read it as terms and shape
    measured("en", table, "mean(capacity, 1)")                Mean capacity
    according_to("en", "The Sarn Herald")                     {} according to The Sarn Herald

A wording that loses a condition, or adds one, reads as something else than was to be asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import product

from generators.questions.answer_columns import (
    ask_for_columns,
    without_columns,
    without_listed_columns,
)
from generators.questions.chinese import ChineseGrammar
from generators.questions.english import EnglishGrammar
from generators.questions.grammar import Grammar, Verbs, agreeing, drawn, filled, in_marks, pattern_of
from generators.questions.term_reader import TermReader
from generators.questions.term_writer import TermWriter
from worldforge.core.chance import Stream
from worldforge.world.computed_cells import measure_of
from worldforge.world.question_labels import ColumnLabels, ParsedQuestion, Question, TableLabels, Vocabulary
from worldforge.world.task_terms import (
    AnyOf,
    Condition,
    DescribedTerm,
    GivenEntities,
    Operator,
    Shape,
    Terms,
    split_terms,
    terms_of_members,
)
from worldforge.world.unit_conversion import is_measure

Frames = str | Mapping[str, Sequence[str]]
"""The openings of a shipped family by its name, or openings by voice."""
_MOST_DRAWS = 64  # phrases that one question may hold
_MANNERS = (*[{}] * 4, {"by_label": True}, *[{"plainest": True}] * 2, *[{"plainest": True, "by_label": True}] * 2)
"""How a question is worded, one attempt after the other, until it can be read in one way alone."""
_BY_LABEL = {"plainest": True, "by_label": True, "links_by_label": True}
_BY_MOST = {"ranking": "ranking_by_most", "top_per_group": "top_per_group_by_most"}
"""The openings of rankings that a phrasebook's superlative can stand in."""
_LISTED = ("relation_rows", "rows_by_time", "joined_lists")
"""Families whose questions list the columns below instead of naming them in a sentence."""
_TIMES, _ROUND = ("year", "date"), "round"
_TERSE = "terse"  # gives no reason
_READ = dict.fromkeys(("by", "conditions", "first", "second", "names", "which_owners"), ".+") | {
    "superlative": ".+?",
    "rows": ".+?",
}
_NO_AMOUNTS = re.compile(r"%|每|\b(?:a|an|per)\b")
"""In units of what does not add up: shares of a whole, things by the head."""


@cache
def grammar_of(language: str) -> Grammar:
    """Return the grammar of a language."""
    return ChineseGrammar.shipped() if language == "zh" else EnglishGrammar.shipped()


def measured(language: str, table: TableLabels, path: str) -> str:
    """Name a column of a grouped answer: `Number of football clubs`, `Mean capacity`, or the groups' own column.

    Empty where it cannot be said well: the lowest highest price.
    """
    grammar, measure = grammar_of(language), measure_of(path)
    if measure is not None and measure.name == "count":
        return grammar.answer.counted.format(plural=table.plural)
    column = table.column(path if measure is None else measure.column)
    label = _capital(column.label) if measure is None else grammar.measured(column, measure)
    has_unit = bool(label and column.unit) and column.sort != "year"
    return label + grammar.answer.unit.format(column.unit) if has_unit else label


def adds_up(language: str, label: str, unit: str) -> bool:
    """Return whether whole numbers may be summed by what they are called: titles, numbers of things, money.

    Metres may not, nor shares of a whole, nor what may be a number that things bear.
    """
    if unit:
        return not is_measure(unit) and not _NO_AMOUNTS.search(unit)
    return grammar_of(language).adds_up(label)


def settled(language: str, rule: str, sites: Sequence[Sequence[str]]) -> str:
    """Write in a language the rule by which conflicts between pages are settled: see `Grammar.settled`."""
    return grammar_of(language).settled(rule, sites)


def by_site(stream: Stream, language: str, addresses: Sequence[tuple[str, str]]) -> str:
    """Write the sentence that says: a column named after a site holds that site's figure.

    `addresses` are title and host of each such site; official sites of entities are not among them.
    """
    grammar = grammar_of(language)
    named = grammar.answer.between_sites.join(f"{title}{grammar.answer.site_gap}{host}" for title, host in addresses)
    return str(drawn(grammar.answer.by_site, iter(stream.first_bits(1).tolist()))).format(sites=named)


def according_to(language: str, title: str) -> str:
    """Return a format string for labels of figures by site: `{} according to The Sarn Herald`.

    An empty title stands for the official site of the entity.
    """
    return grammar_of(language).according_to(title)


def ask(stream: Stream, words: Vocabulary, question: Question) -> str:
    """Word a question. `stream` is the task's own, `words` are in the question's language.

    A wording by a phrasebook that could be read in another way is drawn again, and at last given up for labels.
    """
    if not any(column.phrases for table in words.values() for column in table.columns):
        return _asked(stream, words, question, _BY_LABEL)
    for attempt, manner in enumerate(_MANNERS):
        wording = _asked(stream.child(attempt), words, question, manner)
        found = read(words, question.language, question.frames, question.about, question.labels, wording)
        if len(found) == 1 and found[0].says(question.terms, question.shape):
            return wording
    return _asked(stream, words, question, _BY_LABEL)


def _asked(stream: Stream, words: Vocabulary, question: Question, manner: Mapping[str, bool]) -> str:
    grammar, table, shape = grammar_of(question.language), words[question.about], question.shape
    draws = iter(stream.first_bits(_MOST_DRAWS).tolist())
    ranked, by_most = _ranked(grammar, table, shape), _by_most(question.frames)
    most = _most(grammar, table, shape, draws) if by_most and not manner.get("by_label") else ""
    frames = by_most if most else question.frames
    voice, openings = drawn(list(grammar.openings(frames).items()), draws)
    opening, reason, how = drawn(openings, draws), drawn(_reasons(grammar, table), draws), next(draws)
    slots = {"label": table.called, "plural": table.several, **ranked, "superlative": most}
    slots |= grammar.inflected_type(table.called, table.the)
    slots |= _group_slots(grammar, table, shape, question.labels)
    slots |= _owner_slots(grammar, words, table, shape)
    slots["rows"], slots["when"] = _rows_called(table, shape), _when(grammar, words, shape)
    writer = TermWriter(grammar, words, **manner)
    text = _capital(opening.format(**{**slots, **_worded(writer, question, opening, draws)}))
    if not shape.group:
        listed = bool(shape.rows or shape.owners)
        text += ask_for_columns(grammar, table, question.labels, opening, how, listed=listed)
    if voice != _TERSE:
        text = f"{reason}{grammar.gap}{text}"
    return f"{text}\n\n{_form(grammar, table, question, ranked, draws)}"


def _by_most(frames: Frames) -> str:
    """Return the openings for a phrasebook's superlative in the place of others; empty where there are none."""
    return _BY_MOST.get(frames, "") if isinstance(frames, str) else ""


def _reasons(grammar: Grammar, table: TableLabels) -> Sequence[str]:
    """Return the sentences that can open a question about a table by saying why it is asked."""
    return table.reasons or grammar.reasons


def _form(
    grammar: Grammar, table: TableLabels, question: Question, ranked: Mapping[str, str], draws: Iterator[int]
) -> str:
    """Write the form that the answer is to have."""
    answer, shape = grammar.answer, question.shape
    slots = {
        "label": table.label,
        "plural": table.plural,
        "labels": answer.listed.join(question.labels),
        "order": answer.in_order.format(**ranked) if shape.is_ordered else answer.in_any_order,
        "cells": grammar.gap.join([*_cell_forms(grammar, question), drawn(answer.unknown, draws)]),
        **grammar.inflected_type(table.label, table.the),
    }
    slots |= _group_slots(grammar, table, shape, question.labels)
    if shape.group and grammar.gap == "":
        slots["order"] = ""
    if shape.within and shape.limit:
        slots["order"] = grammar.gap.join([answer.fewer_in_group.format(**slots, **ranked), answer.in_any_order])
    slots["rows"] = _rows_called(table, shape)
    forms = answer.group_form if shape.group else answer.row_form if shape.rows else answer.form
    return drawn(forms, draws).format(**slots)


def _rows_called(table: TableLabels, shape: Shape) -> str:
    """Return what the rows of a relation are called, where a shape asks for these."""
    called = (link.rows for link in table.links if (link.table, link.column) == (shape.rows, shape.end))
    return next(called, "")


def _when(grammar: Grammar, words: Vocabulary, shape: Shape) -> str:
    """Write when the rows of a relation were, where a shape says so."""
    if not shape.where:
        return ""
    (between,) = shape.where
    assert isinstance(between, Condition)
    column = words[shape.rows].column(between.path)
    low, high = (grammar.with_unit(text, column) for text in (between.written, between.upper_written))
    return filled(grammar.terms.during[column.sort], {"value": low, "upper": high})


def _cell_forms(grammar: Grammar, question: Question) -> Iterator[str]:
    """Yield how numbers, dates and addresses are to be written, as far as columns hold any."""
    if {"integer", "number"} & {*question.kinds} or any(question.places):
        yield _rounding(grammar, question)
    if "date" in question.kinds:
        yield grammar.answer.dates
    if "address" in question.kinds:
        yield grammar.answer.addresses


def _most(grammar: Grammar, table: TableLabels, shape: Shape, draws: Iterator[int]) -> str:
    """Draw a phrasebook's superlative for a ranking; empty where there is none, or one row alone is wanted."""
    phrases = table.column(shape.order).phrases if shape.limit > 1 else None
    superlatives = (phrases.most if shape.highest else phrases.least) if phrases is not None else ()
    fit = [one for one in superlatives if grammar.stands_before(one)]
    return drawn(fit, draws) if fit else ""


def _rounding(grammar: Grammar, question: Question) -> str:
    """Write which columns of an answer are rounded, and to how many decimals; or that no number is."""
    rounded = [(label, n) for label, n in zip(question.labels, question.places, strict=False) if n]
    return grammar.rounded(rounded) if rounded else grammar.answer.exact


def _group_slots(grammar: Grammar, table: TableLabels, shape: Shape, labels: Sequence[str]) -> dict[str, str]:
    """Return the slots of groups: the column that they are made by, one of them, what is computed of each."""
    if not (path := shape.group or shape.within):
        return {}
    group = table.column(path).label
    measures = grammar.enumerated(labels[1:]) if shape.group else ""
    return {"group": group, "one": grammar.one_group(group), "measures": measures}


def _owner_slots(grammar: Grammar, words: Vocabulary, table: TableLabels, shape: Shape) -> dict[str, str]:
    """Return the slots of two joined lists: what those are called whose members are asked for."""
    if not shape.owners:
        return {}
    own = words[table.column(shape.owners).refers]
    measure = grammar.inflected_type(own.called, own.the).get("measure", "")
    return {"owner": own.called, "owners": own.several, "owner_measure": measure}


def _may_group(column: ColumnLabels) -> bool:
    return column.sort in ("reference", "text") and "." not in column.path


def _worded(writer: TermWriter, question: Question, opening: str, draws: Iterator[int]) -> dict[str, str]:
    """Word the terms for the slots of an opening: in one slot, or each of two lists in its own, or by names."""
    grammar, terms = writer.grammar, question.terms
    verbs = grammar.verbs_of(opening)
    if "{names}" in opening:
        around = writer.words[question.about].around
        given = (in_marks(name, around) for term in terms if isinstance(term, GivenEntities) for name in term.names)
        return {"names": grammar.answer.between_names.join(given)}
    if "{which_owners}" in opening:
        return _worded_lists(writer, question, opening, draws)
    if "{first}" not in opening:
        return {"conditions": writer.write(question.about, terms, verbs, draws)}
    first = terms[0]
    both = [part[0] for part in first.parts] if isinstance(first, AnyOf) else terms
    leaves = [writer.write_leaf(question.about, term, verbs, draws) for term in both]
    return dict(zip(("first", "second"), leaves, strict=True))


def _worded_lists(writer: TermWriter, question: Question, opening: str, draws: Iterator[int]) -> dict[str, str]:
    """Word the terms of two joined lists: of those referred to, and of who refers to each, `that club`."""
    reference = question.shape.owners
    about = writer.words[question.about].column(reference).refers
    owners, own = split_terms(question.terms, reference)
    own = (*own, DescribedTerm(reference, about, (), "", ""))
    return {
        "which_owners": writer.write(about, owners, _verbs_of_owners(writer.grammar, opening), draws),
        "conditions": writer.write(question.about, own, writer.grammar.verbs_of(opening), draws),
    }


def _verbs_of_owners(grammar: Grammar, opening: str) -> Verbs:
    return grammar.terms.verbs["one" if "{owner} {which_owners}" in opening else "several"]


def read(
    words: Vocabulary, language: str, frames: Frames, about: str, labels: Sequence[str], wording: str
) -> list[ParsedQuestion]:
    """Read a wording back: every different thing that it may ask, by its openings and phrases."""
    grammar, found = grammar_of(language), list[ParsedQuestion]()
    reader, text = TermReader(grammar, words), wording.partition("\n")[0]
    texts = _without_reason(grammar, words[about], text)
    if frames != "aggregate":
        without = without_listed_columns if frames in _LISTED else without_columns
        texts = [part for one in texts for part in without(grammar, words[about], labels, one)]
    named = [frames, by_most] if (by_most := _by_most(frames)) else [frames]
    every = [opening for one in named for openings in grammar.openings(one).values() for opening in openings]
    for opening, one in product(every, texts):
        if frames == "aggregate":
            questions = _read_groups(reader, about, opening, labels, one)
        elif "{when}" in opening:
            questions = _read_rows_in_time(reader, about, opening, one)
        elif "{which_owners}" in opening:
            questions = _read_lists(reader, about, opening, one)
        else:
            questions = _read_opening(reader, frames, about, opening, one)
        found += questions
    return list(dict.fromkeys(found))


def _without_reason(grammar: Grammar, table: TableLabels, text: str) -> list[str]:
    """Return a question without each reason that it may begin with; as it is where it begins with none."""
    reasons = (f"{reason}{grammar.gap}" for reason in _reasons(grammar, table))
    return [text.removeprefix(reason) for reason in reasons if text.startswith(reason)] or [text]


def read_conditions(
    words: Vocabulary, language: str, about: str, column: ColumnLabels, operator: Operator, text: str, value: str
) -> list[Terms]:
    """Fill a value into a phrasebook's condition on a column, and read it as what follows a plural.

    Returns every different way to read it: another phrase of the book that reads alike makes for a second one.
    """
    grammar = grammar_of(language)
    phrase = grammar.phrased(text, operator, column.sort, one=False, person=words[about].person)
    phrase = filled(agreeing(phrase, one=False), {"value": grammar.with_unit(value, column)})
    table, whole = words[about], grammar.whole(terms=True, exceptions=False)[0]
    worded = filled(whole, {"terms": phrase, "label": table.label, "plural": table.plural}) if phrase else ""
    return list(dict.fromkeys(TermReader(grammar, words).read(about, worded, grammar.terms.verbs["several"])))


def _read_opening(reader: TermReader, frames: Frames, about: str, opening: str, text: str) -> Iterator[ParsedQuestion]:
    grammar, table = reader.grammar, reader.words[about]
    called = {"label": table.called, "plural": table.several, **grammar.inflected_type(table.called, table.the)}
    grouped = "{one}" in opening or "{group}" in opening
    best = "|".join(dict.fromkeys(one for column in table.columns for one in grammar.best(column) if one))
    n = "|".join(reversed(grammar.numbers)) + r"|\d+"
    for within in (column.path for column in table.columns if _may_group(column)) if grouped else ("",):
        known = called | _group_slots(grammar, table, Shape(within=within), ())
        if not text[1:].startswith(filled(opening, known).partition("{")[0][1:]):
            continue
        slots = _slots_read(pattern_of(opening, known, _READ | {"n": n, "best": best}), text)
        if slots is None:
            continue
        for shape in _shapes(grammar, table, slots):
            for terms in _read_slots(reader, frames, about, slots, grammar.verbs_of(opening)):
                yield ParsedQuestion(terms, replace(shape, within=within))


def _read_groups(
    reader: TermReader, about: str, opening: str, labels: Sequence[str], text: str
) -> Iterator[ParsedQuestion]:
    grammar, table = reader.grammar, reader.words[about]
    for column in table.columns:
        if not _may_group(column):
            continue
        shape = Shape(group=column.path)
        own = {"label": table.called, "plural": table.several} | _group_slots(grammar, table, shape, labels)
        slots = _slots_read(pattern_of(opening, own, _READ), text)
        if slots is not None:
            for terms in reader.read(about, slots["conditions"], grammar.terms.verbs["several"]):
                yield ParsedQuestion(terms, shape)


def _read_rows_in_time(reader: TermReader, about: str, opening: str, text: str) -> Iterator[ParsedQuestion]:
    """Read a question for the rows of a relation that were at some time."""
    grammar, table = reader.grammar, reader.words[about]
    called = {"label": table.called, "plural": table.several, **grammar.inflected_type(table.called, table.the)}
    for link in (link for link in table.links if link.rows):
        for column in (one for one in reader.words[link.table].columns if one.sort in _TIMES or one.path == _ROUND):
            with_units = {slot: grammar.with_unit(f"{{{slot}}}", column) for slot in ("value", "upper")}
            whole = filled(opening, {"when": filled(grammar.terms.during[column.sort], with_units)})
            value = rf"(?<!\d){grammar.terms.values[column.sort]}"
            patterns = {**_READ, "value": value, "upper": value}
            slots = _slots_read(pattern_of(whole, {**called, "rows": link.rows}, patterns), text)
            if slots is None:
                continue
            where = (Condition(column.path, "between", "", slots["value"], "text", "", slots["upper"]),)
            for terms in reader.read(about, slots["conditions"], grammar.verbs_of(opening)):
                yield ParsedQuestion(terms, Shape(rows=link.table, end=link.column, where=where))


def _read_lists(reader: TermReader, about: str, opening: str, text: str) -> Iterator[ParsedQuestion]:
    """Read two joined lists, of which the second says how it refers to the first."""
    grammar, table = reader.grammar, reader.words[about]
    called = {"label": table.called, "plural": table.several}
    for column in table.columns:
        if column.sort != "reference" or "." in column.path:
            continue
        shape = Shape(within=column.path)
        known = called | _owner_slots(grammar, reader.words, table, shape)
        slots = _slots_read(pattern_of(opening, known, _READ), text)
        if slots is None:
            continue
        that = DescribedTerm(column.path, column.refers, (), "", "")
        owners = reader.read(column.refers, slots["which_owners"], _verbs_of_owners(grammar, opening))
        members = reader.read(about, slots["conditions"], grammar.verbs_of(opening))
        for terms, own in product(owners, members):
            if own.count(that) == 1:
                rest = tuple(term for term in own if term != that)
                yield ParsedQuestion((*terms_of_members(terms, column.path), *rest), shape)


def _slots_read(pattern: str, text: str) -> dict[str, str] | None:
    """Return what the slots of an opening hold in a text, which begins with a capital letter."""
    match = re.fullmatch(pattern, text) or re.fullmatch(pattern, text[:1].lower() + text[1:])
    return match.groupdict() if match is not None else None


def _read_slots(
    reader: TermReader, frames: Frames, about: str, slots: Mapping[str, str], verbs: Verbs
) -> Iterator[Terms]:
    """Yield every way to read the slots of an opening as terms."""
    if "names" in slots:
        around = reader.words[about].around
        names = slots["names"].removeprefix(around[:1]).removesuffix(around[1:])
        yield (GivenEntities((), tuple(names.split(f"{around[1:]}{reader.grammar.answer.between_names}{around[:1]}"))),)
    elif "first" not in slots:
        yield from reader.read(about, slots["conditions"], verbs)
    else:
        one, two = (
            [term for term, end in reader.read_leaf(about, slots[slot], 0, verbs) if end == len(slots[slot])]
            for slot in ("first", "second")
        )
        for both in product(one, two):
            yield (AnyOf(tuple((term,) for term in both)),) if frames == "union" else both


def _ranked(grammar: Grammar, table: TableLabels, shape: Shape) -> dict[str, str]:
    """Return the slots of a ranking: how many, from which end, by which column."""
    if not shape.limit:
        return {}
    by = table.column(shape.order)
    best = grammar.best(by)[0 if shape.highest else 1]
    n = grammar.numbers[shape.limit] if shape.limit < len(grammar.numbers) else str(shape.limit)
    return {"n": n, "best": best, "by": by.label}


def _shapes(grammar: Grammar, table: TableLabels, slots: Mapping[str, str]) -> Iterator[Shape]:
    """Yield every shape that the slots of an opening may mean."""
    if "rows" in slots:
        yield from (Shape(rows=one.table, end=one.column) for one in table.links if one.rows == slots["rows"])
        return
    if "n" not in slots:
        yield Shape()
        return
    figure, numbers = slots["n"], grammar.numbers
    n = numbers.index(figure) if figure in numbers else int(figure)
    for column in table.columns:
        if "superlative" in slots and column.phrases is not None and "." not in column.path and n > 1:
            for highest, superlatives in ((True, column.phrases.most), (False, column.phrases.least)):
                if slots["superlative"] in superlatives:
                    yield Shape(order=column.path, highest=highest, limit=n)
        elif "by" in slots and column.label == slots["by"] and n and slots["best"] in grammar.best(column):
            yield Shape(order=column.path, highest=slots["best"] == grammar.best(column)[0], limit=n)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
