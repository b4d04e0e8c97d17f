"""An encyclopedia's article: infobox, lead, prose, a table for each relation, where to read on."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from generators.pages.english import capitalised, with_article
from generators.pages.layout import (
    dated,
    days_before,
    dealt,
    draw,
    draw_filled,
    section,
    unmarked,
)
from generators.pages.sentences import sentence
from worldforge.core.chance import Stream
from worldforge.world.draft import Draft, Layout, Stated, Subjects
from worldforge.world.passages import Part, concat, fill, pieces, repeat

_PROSE_SHARE = 0.8  # of the facts in the infobox, those that the prose says again
_EDITED_DAYS = 900

_LEADS = (
    "**{name}** is {a_label} whose {reference} is {value}.",
    "**{name}** is {a_label}; the {reference} is {value}.",
    "**{name}** is {a_label} with {value} as {reference}.",
    "**{name}**, {a_label}, has {value} as {reference}.",
)
_BARE_LEADS = (
    "**{name}** is {a_label}.",
    "**{name}** is {a_label} with an entry of its own in this encyclopedia.",
    "**{name}** is one of the {plural} described in this encyclopedia.",
)
_OTHER_NAMES = (
    " The {kind} is known as {also} as well.",
    " The {kind}, also known as {also}, is entered here under the usual name.",
    " Readers may know the {kind} as {also}, too.",
)
_HEADINGS = ("Overview", "Profile", "Background", "Description", "Details")
_OPENINGS = (
    "The following is drawn from public registers and from what readers have sent in.",
    "Several sources treat the subject, and they agree on the main points.",
    "This section gathers what is known from printed sources.",
    "What follows has been checked against the registers.",
    "The main points can be told in a few lines.",
    "Older descriptions are brief; newer ones add some detail.",
)
_CLOSINGS = (
    " Further sources are welcome on the discussion page.",
    " Readers who know more are invited to add to this article.",
    "",
    "",
)
_SOURCES = (
    "- Public registers, current edition\n- Correspondence with readers",
    "- Register extracts, on file with the editors\n- Own enquiries",
    "- Printed handbooks, several editions\n- Notes left by earlier editors",
    "- Local newspapers\n- Public registers",
    "- Answers to a questionnaire of the editors",
)
_FOOTERS = (
    "*This article was last edited on {date}.*",
    "*Last revised {date}. Text may be reused under the terms of {site}.*",
    "*{site}, version of {date}.*",
)


def encyclopedia(
    stream: Stream, subjects: Subjects
) -> Annotated[Draft, Layout(path="/wiki/{name}", site="Encyclopedia", article=True, introduces=True)]:
    """Write an article on each subject: each fact in the infobox, most of them in the prose as well."""
    published = days_before(stream.child("published"), subjects, _EDITED_DAYS)
    footer = draw_filled(stream.child("footer"), subjects.rows, _FOOTERS, date=dated(published), site=subjects.site)
    text = concat(
        "# ",
        subjects.names,
        "\n\n",
        *_infobox(subjects),
        *_prose(stream, subjects),
        *[section(related) for related in subjects.relations],
        *_see_also(subjects),
        "## Sources\n\n",
        draw(stream.child("sources"), subjects.rows, _SOURCES),
        "\n\n",
        footer,
        "\n",
    )
    return Draft(subjects.names.text, text, published)


def _infobox(subjects: Subjects) -> list[Part]:
    parts: list[Part] = [f"| {capitalised(subjects.label)} | ", unmarked(subjects.names), " |\n|:---|:---|\n"]
    for column in subjects.columns:
        parts += pieces("| {label} | {value} |\n", label=capitalised(column.label), value=column.value)
    return [*parts, "\n"]


def _prose(stream: Stream, subjects: Subjects) -> list[Part]:
    """Write a lead and a section; which facts stand in which, and which in neither, is left to chance."""
    reference = next((column for column in subjects.columns if column.refers and not column.sentences), None)
    said = {
        column.key: sentence(stream.child("wording"), subjects, column)
        for column in subjects.columns
        if column is not reference
    }
    first, second = dealt(stream.child("said"), subjects.rows, said, _PROSE_SHARE)
    return [
        *_lead(stream.child("lead"), subjects, reference),
        *_also(stream.child("also"), subjects),
        *first,
        "\n\n## ",
        draw(stream.child("heading"), subjects.rows, _HEADINGS),
        "\n\n",
        draw(stream.child("opening"), subjects.rows, _OPENINGS),
        *second,
        draw(stream.child("closing"), subjects.rows, _CLOSINGS),
        "\n\n",
    ]


def _lead(stream: Stream, subjects: Subjects, reference: Stated | None) -> list[Part]:
    slots: dict[str, Part] = {
        "name": subjects.names,
        "a_label": with_article(subjects.label),
        "plural": subjects.plural,
    }
    bare = draw_filled(stream.child("bare"), subjects.rows, _BARE_LEADS, **slots)
    if reference is None:
        return [bare]
    slots |= {"reference": reference.label, "value": reference.value}
    lead = draw_filled(stream, subjects.rows, _LEADS, **slots)
    return [lead, bare.keep(~lead.said)]


def _also(stream: Stream, subjects: Subjects) -> list[Part]:
    """Say by which other names the subject is known; nothing where there are none."""
    if not subjects.also.said.any():
        return []
    return [draw_filled(stream, subjects.rows, _OTHER_NAMES, kind=subjects.label, also=subjects.also)]


def _see_also(subjects: Subjects) -> list[Part]:
    """Write where to read on; nothing where there is nowhere."""
    links = [fill("- {link}\n", link=link) for link in subjects.elsewhere]
    n = len(subjects.rows)
    some = np.logical_or.reduce([link.said for link in links], axis=0, initial=False)
    heading, end = repeat("## See also\n\n", n).keep(some), repeat("\n", n).keep(some)
    return [heading, *links, end]
