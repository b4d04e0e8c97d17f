"""An encyclopedia's article: infobox, lead, prose, a table for each relation, where to read on."""

from __future__ import annotations

from typing import Annotated

from generators.pages.english import capitalised, with_article
from generators.pages.layout import (
    chance,
    dated,
    days_before,
    draw,
    draw_filled,
    either,
    section,
    swapped,
    unmarked,
)
from generators.pages.sentences import sentence
from worldforge.core.chance import Stream
from worldforge.world.draft import Draft, Layout, Stated, Subjects
from worldforge.world.passages import Passages, concat, fill, repeat

_PROSE_SHARE = 0.8  # of the facts in the infobox, those that the prose says again
_EDITED_DAYS = 900

_LEADS = (
    "**{name}** is {a_label} whose {reference} is {value}.",
    "**{name}** is {a_label}; the {reference} is {value}.",
    "**{name}** is {a_label} with {value} as its {reference}.",
    "**{name}**, {a_label}, has {value} as {reference}.",
)
_BARE_LEADS = (
    "**{name}** is {a_label}.",
    "**{name}** is {a_label} with an entry of its own in this encyclopedia.",
    "**{name}** is one of the {plural} described in this encyclopedia.",
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
_FOOTERS = (
    "*This article was last edited on {date}.*",
    "*Last revised {date}. Text may be reused under the terms of {site}.*",
    "*{site}, version of {date}.*",
)


def encyclopedia(
    stream: Stream, subjects: Subjects
) -> Annotated[Draft, Layout(path="/wiki/{name}", site="Encyclopedia", article=True)]:
    """Write an article on each subject: each fact in the infobox, most of them in the prose as well."""
    published = days_before(stream.child("published"), subjects.rows, subjects.as_of, _EDITED_DAYS)
    footer = draw_filled(stream.child("footer"), subjects.rows, _FOOTERS, date=dated(published), site=subjects.site)
    text = concat(
        "# ",
        subjects.names,
        "\n\n",
        _infobox(subjects),
        _prose(stream, subjects),
        *[section(related) for related in subjects.relations],
        _see_also(subjects),
        footer,
        "\n",
    )
    return Draft(subjects.names.text, text, published)


def _infobox(subjects: Subjects) -> Passages:
    rows = [
        fill("| {label} | {value} |\n", label=capitalised(column.label), value=column.value)
        for column in subjects.columns
    ]
    head = f"| {capitalised(subjects.label)} | "
    return concat(head, unmarked(subjects.names), " |\n|:---|:---|\n", *rows, "\n")


def _prose(stream: Stream, subjects: Subjects) -> Passages:
    """Write a lead and a section; which facts go where, and which comes first, is left to chance."""
    reference = next((column for column in subjects.columns if column.refers and not column.sentences), None)
    told = [_sometimes(stream, subjects, column) for column in subjects.columns if column is not reference]
    half = (len(told) + 1) // 2
    first = _shuffled(stream.child("first"), subjects, told[:half])
    second = _shuffled(stream.child("second"), subjects, told[half:])
    swap = chance(stream.child("order"), subjects.rows, 0.5)
    return concat(
        _lead(stream.child("lead"), subjects, reference),
        either(second, first, swap),
        "\n\n## ",
        draw(stream.child("heading"), subjects.rows, _HEADINGS),
        "\n\n",
        draw(stream.child("opening"), subjects.rows, _OPENINGS),
        either(first, second, swap),
        draw(stream.child("closing"), subjects.rows, _CLOSINGS),
        "\n\n",
    )


def _sometimes(stream: Stream, subjects: Subjects, column: Stated) -> Passages:
    said = fill(" {sentence}", sentence=sentence(stream.child("wording"), subjects, column))
    return said.keep(chance(stream.child("said", column.key), subjects.rows, _PROSE_SHARE))


def _shuffled(stream: Stream, subjects: Subjects, sentences: list[Passages]) -> Passages:
    nothing = repeat("", len(subjects.rows))
    if len(sentences) < 2:
        return concat(nothing, *sentences)
    return swapped(sentences[0], concat(*sentences[1:]), chance(stream, subjects.rows, 0.5))


def _lead(stream: Stream, subjects: Subjects, reference: Stated | None) -> Passages:
    words = {"a_label": with_article(subjects.label), "plural": subjects.plural}
    bare = draw_filled(stream.child("bare"), subjects.rows, _BARE_LEADS, name=subjects.names, **words)
    if reference is None:
        return bare
    lead = draw_filled(
        stream, subjects.rows, _LEADS, name=subjects.names, reference=reference.label, value=reference.value, **words
    )
    return either(lead, bare, lead.said)


def _see_also(subjects: Subjects) -> Passages:
    links = [fill("- {link}\n", link=link) for link in subjects.elsewhere]
    if not links:
        return repeat("", len(subjects.rows))
    listed = concat(*links)
    return fill("## See also\n\n{links}\n", links=listed.keep(listed.length > 0))
