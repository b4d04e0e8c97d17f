"""How a page says one fact in a sentence, where the spec has no sentences of its own for it.

A bank holds wordings for each sort of statement. Slots: `{subject}`, `{kind}` (what the subject is), `{label}`,
`{a_label}` (with its article), `{be}` (in the label's number), `{value}`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

import pyarrow.compute as pc

from generators.pages.english import be, is_plural, singular, with_article
from generators.pages.layout import unmarked
from worldforge.core.chance import Stream
from worldforge.world.draft import Stated, Subjects
from worldforge.world.passages import Passages, fill_chosen

Sort = Literal["count", "amount", "year", "date", "event", "event_date", "preposition", "text", "name", "boolean"]
Bank = Mapping[Sort, tuple[str, ...]]

_EVENT = re.compile(r"(ed|built|held|born|begun|made|won|sold|laid|lost|met|set up|written|known)$")
_PREPOSITIONS = ("since", "from", "until", "after", "before")
_NUMBER_OF = "number of "

PLAIN: Bank = {
    "count": (
        "{subject} has {value} {label}.",
        "{subject} has a total of {value} {label}.",
        "Records credit {subject} with {value} {label}.",
        "There is a record of {value} {label}.",
    ),
    "amount": (
        "{subject} has {a_label} of {value}.",
        "The {label} of {subject} {be} {value}.",
        "The {kind}'s {label} {be} {value}.",
        "The {label} {be} put at {value}.",
        "Records give the {label} as {value}.",
    ),
    "year": (
        "The {kind}'s {label} {be} {value}.",
        "The {label} of {subject} {be} {value}.",
        "The {label} {be} given as {value}.",
        "Most sources name {value} as the {label}.",
    ),
    "date": (
        "The {kind}'s {label} {be} {value}.",
        "The {label} of {subject} {be} {value}.",
        "Registers give {value} as the {label}.",
    ),
    "event": (
        "{subject} was {label} in {value}.",
        "Sources agree that {subject} was {label} in {value}.",
        "It was in {value} that {subject} was {label}.",
    ),
    "event_date": (
        "{subject} was {label} on {value}.",
        "It was on {value} that {subject} was {label}.",
        "Registers say that {subject} was {label} on {value}.",
    ),
    "preposition": (
        "{subject} is on record {label} {value}.",
        "The records list {subject} {label} {value}.",
    ),
    "text": (
        "The {label} of {subject} {be} {value}.",
        "The {kind}'s {label} {be} {value}.",
        "Records give the {label} as {value}.",
        "For {label}, the registers say {value}.",
    ),
    "name": (
        "{value} is the {label} of {subject}.",
        "The {label} of {subject} is {value}.",
        "The {kind}'s {label} is {value}.",
        "Registers give {value} as the {label}.",
    ),
    "boolean": (
        "Asked for {label}, the records say {value}.",
        "Under {label}, the entry for {subject} reads {value}.",
    ),
}
"""How an encyclopedia, a newspaper or an office puts it."""

CASUAL: Bank = {
    "count": (
        "Pretty sure {subject} has {value} {label}.",
        "{value} {label}, last I looked.",
        "I make it {value} {label}.",
    ),
    "amount": (
        "The {label} {be} {value}, if that helps.",
        "{value} is what I have for the {label}.",
        "As far as I know the {label} {be} {value}.",
    ),
    "year": (
        "The {label} {be} {value}, I looked it up.",
        "For the {label} I have {value}.",
        "As far as I know the {label} {be} {value}.",
    ),
    "date": (
        "The {label} {be} {value}, I looked it up.",
        "For the {label} I have {value}.",
    ),
    "event": (
        "Was {label} in {value}, if memory serves.",
        "{subject} was {label} in {value}, no doubt about it.",
    ),
    "event_date": (
        "Was {label} on {value}, if memory serves.",
        "{subject} was {label} on {value}, no doubt about it.",
    ),
    "preposition": ("That is {label} {value}, for the record.", "On record {label} {value}, it says here."),
    "text": (
        "The {label} {be} {value}, everybody here knows that.",
        "For {label} it says {value}.",
        "As far as I know the {label} {be} {value}.",
    ),
    "name": (
        "The {label} is {value}, everybody here knows that.",
        "{value} is the {label}, as far as I know.",
        "Well, the {label} is {value}.",
    ),
    "boolean": ("For {label} it says {value}.", "On {label}: {value}, according to what I have."),
}
"""How people put it among themselves."""


def sentence(stream: Stream, subjects: Subjects, column: Stated, bank: Bank = PLAIN) -> Passages:
    """Say a column's value of each subject in a sentence, its wording drawn from the column's own or from `bank`.

    Nothing is said where the value is not. A subject is called by its name, or by what it is: `the football club`.
    A sentence begins with the space that parts it from what stands before.
    """
    sort = sort_of(column)
    templates = [form for template in column.sentences or bank[sort] for form in _called(template, subjects.label)]
    choice = stream.child(column.key).integers(subjects.rows, 0, len(templates) - 1)
    label = column.label.removeprefix(_NUMBER_OF)
    wordings = [_worded(template, subjects.label, label) for template in templates]
    if sort == "count" and not column.sentences:
        wordings += [_worded(template, subjects.label, singular(label)) for template in templates]
        one = pc.fill_null(pc.equal(column.bare.text, "1"), False)
        choice += len(templates) * one.to_numpy(zero_copy_only=False)
    return fill_chosen(choice, wordings, subject=unmarked(subjects.called), value=column.value)


def sort_of(column: Stated) -> Sort:
    """Tell what sort of statement a column's value makes, by its kind and by how its label reads."""
    match column.kind:
        case "integer" | "number":
            counted = column.label.startswith(_NUMBER_OF) or (is_plural(column.label) and not column.unit)
            return "count" if counted and column.kind == "integer" else "amount"
        case "year" | "date":
            if column.label.startswith(_PREPOSITIONS):
                return "preposition"
            if _EVENT.search(column.label):
                return "event" if column.kind == "year" else "event_date"
            return column.kind
        case "boolean":
            return "boolean"
        case _:
            return "name" if column.refers else "text"


def _called(template: str, label: str) -> list[str]:
    """Return a template as it is and, if it names its subject, with what the subject is in the name's place."""
    if "{subject}" not in template:
        return [template]
    called = f"The {label}" if template.startswith("{subject}") else f"the {label}"
    return [template, template.replace("{subject}", called, 1)]


def _worded(template: str, kind: str, label: str) -> str:
    """Put a column's label into a template, with the words that depend on it, and a space before."""
    words = {"{kind}": kind, "{label}": label, "{a_label}": with_article(label), "{be}": be(label)}
    for slot, word in words.items():
        template = template.replace(slot, word)
    return f" {template}"
