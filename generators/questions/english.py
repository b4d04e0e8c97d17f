"""English wordings for list tasks.

A wording has three parts: what is wanted, which columns, and the answer's form, which follows the WideSearch benchmark:
one Markdown table in a block fenced as `markdown`, its columns named in order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from worldforge.core.chance import Stream

OPENINGS = (
    "List all {plural} {conditions}.",
    "Find every {label} {conditions}.",
    "I need a complete list of the {plural} {conditions}.",
    "Which {plural} are there {conditions}? Please find all of them.",
    "Compile a table of all {plural} {conditions}.",
    "Please look up all {plural} {conditions}.",
    "I am putting together an overview of the {plural} {conditions}. Please find them all.",
    "Research the {plural} {conditions}, leaving none out.",
)
COLUMNS = (
    "For each, give {columns}.",
    "I would like to know {columns} for each of them.",
    "Each row should state {columns}.",
    "Next to each, please note {columns}.",
)
FORM = (
    "Answer with one Markdown table and nothing else, in a block that opens with ```markdown and closes with ```. "
    "One row for each {label}; the columns, named exactly so and in this order, are: {labels}. "
    "Give numbers without rounding."
)
SETTLED = {
    "date": "Where pages disagree, go by the page published last.",
    "authority": "Where pages disagree, go by the first of these that has the value, and among equals by the page "
    "published last: {sites}.",
    "majority": "Where pages disagree, go by what most pages say.",
}
"""How a question says what to do where pages disagree, by the rule of the world."""
OWN_SITES = "official sites"
PHRASES: dict[tuple[str, str], tuple[str, ...]] = {
    ("reference", "="): (
        "whose {label} {be} {value}",
        "that {have} {value} as {label}",
        "with {value} as {label}",
    ),
    ("text", "="): ("whose {label} {be} {value}", "with {value} as {label}", "that {have} {value} as {label}"),
    ("boolean", "="): ("whose entry for {label} is {value}", "that {are} listed with {value} under {label}"),
    ("year", ">"): ("whose {label} {be} later than {value}", "with {label} after {value}"),
    ("year", "<"): ("whose {label} {be} earlier than {value}", "with {label} before {value}"),
    ("date", ">"): ("whose {label} {be} after {value}", "with {label} later than {value}"),
    ("date", "<"): ("whose {label} {be} before {value}", "with {label} earlier than {value}"),
    ("number", ">"): (
        "whose {label} {be} above {value}",
        "with {label} of more than {value}",
        "whose {label} {exceed} {value}",
    ),
    ("number", "<"): (
        "whose {label} {be} below {value}",
        "with {label} of less than {value}",
        "whose {label} {stay} under {value}",
    ),
}
ONE, SEVERAL = {"have": "has", "are": "is"}, {"have": "have", "are": "are"}
JOINS = (" of ", " a ", " in ", " per ", " for ")


def list_all(
    stream: Stream,
    label: str,
    plural: str,
    conditions: Sequence[tuple[str, str, str, str]],
    columns: Sequence[str],
) -> str:
    """Word one list task.

    `conditions` are (label, sort, operator, value as written, unit included), with sort one of the first halves of
    PHRASES' keys; `columns` are the answer's column names, the key first. `stream` is the task's own.
    """
    *drawn, which, how = stream.bits(np.arange(2 + len(conditions))).tolist()
    opening = _choose(OPENINGS, which)
    verbs = ONE if "{label}" in opening else SEVERAL
    phrases = [_phrase(draw, verbs, *condition) for draw, condition in zip(drawn, conditions, strict=True)]
    opening = opening.format(label=label, plural=plural, conditions=" and ".join(phrases))
    wanted = _choose(COLUMNS, how).format(columns=column_words(columns))
    return "\n\n".join([f"{opening} {wanted}", form_of(label, columns)])


def column_words(columns: Sequence[str]) -> str:
    """Name an answer's columns in a sentence, the key first: `the name, the founding year and the home town`."""
    return _enumerated(["the name", *(f"the {name[:1].lower()}{name[1:]}" for name in columns[1:])])


def form_of(label: str, columns: Sequence[str]) -> str:
    """Say in which form the answer is due."""
    return FORM.format(label=label, labels=", ".join(columns))


def settled(rule: str, sites: Sequence[Sequence[str]]) -> str:
    """Say the rule by which pages that disagree are settled: `date`, `authority` or `majority`.

    `sites` are names of sites that count alike, those that count most first; an empty name stands for entities' own.
    """
    named = [_enumerated([name or OWN_SITES for name in level]) for level in sites]
    return SETTLED[rule].format(sites="; then ".join(named))


def _phrase(draw: int, verbs: Mapping[str, str], label: str, sort: str, operator: str, value: str) -> str:
    head = min((label.partition(join)[0] for join in JOINS), key=len)
    plural = head.endswith("s") and not head.endswith("ss")
    be, exceed, stay = ("are", "exceed", "stay") if plural else ("is", "exceeds", "stays")
    chosen = _choose(PHRASES[sort, operator], draw)
    return chosen.format(label=label, value=value, be=be, exceed=exceed, stay=stay, **verbs)


def _choose(bank: tuple[str, ...], draw: int) -> str:
    return bank[draw % len(bank)]


def _enumerated(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
