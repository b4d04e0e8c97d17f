"""English questions for tasks of every family: worded from frames and phrases, and read back from them.

    ask(stream, words, question)          the wording
    read(words, question)(wording)        what the wording says: every way to read it as terms and shape

A wording that loses a condition, or adds one, reads as something else than was to be asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from generators.questions.english import COLUMNS, OPENINGS, column_words, form_of
from generators.questions.frames import BEST, FRAMES, NUMBERS
from generators.questions.phrases import read_terms, verbs_of, write_terms
from worldforge.core.chance import Stream
from worldforge.world.saying import Asked, Question, SaidTable, Vocabulary
from worldforge.world.terms import Shape

_MOST_DRAWS = 64  # phrases that one question may hold
_SLOT = re.compile(r"\{(\w+)\}")


def ask(stream: Stream, words: Vocabulary, question: Question) -> str:
    """Word a question. `stream` is the task's own."""
    which, who, how, *drawn = stream.bits(np.arange(3 + _MOST_DRAWS)).tolist()
    personas = list(FRAMES[question.family].values())
    openings = personas[who % len(personas)]
    opening = openings[which % len(openings)]
    draws = iter(drawn)
    table = words[question.about]
    conditions = write_terms(words, question.about, question.terms, verbs_of(opening), draws)
    slots = {"label": table.label, "plural": table.plural, "conditions": conditions, **_ranked(table, question.shape)}
    text = _capital(opening.format(**slots))
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
            found += [asked for asked in _read_opening(words, about, opening, text) if asked not in found]
    return found


def _openings(family: str) -> Sequence[str]:
    return OPENINGS if family == "list" else [one for openings in FRAMES[family].values() for one in openings]


def _read_opening(words: Vocabulary, about: str, opening: str, text: str) -> Iterator[Asked]:
    table = words[about]
    pattern = _pattern(opening, table)
    match = re.fullmatch(pattern, text) or re.fullmatch(pattern, text[:1].lower() + text[1:])
    if match is None:
        return
    slots = match.groupdict()
    for shape in _shapes(table, slots):
        for terms in read_terms(words, about, slots["conditions"], verbs_of(opening)):
            yield Asked(terms, shape)


def _pattern(opening: str, table: SaidTable) -> str:
    """Write an opening as a regular expression with a group for each slot but the type's own names."""
    patterns = {"n": r"\w+", "best": r"\w+", "by": ".+", "conditions": ".+"}
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
