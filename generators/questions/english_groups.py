"""English for entities in groups: how several people would ask for them, and what computed columns are called.

Slots of the frames: {plural}, {label}, {conditions}; {group}, the column by which entities are grouped, and {one}, one
such group; {measures}.
"""

from __future__ import annotations

from collections.abc import Sequence

from generators.questions.english_grammar import ENGLISH
from generators.questions.grammar_base import Bank, Grouping
from worldforge.world.computed_cells import Measure
from worldforge.world.question_labels import ColumnLabels

FRAMES: Bank = {
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
    "order, are: {labels}. The order of the rows does not matter. {rounding} Write dates as 2024-06-18."
)
_WORDS = {"sum": "Total {label}", "mean": "Mean {label}", "min": "{first} {label}", "max": "{last} {label}"}
_TIMES, _THINGS, _FIGURES = ("Earliest", "Latest"), ("Fewest", "Most"), ("Lowest", "Highest")
_SAID_ALREADY = (
    "total", "mean", "average", "median", "earliest", "latest", "first", "last", "lowest", "highest", "least", "most",
    "fewest", "best", "worst", "smallest", "largest", "shortest", "longest", "peak", "record", "place", "rank",
)  # fmt: skip
"""Words that a label may begin with of which nothing more can be computed and said well: the mean latest revenue."""


def _measured(column: ColumnLabels, measure: Measure) -> str:
    if column.label.partition(" ")[0].lower() in _SAID_ALREADY:
        return ""
    things = _are_things(column.label) and not column.unit
    first, last = _TIMES if column.sort in ("year", "date") else _THINGS if things else _FIGURES
    label = f"number of {column.label}" if things and measure.name in ("sum", "mean") else column.label
    return _WORDS[measure.name].format(label=label, first=first, last=last)


def _are_things(label: str) -> bool:
    return ENGLISH.inflected(label)["be"] == "are"


def _one(group: str) -> str:
    """Name one group: a home town; an entry for colours, of which one group has several."""
    return f"entry for {group}" if _are_things(group) else group


def _enumerated(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


GROUPS = Grouping(
    grammar=ENGLISH,
    frames=FRAMES,
    form=FORM,
    exact="Give numbers without rounding.",
    rounded=lambda columns: f"Round {_enumerated(columns)}, and no other number.",
    to_places=lambda label, n: f"{label} to {ENGLISH.numbers[n]} decimal{'s' if n > 1 else ''}",
    counted="Number of {plural}",
    measured=_measured,
    measures=lambda labels: _enumerated([f"the {label[:1].lower()}{label[1:]}" for label in labels]),
    unit=" ({})",
    one=_one,
    adds_up=lambda label: _are_things(label) or label.startswith("number of "),
)
