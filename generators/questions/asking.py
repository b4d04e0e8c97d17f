"""English questions for tasks of every family: worded from frames and phrases, and read back from them.

    ask(stream, words, question)          the wording
    read(words, question)(wording)        what the wording says: every way to read it as terms and shape

A wording that loses a condition, or adds one, reads as something else than was to be asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np

from generators.questions.english import COLUMNS, OPENINGS, column_words, form_of
from generators.questions.frames import BEST, FRAMES, NUMBERS
from generators.questions.phrases import Verbs, read_leaf, read_terms, verbs_of, write_leaf, write_terms
from worldforge.core.chance import Stream
from worldforge.world.saying import Asked, Question, SaidTable, Vocabulary
from worldforge.world.terms import AnyOf, Given, Shape, Terms

_MOST_DRAWS = 64  # phrases that one question may hold
_TWO_LISTS = ("union", "intersection")
_BETWEEN = "; "  # names of a list
_SLOT = re.compile(r"\{(\w+)\}")


def ask(stream: Stream, words: Vocabulary, question: Question) -> str:
    """Word a question. `stream` is the task's own."""
    which, who, how, *drawn = stream.bits(np.arange(3 + _MOST_DRAWS)).tolist()
    personas = list(FRAMES[question.family].values())
    openings = personas[who % len(personas)]
    opening = openings[which % len(openings)]
    table = words[question.about]
    slots = {"label": table.label, "plural": table.plural, **_ranked(table, question.shape)}
    text = _capital(opening.format(**slots, **_worded(words, question, opening, iter(drawn))))
    wanted = COLUMNS[how % len(COLUMNS)].format(columns=column_words(question.labels))
    return f"{text} {wanted}\n\n{form_of(table.label, question.labels)}"


def read(words: Vocabulary, family: str, about: str, labels: Sequence[str], wording: str) -> list[Asked]:
    """Read a wording back: every different thing that it may ask, by the frames and phrases of its family."""
    found: list[Asked] = []
    first = wording.partition("\n")[0]
    tails = [f" {columns.format(columns=column_words(labels))}" for columns in COLUMNS]
    texts = [first.removesuffix(tail) for tail in tails if first.endswith(tail)]
    for opening in _openings(family):
        for text in texts:
            found += [asked for asked in _read_opening(words, family, about, opening, text) if asked not in found]
    return found


def _openings(family: str) -> Sequence[str]:
    return OPENINGS if family == "list" else [one for openings in FRAMES[family].values() for one in openings]


def _read_opening(words: Vocabulary, family: str, about: str, opening: str, text: str) -> Iterator[Asked]:
    table = words[about]
    pattern = _pattern(opening, table)
    match = re.fullmatch(pattern, text) or re.fullmatch(pattern, text[:1].lower() + text[1:])
    if match is None:
        return
    slots = match.groupdict()
    for shape in _shapes(table, slots):
        for terms in _read_slots(words, family, about, slots, verbs_of(opening)):
            yield Asked(terms, shape)


def _worded(words: Vocabulary, question: Question, opening: str, draws: Iterator[int]) -> dict[str, str]:
    """Word the terms for the slots of an opening: in one slot, or each of two lists in its own, or by names."""
    verbs, terms = verbs_of(opening), question.terms
    if question.family == "completion":
        return {"names": _BETWEEN.join(name for term in terms if isinstance(term, Given) for name in term.names)}
    if question.family not in _TWO_LISTS:
        return {"conditions": write_terms(words, question.about, terms, verbs, draws)}
    first = terms[0]
    one, two = (part[0] for part in first.parts) if isinstance(first, AnyOf) else terms
    return {
        "first": write_leaf(words, question.about, one, verbs, draws),
        "second": write_leaf(words, question.about, two, verbs, draws),
    }


def _read_slots(words: Vocabulary, family: str, about: str, slots: Mapping[str, str], verbs: Verbs) -> Iterator[Terms]:
    """Give every way to read the slots of an opening as terms."""
    if family == "completion":
        yield (Given((), tuple(slots["names"].split(_BETWEEN))),)
    elif family not in _TWO_LISTS:
        yield from read_terms(words, about, slots["conditions"], verbs)
    else:
        one, two = (
            [term for term, end in read_leaf(words, about, slots[slot], 0, verbs) if end == len(slots[slot])]
            for slot in ("first", "second")
        )
        for both in product(one, two):
            yield (AnyOf(tuple((term,) for term in both)),) if family == "union" else both


def _pattern(opening: str, table: SaidTable) -> str:
    """Write an opening as a regular expression with a group for each slot but the type's own names."""
    patterns = {"n": r"\w+", "best": r"\w+"} | dict.fromkeys(("by", "conditions", "first", "second", "names"), ".+")
    own = {"label": table.label, "plural": table.plural}
    pattern = ""
    for place, piece in enumerate(_SLOT.split(opening)):
        if place % 2 == 0:
            pattern += re.escape(piece)
        else:
            pattern += f"(?P<{piece}>{patterns[piece]})" if piece in patterns else re.escape(own[piece])
    return pattern


def _ranked(table: SaidTable, shape: Shape) -> dict[str, str]:
    """Name what a ranking goes by."""
    if not shape.limit:
        return {}
    by = next(column for column in table.columns if column.path == shape.order)
    best = BEST[by.sort][0 if shape.highest else 1]
    return {"n": _number(shape.limit), "best": best, "by": by.label}


def _shapes(table: SaidTable, slots: dict[str, str]) -> Iterator[Shape]:
    """Give every shape that the slots of an opening may mean."""
    if "n" not in slots:
        yield Shape()
        return
    n = NUMBERS.index(slots["n"]) if slots["n"] in NUMBERS else int(slots["n"]) if slots["n"].isdecimal() else 0
    for column in table.columns:
        if column.label == slots["by"] and n and column.sort in BEST:
            top, bottom = BEST[column.sort]
            if slots["best"] in (top, bottom):
                yield Shape(order=column.path, highest=slots["best"] == top, limit=n)


def _number(n: int) -> str:
    return NUMBERS[n] if n < len(NUMBERS) else str(n)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
