"""Questions for tasks of every family, in either language: worded from frames and phrases, and read back from them.

    ask(stream, words, question)                              the wording
    read(words, language, family, about, labels, wording)     what it says: every way to read it as terms and shape

A wording that loses a condition, or adds one, reads as something else than was to be asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from generators.questions.chinese_grammar import CHINESE
from generators.questions.english_grammar import ENGLISH
from generators.questions.grammar_base import Grammar, Verbs
from generators.questions.group_questions import ask_of_groups, read_groups, rounding
from generators.questions.term_phrases import TermPhrases
from worldforge.core.chance import Stream
from worldforge.world.question_labels import ParsedQuestion, Question, TableLabels, Vocabulary
from worldforge.world.task_terms import AnyOf, GivenEntities, Shape, Terms

GRAMMARS: Mapping[str, Grammar] = {"en": ENGLISH, "zh": CHINESE}
Frames = str | Mapping[str, Sequence[str]]
"""The openings of a shipped family by its name, or openings by persona."""
_MOST_DRAWS = 64  # phrases that one question may hold
_SLOT = re.compile(r"\{(\w+)\}")


def ask(stream: Stream, words: Vocabulary, question: Question) -> str:
    """Word a question. `stream` is the task's own, `words` are in the question's language."""
    if question.shape.group:
        return ask_of_groups(stream, words, question)
    grammar = GRAMMARS[question.language]
    opening, how, draws = _drawn(stream, grammar, question)
    table = words[question.about]
    ranked = _ranked(grammar, table, question.shape)
    slots = {"label": table.label, "plural": table.plural, **ranked}
    worded = _worded(TermPhrases(grammar, words), question, opening, draws)
    text = _capital(opening.format(**slots, **worded))
    wanted = grammar.columns[how % len(grammar.columns)].format(columns=grammar.column_words(question.labels))
    return f"{text}{grammar.gap}{wanted}\n\n{grammar.form_of(table.label, question.labels, ranked, rounding(question))}"


def read(
    words: Vocabulary, language: str, frames: Frames, about: str, labels: Sequence[str], wording: str
) -> list[ParsedQuestion]:
    """Read a wording back: every different thing that it may ask, by its openings and phrases."""
    if frames == "aggregate":
        return read_groups(words, language, about, labels, wording)
    grammar, found = GRAMMARS[language], list[ParsedQuestion]()
    first = wording.partition("\n")[0]
    said = grammar.column_words(labels)
    tails = [f"{grammar.gap}{columns.format(columns=said)}" for columns in grammar.columns]
    texts = [first.removesuffix(tail) for tail in tails if first.endswith(tail)]
    phrases = TermPhrases(grammar, words)
    for openings in _openings(grammar, frames).values():
        for opening, text in product(openings, texts):
            found += [asked for asked in _read_opening(phrases, frames, about, opening, text) if asked not in found]
    return found


def _drawn(stream: Stream, grammar: Grammar, question: Question) -> tuple[str, int, Iterator[int]]:
    """Draw an opening, how to ask for the columns, and what phrases are chosen by."""
    personas = list(_openings(grammar, question.frames).values())
    if len(personas) > 1 or not isinstance(question.frames, str):
        which, who, how, *drawn = stream.first_bits(3 + _MOST_DRAWS).tolist()
    else:
        *drawn, which, how = stream.first_bits(len(question.terms) + 2).tolist()
        who = 0
    openings = personas[who % len(personas)]
    return openings[which % len(openings)], how, iter(drawn)


def _openings(grammar: Grammar, frames: Frames) -> Mapping[str, Sequence[str]]:
    return grammar.frames[frames] if isinstance(frames, str) else frames


def _read_opening(
    phrases: TermPhrases, frames: Frames, about: str, opening: str, text: str
) -> Iterator[ParsedQuestion]:
    grammar, table = phrases.grammar, phrases.words[about]
    pattern = _pattern(grammar, opening, table)
    match = re.fullmatch(pattern, text) or re.fullmatch(pattern, text[:1].lower() + text[1:])
    if match is None:
        return
    slots = match.groupdict()
    for shape in _shapes(grammar, table, slots):
        for terms in _read_slots(phrases, frames, about, slots, grammar.verbs_of(opening)):
            yield ParsedQuestion(terms, shape)


def _worded(phrases: TermPhrases, question: Question, opening: str, draws: Iterator[int]) -> dict[str, str]:
    """Word the terms for the slots of an opening: in one slot, or each of two lists in its own, or by names."""
    grammar, terms = phrases.grammar, question.terms
    verbs = grammar.verbs_of(opening)
    if "{names}" in opening:
        given = (name for term in terms if isinstance(term, GivenEntities) for name in term.names)
        return {"names": grammar.between_names.join(given)}
    if "{first}" not in opening:
        return {"conditions": phrases.write(question.about, terms, verbs, draws)}
    first = terms[0]
    both = [part[0] for part in first.parts] if isinstance(first, AnyOf) else terms
    leaves = [phrases.write_leaf(question.about, term, verbs, draws) for term in both]
    return dict(zip(("first", "second"), leaves, strict=True))


def _read_slots(
    phrases: TermPhrases, frames: Frames, about: str, slots: Mapping[str, str], verbs: Verbs
) -> Iterator[Terms]:
    """Give every way to read the slots of an opening as terms."""
    if "names" in slots:
        yield (GivenEntities((), tuple(slots["names"].split(phrases.grammar.between_names))),)
    elif "first" not in slots:
        yield from phrases.read(about, slots["conditions"], verbs)
    else:
        one, two = (
            [term for term, end in phrases.read_leaf(about, slots[slot], 0, verbs) if end == len(slots[slot])]
            for slot in ("first", "second")
        )
        for both in product(one, two):
            yield (AnyOf(tuple((term,) for term in both)),) if frames == "union" else both


def _pattern(grammar: Grammar, opening: str, table: TableLabels) -> str:
    """Write an opening as a regular expression with a group for each slot but the type's own names."""
    best = "|".join(dict.fromkeys(one for column in table.columns for one in grammar.best(column) if one))
    patterns = {"n": grammar.number, "best": best} | dict.fromkeys(
        ("by", "conditions", "first", "second", "names"), ".+"
    )
    own = {"label": table.label, "plural": table.plural}
    pattern = ""
    for place, piece in enumerate(_SLOT.split(opening)):
        if place % 2 == 0:
            pattern += re.escape(piece)
        else:
            pattern += f"(?P<{piece}>{patterns[piece]})" if piece in patterns else re.escape(own[piece])
    return pattern


def _ranked(grammar: Grammar, table: TableLabels, shape: Shape) -> dict[str, str]:
    """Name what a ranking goes by."""
    if not shape.limit:
        return {}
    by = table.column(shape.order)
    best = grammar.best(by)[0 if shape.highest else 1]
    n = grammar.numbers[shape.limit] if shape.limit < len(grammar.numbers) else str(shape.limit)
    return {"n": n, "best": best, "by": by.label}


def _shapes(grammar: Grammar, table: TableLabels, slots: dict[str, str]) -> Iterator[Shape]:
    """Give every shape that the slots of an opening may mean."""
    if "n" not in slots:
        yield Shape()
        return
    said, numbers = slots["n"], grammar.numbers
    n = numbers.index(said) if said in numbers else int(said) if said.isdecimal() else 0
    for column in table.columns:
        if column.label == slots["by"] and n and slots["best"] in grammar.best(column):
            yield Shape(order=column.path, highest=slots["best"] == grammar.best(column)[0], limit=n)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
