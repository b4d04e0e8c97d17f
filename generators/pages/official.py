"""An organisation's own site: who we are, key facts, how to write to us."""

from __future__ import annotations

from typing import Annotated

from generators.pages.english import capitalised
from generators.pages.layout import dated, days_before, dealt, draw, draw_filled, section, unmarked
from generators.pages.sentences import sentence
from worldforge.core.chance import Stream
from worldforge.world.draft import Draft, Layout, Subjects
from worldforge.world.passages import Part, concat, fill, pieces

_REVISED_DAYS = 700

_WELCOMES = (
    "Welcome to the official site of **{name}**.",
    "This is the home of **{name}** on the web.",
    "**{name}** welcomes you to its own pages.",
    "You have reached the official pages of **{name}**.",
)
_MISSIONS = (
    "We are glad that you are here, and we hope that you will find what you came for.",
    "Everything on these pages is kept up by a small team that cares about getting it right.",
    "Our doors are open to members, neighbours and guests alike.",
    "We believe in steady work, good company and honest accounts.",
    "What we do, we do for the people around us, and with them.",
    "On these pages you will find who we are and how to reach us.",
)
_ABOUT = ("About us", "Who we are", "About", "Our story")
_FACTS = ("Key facts", "At a glance", "In brief", "Facts and figures")
_CONTACTS = (
    "Write to our office through the form on this site; we answer every letter.",
    "Questions, praise and complaints reach us through the form on this site.",
    "Our office is open on working days. Please ring the bell at the side door.",
    "For enquiries from the press, please use the form and mark your message accordingly.",
    "Volunteers are always welcome. Leave a note at the office, and someone will call you back.",
)
_FOOTERS = (
    "*Page revised on {date}.*",
    "*Last update: {date}. All rights reserved.*",
    "*Responsible for these pages: the office of {name}. As of {date}.*",
)


def official(stream: Stream, subjects: Subjects) -> Annotated[Draft, Layout(own_host=True, article=True)]:
    """Write the own site of each subject: its facts in sentences, and again in a list of key facts."""
    rows = subjects.rows
    published = days_before(stream.child("published"), subjects, _REVISED_DAYS)
    called = unmarked(subjects.called)
    welcome = draw_filled(stream.child("welcome"), rows, _WELCOMES, name=called)
    said = {column.key: sentence(stream.child("wording"), subjects, column) for column in subjects.columns}
    first, second = dealt(stream.child("order"), rows, said)
    text = concat(
        "# ",
        subjects.names,
        "\n\n",
        "## ",
        draw(stream.child("about"), rows, _ABOUT),
        "\n\n",
        welcome,
        " ",
        draw(stream.child("mission"), rows, _MISSIONS),
        *first,
        *second,
        "\n\n",
        *_facts(stream, subjects),
        *[section(related) for related in subjects.relations],
        "## Contact\n\n",
        draw(stream.child("contact"), rows, _CONTACTS),
        "\n\n",
        draw_filled(stream.child("footer"), rows, _FOOTERS, date=dated(published), name=called),
        "\n",
    )
    title = fill("{name} – official site", name=unmarked(subjects.names))
    return Draft(title.text, text, published)


def _facts(stream: Stream, subjects: Subjects) -> list[Part]:
    parts: list[Part] = ["## ", draw(stream.child("facts"), subjects.rows, _FACTS), "\n\n"]
    for column in subjects.columns:
        parts += pieces("- **{label}:** {value}\n", label=capitalised(column.label), value=column.value)
    return [*parts, f"- **Kind:** {subjects.label}\n\n"]
