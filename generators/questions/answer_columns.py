"""The sentence of a question that asks for the columns of its answer: by what they are called, or by questions.

For each, give the name, the year of foundation and the home ground.
Of each one I need to know: When was the club founded? Where does it play?
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from generators.questions.grammar import Grammar, Templates, filled
from worldforge.world.question_labels import ColumnLabels, TableLabels

_MARK = re.compile("\ue000(\\d+)\ue000")


def _mark(place: int) -> str:
    """Stand for a column whose name is not chosen yet."""
    return f"\ue000{place}\ue000"


def ask_for_columns(grammar: Grammar, table: TableLabels, headings: Sequence[str], draws: Iterator[int]) -> str:
    """Write the sentence that asks for the columns under `headings`, the key first."""
    how, by_asking, *which = (next(draws) for _ in range(2 + len(headings)))
    asks = _asks(grammar, table, headings)
    if all(asks) and len(headings) > 1 and by_asking % 5 < 2:
        drawn, nouns = [own[n % len(own)] for own, n in zip(asks, which, strict=False)], _nouns(table)
        noun = nouns[by_asking // 5 % len(nouns)]
        phrases = [_asking(grammar, table, one, place, noun) for place, one in enumerate(drawn)]
        return grammar.answer.asks[how % len(grammar.answer.asks)].format(asks=grammar.gap.join(phrases))
    names = _names(grammar, table, headings)
    chosen = [own[n % len(own)] for own, n in zip(names, which, strict=False)]
    template = grammar.answer.columns[how % len(grammar.answer.columns)]
    return template.format(columns=grammar.enumerated([grammar.answer.key, *chosen]))


def without_columns(grammar: Grammar, table: TableLabels, headings: Sequence[str], text: str) -> Iterator[str]:
    """Yield a question without its last sentence, which asks for columns."""
    for tail, choices in _tails(grammar, table, tuple(headings)):
        opening = _MARK.split(tail, 1)[0]
        if opening in text and (found := _pattern(tail, choices).search(text)):  # to compile patterns takes long
            yield text[: found.start()]


@lru_cache(maxsize=512)
def _tails(
    grammar: Grammar, table: TableLabels, headings: tuple[str, ...]
) -> tuple[tuple[str, tuple[Templates, ...]], ...]:
    """Return the forms of that sentence, and for each of its marks what may stand there."""
    names, asks = tuple(_names(grammar, table, headings)), _asks(grammar, table, headings)
    columns = grammar.enumerated([grammar.answer.key, *(_mark(place) for place in range(len(names)))])
    tails = [(template.format(columns=columns), names) for template in grammar.answer.columns]
    if all(asks) and asks:
        nouns = _nouns(table)
        questions = tuple(
            tuple(dict.fromkeys(_asking(grammar, table, one, place, noun) for one in own for noun in nouns))
            for place, own in enumerate(asks)
        )
        marks = grammar.gap.join(_mark(place) for place in range(len(questions)))
        tails += [(template.format(asks=marks), questions) for template in grammar.answer.asks]
    return tuple((grammar.gap + tail, choices) for tail, choices in tails)


@lru_cache(maxsize=512)
def _pattern(tail: str, choices: tuple[Templates, ...]) -> re.Pattern[str]:
    pieces = _MARK.split(tail)
    parts = [
        f"(?:{'|'.join(map(re.escape, choices[int(piece)]))})" if place % 2 else re.escape(piece)
        for place, piece in enumerate(pieces)
    ]
    return re.compile(f"{''.join(parts)}$")


def _names(grammar: Grammar, table: TableLabels, headings: Sequence[str]) -> list[Templates]:
    """Return what each column may be called, the key left out: what no other column is called as well."""
    columns = _by_heading(grammar, table)
    taken = Counter(label.lower() for column in columns.values() for label in grammar.asked_labels(column))
    found: list[Templates] = []
    for heading in headings[1:]:
        column = columns.get(heading)
        if column is None or column.phrases is None:
            found.append((grammar.in_sentence(heading),))
            continue
        own = (label for label in grammar.asked_labels(column) if taken[label.lower()] == 1)
        found.append(tuple(map(grammar.in_sentence, own)) or (grammar.in_sentence(heading),))
    return found


def _asks(grammar: Grammar, table: TableLabels, headings: Sequence[str]) -> list[Templates]:
    columns = _by_heading(grammar, table)
    phrases = [columns[heading].phrases if heading in columns else None for heading in headings[1:]]
    return [one.asks if one is not None else () for one in phrases]


def _by_heading(grammar: Grammar, table: TableLabels) -> Mapping[str, ColumnLabels]:
    return {grammar.heading(column): column for column in table.columns if "." not in column.path}


def _nouns(table: TableLabels) -> Templates:
    """Return the nouns by which questions about a row may go on."""
    return tuple(dict.fromkeys((table.called, *table.nouns)))


def _asking(grammar: Grammar, table: TableLabels, ask: str, place: int, noun: str) -> str:
    """Write a question of a phrasebook about one row: in the first of several it is called by its type."""
    slots = {slot: forms[min(place, 1)] for slot, forms in grammar.subject(table, noun).items()}
    text = filled(ask.replace("of {it}", "of {name}"), {**slots, "noun": noun})
    return text[:1].upper() + text[1:]
