"""English questions for entities in groups: how many of them each group has, their mean, their most and their least.

    measured(table, "mean(capacity, 1)")     Mean capacity
    ask_of_groups(stream, words, question)   For each home town of the football clubs founded after 1904, give …
    read_groups(words, about, labels, text)  every way to read that as terms and a shape

Slots of the frames: {plural}, {label}, {conditions}; {group}, the column by which entities are grouped, and {one}, one
such group; {measures}.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from generators.questions.english import ENGLISH
from generators.questions.grammar import Bank
from generators.questions.phrases import Phrases
from worldforge.core.chance import Stream
from worldforge.world.computed import measure_of
from worldforge.world.saying import Asked, Question, SaidColumn, SaidTable, Vocabulary
from worldforge.world.terms import Shape
from worldforge.world.units import is_measure

GROUPINGS: Bank = {
    "plain": (
        "Group by {group} the {plural} {conditions}. For each {one}, give {measures}.",
        "Take the {plural} {conditions}. For each {one} among them, please find {measures}.",
    ),
    "journalist": (
        "For a comparison in our paper I look at the {plural} {conditions}: for each {one} I need {measures}.",
        "I must check some figures about {plural}. Of those {conditions}, tell me by {group} {measures}.",
    ),
    "analyst": (
        "Aggregate by {group} the {plural} {conditions}, and report {measures}.",
        "I need a pivot table of the {plural} {conditions}: one row per {one}, with {measures}.",
    ),
    "hobbyist": (
        "I like to count things. Could you go through all {plural} {conditions} and tell me {measures}, by {group}?",
        "Sorted by {group}, what do the {plural} {conditions} look like? I would love to see {measures}.",
    ),
    "terse": (
        "{plural} {conditions}, by {group}: {measures}.",
        "Per {one}, of all {plural} {conditions}: {measures}.",
    ),
}
FORM = (
    "Answer with one Markdown table and nothing else, in a block that opens with ```markdown and closes with ```. "
    "One row for each {one} that at least one of these {plural} has; the columns, named exactly so and in this "
    "order, are: {labels}. {rounding}"
)
EXACT = "Give numbers without rounding."
ROUNDED = "Round {rounded}, and no other number."
_WORDS = {"sum": "Total {label}", "mean": "Mean {label}", "min": "{first} {label}", "max": "{last} {label}"}
_TIMES, _THINGS, _FIGURES = ("Earliest", "Latest"), ("Fewest", "Most"), ("Lowest", "Highest")
_SAID_ALREADY = (
    "total", "mean", "average", "median", "earliest", "latest", "first", "last", "lowest", "highest", "least", "most",
    "fewest", "best", "worst", "smallest", "largest", "shortest", "longest", "peak", "record", "place", "rank",
)  # fmt: skip
"""Words that a label may begin with of which nothing more can be computed and said well: the mean latest revenue."""
_MOST_DRAWS = 64
_SLOT = re.compile(r"\{(\w+)\}")


def measured(table: SaidTable, path: str) -> str:
    """Name a column of a grouped answer: `Number of football clubs`, `Mean capacity`, or the groups' own column.

    Empty where it cannot be said well: the lowest highest price.
    """
    measure = measure_of(path)
    if measure is not None and measure.name == "count":
        return f"Number of {table.plural}"
    column = _column(table, path if measure is None else measure.column)
    sign = f" ({column.unit})" if column.unit else ""
    if measure is None:
        return column.label[:1].upper() + column.label[1:] + sign
    if column.label.partition(" ")[0].lower() in _SAID_ALREADY:
        return ""
    things = _are_things(column.label) and not column.unit
    first, last = _TIMES if column.sort in ("year", "date") else _THINGS if things else _FIGURES
    label = f"number of {column.label}" if things and measure.name in ("sum", "mean") else column.label
    return _WORDS[measure.name].format(label=label, first=first, last=last) + sign


def adds_up(label: str, unit: str) -> bool:
    """Say whether whole numbers may be summed by what they are called: titles, numbers of things, money.

    Metres may not, nor shares of a whole, nor what may be a number that things bear.
    """
    if unit:
        return not is_measure(unit) and "%" not in unit and not {"a", "an", "per"} & {*unit.split()}
    return _are_things(label) or label.startswith("number of ")


def ask_of_groups(stream: Stream, words: Vocabulary, question: Question) -> str:
    """Word a question. `stream` is the task's own."""
    which, who, *drawn = stream.bits(np.arange(2 + _MOST_DRAWS)).tolist()
    personas = list(GROUPINGS.values())
    openings = personas[who % len(personas)]
    opening = openings[which % len(openings)]
    table = words[question.about]
    group = _column(table, question.shape.group).label
    conditions = Phrases(ENGLISH, words).write(question.about, question.terms, ENGLISH.several, iter(drawn))
    text = opening.format(conditions=conditions, **_slots(table, group, question.labels))
    rounded = [f"{label} to {_decimals(n)}" for label, n in zip(question.labels, question.places, strict=True) if n]
    form = FORM.format(
        one=_one(group),
        plural=table.plural,
        labels=", ".join(question.labels),
        rounding=ROUNDED.format(rounded=_listed(rounded)) if rounded else EXACT,
    )
    return f"{text[:1].upper()}{text[1:]}\n\n{form}"


def read_groups(words: Vocabulary, about: str, labels: Sequence[str], wording: str) -> list[Asked]:
    """Read a wording back: every different thing that it may ask."""
    text = wording.partition("\n")[0]
    found: list[Asked] = []
    for openings in GROUPINGS.values():
        for opening in openings:
            found += [asked for asked in _read_opening(words, about, opening, labels, text) if asked not in found]
    return found


def _read_opening(words: Vocabulary, about: str, opening: str, labels: Sequence[str], text: str) -> Iterator[Asked]:
    table = words[about]
    for column in table.columns:
        if column.sort not in ("reference", "text") or "." in column.path:
            continue
        own = _slots(table, column.label, labels)
        pieces = _SLOT.split(opening)
        pattern = "".join(
            re.escape(piece) if place % 2 == 0 else "(.+)" if piece == "conditions" else re.escape(own[piece])
            for place, piece in enumerate(pieces)
        )
        match = re.fullmatch(pattern, text) or re.fullmatch(pattern, text[:1].lower() + text[1:])
        if match is not None:
            for terms in Phrases(ENGLISH, words).read(about, match[1], ENGLISH.several):
                yield Asked(terms, Shape(group=column.path))


def _column(table: SaidTable, path: str) -> SaidColumn:
    return next(column for column in table.columns if column.path == path)


def _slots(table: SaidTable, group: str, labels: Sequence[str]) -> dict[str, str]:
    own = {"label": table.label, "plural": table.plural}
    return own | {"group": group, "one": _one(group), "measures": _measures(labels)}


def _are_things(label: str) -> bool:
    return ENGLISH.inflected(label)["be"] == "are"


def _one(group: str) -> str:
    """Name one group: a home town; an entry for colours, of which one group has several."""
    return group if not _are_things(group) else f"entry for {group}"


def _measures(labels: Sequence[str]) -> str:
    return _listed([f"the {label[:1].lower()}{label[1:]}" for label in labels[1:]])


def _decimals(n: int) -> str:
    return f"{ENGLISH.numbers[n]} decimal{'s' if n > 1 else ''}"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
