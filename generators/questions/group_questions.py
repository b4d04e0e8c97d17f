"""Questions for entities in groups: how many of them each group has, their mean, their most and their least.

measured("en", table, "mean(capacity, 1)")          Mean capacity
ask_of_groups(stream, words, question)              For each home town of the clubs founded after 1904, give …
read_groups(words, language, about, labels, text)   every way to read that as terms and a shape
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from generators.questions import chinese_groups, english_groups
from generators.questions.grammar_base import Grouping
from generators.questions.term_phrases import TermPhrases
from worldforge.core.chance import Stream
from worldforge.world.computed_cells import measure_of
from worldforge.world.question_labels import ParsedQuestion, Question, TableLabels, Vocabulary
from worldforge.world.task_terms import Shape
from worldforge.world.unit_conversion import is_measure

GROUPINGS: Mapping[str, Grouping] = {"en": english_groups.GROUPS, "zh": chinese_groups.GROUPS}
_MOST_DRAWS = 64
_SLOT = re.compile(r"\{(\w+)\}")
_NO_AMOUNTS = re.compile(r"%|每|\b(?:a|an|per)\b")
"""In units of what does not add up: shares of a whole, things by the head."""


def measured(language: str, table: TableLabels, path: str) -> str:
    """Name a column of a grouped answer: `Number of football clubs`, `Mean capacity`, or the groups' own column.

    Empty where it cannot be said well: the lowest highest price.
    """
    bank, measure = GROUPINGS[language], measure_of(path)
    if measure is not None and measure.name == "count":
        return bank.counted.format(plural=table.plural)
    column = table.column(path if measure is None else measure.column)
    label = column.label[:1].upper() + column.label[1:] if measure is None else bank.measured(column, measure)
    return label + bank.unit.format(column.unit) if label and column.unit else label


def adds_up(language: str, label: str, unit: str) -> bool:
    """Say whether whole numbers may be summed by what they are called: titles, numbers of things, money.

    Metres may not, nor shares of a whole, nor what may be a number that things bear.
    """
    if unit:
        return not is_measure(unit) and not _NO_AMOUNTS.search(unit)
    return GROUPINGS[language].adds_up(label)


def ask_of_groups(stream: Stream, words: Vocabulary, question: Question) -> str:
    """Word a question. `stream` is the task's own."""
    bank = GROUPINGS[question.language]
    which, who, *drawn = stream.first_bits(2 + _MOST_DRAWS).tolist()
    personas = list(bank.frames.values())
    openings = personas[who % len(personas)]
    opening = openings[which % len(openings)]
    table, grammar = words[question.about], bank.grammar
    slots = _slots(bank, table, table.column(question.shape.group).label, question.labels)
    conditions = TermPhrases(grammar, words).write(question.about, question.terms, grammar.several, iter(drawn))
    text = opening.format(conditions=conditions, **slots)
    form = bank.form.format(labels=grammar.listed.join(question.labels), rounding=rounding(question), **slots)
    return f"{text[:1].upper()}{text[1:]}\n\n{form}"


def rounding(question: Question) -> str:
    """Say which columns of an answer are rounded, and to how many decimals; or that no number is."""
    bank = GROUPINGS[question.language]
    rounded = [bank.to_places(label, n) for label, n in zip(question.labels, question.places, strict=False) if n]
    return bank.rounded(rounded) if rounded else bank.exact


def read_groups(
    words: Vocabulary, language: str, about: str, labels: Sequence[str], wording: str
) -> list[ParsedQuestion]:
    """Read a wording back: every different thing that it may ask."""
    bank, text = GROUPINGS[language], wording.partition("\n")[0]
    found: list[ParsedQuestion] = []
    for openings in bank.frames.values():
        for opening in openings:
            found += [asked for asked in _read_opening(bank, words, about, opening, labels, text) if asked not in found]
    return found


def _read_opening(
    bank: Grouping, words: Vocabulary, about: str, opening: str, labels: Sequence[str], text: str
) -> Iterator[ParsedQuestion]:
    table, grammar = words[about], bank.grammar
    for column in table.columns:
        if column.sort not in ("reference", "text") or "." in column.path:
            continue
        own = _slots(bank, table, column.label, labels)
        pattern = "".join(
            re.escape(piece) if place % 2 == 0 else "(.+)" if piece == "conditions" else re.escape(own[piece])
            for place, piece in enumerate(_SLOT.split(opening))
        )
        match = re.fullmatch(pattern, text) or re.fullmatch(pattern, text[:1].lower() + text[1:])
        if match is not None:
            for terms in TermPhrases(grammar, words).read(about, match[1], grammar.several):
                yield ParsedQuestion(terms, Shape(group=column.path))


def _slots(bank: Grouping, table: TableLabels, group: str, labels: Sequence[str]) -> dict[str, str]:
    own = {"label": table.label, "plural": table.plural}
    return own | {"group": group, "one": bank.one(group), "measures": bank.measures(labels[1:])}
