"""An encyclopedia's article: infobox, lead, prose, a table for each relation, where to read on."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from generators.pages.banks import BANKS, Bank
from generators.pages.english_starts import capitalised
from generators.pages.fact_sentences import sentence
from generators.pages.layout import (
    dated,
    days_before,
    dealt,
    draw,
    draw_filled,
    section,
    unmarked,
)
from worldforge.core.chance import Stream
from worldforge.core.english import with_article
from worldforge.world.page_draft import Layout, PageColumn, PageDraft, Subjects
from worldforge.world.passages import Part, concat, fill, pieces, repeat

_PROSE_SHARE = 0.8  # of the facts in the infobox, those that the prose says again
_EDITED_DAYS = 900


def encyclopedia(
    stream: Stream, subjects: Subjects
) -> Annotated[PageDraft, Layout(path="/wiki/{name}", site="Encyclopedia", article=True, introduces=True)]:
    """Write an article on each subject: each fact in the infobox, most of them in the prose as well."""
    bank = BANKS[subjects.language].encyclopedia
    published = days_before(stream.child("published"), subjects, _EDITED_DAYS)
    date = dated(published, subjects.language)
    footer = draw_filled(stream.child("footer"), subjects.rows, bank.footers, date=date, site=subjects.site)
    text = concat(
        "# ",
        subjects.titles,
        "\n\n",
        *_infobox(subjects),
        *_prose(stream, subjects),
        *[section(related) for related in subjects.relations],
        *_see_also(subjects),
        f"## {bank.sources_heading}\n\n",
        draw(stream.child("sources"), subjects.rows, bank.sources),
        "\n\n",
        footer,
        "\n",
    )
    return PageDraft(subjects.titles.text, text, published)


def _infobox(subjects: Subjects) -> list[Part]:
    parts: list[Part] = [f"| {capitalised(subjects.label)} | ", unmarked(subjects.names), " |\n|:---|:---|\n"]
    for column in subjects.columns:
        parts += pieces("| {label} | {value} |\n", label=capitalised(column.label), value=column.value)
    return [*parts, "\n"]


def _prose(stream: Stream, subjects: Subjects) -> list[Part]:
    """Write a lead and a section; which facts stand in which, and which in neither, is left to chance."""
    bank = BANKS[subjects.language]
    own = bank.encyclopedia
    reference = next((column for column in subjects.columns if column.refers and not column.sentences), None)
    said = {
        column.key: sentence(stream.child("wording"), subjects, column)
        for column in subjects.columns
        if column is not reference
    }
    first, second = dealt(stream.child("said"), subjects.rows, said, _PROSE_SHARE)
    return [
        *_lead(stream.child("lead"), subjects, reference, bank),
        *_also(stream.child("also"), subjects),
        *first,
        "\n\n## ",
        draw(stream.child("heading"), subjects.rows, own.headings),
        "\n\n",
        draw(stream.child("opening"), subjects.rows, own.openings),
        *second,
        draw(stream.child("closing"), subjects.rows, own.closings),
        "\n\n",
    ]


def _lead(stream: Stream, subjects: Subjects, reference: PageColumn | None, bank: Bank) -> list[Part]:
    slots: dict[str, Part] = {
        "name": subjects.names,
        "a_label": with_article(subjects.label) if bank.space else subjects.label,
        "plural": subjects.plural,
    }
    bare_leads, leads = bank.encyclopedia.bare_leads, bank.encyclopedia.leads
    if subjects.original is not None:
        slots["original"] = fill(bank.encyclopedia.original, name=subjects.original).otherwise("")
        bare_leads, leads = (
            tuple(one.replace("**{name}**", "**{name}**{original}") for one in templates)
            for templates in (bare_leads, leads)
        )
    bare = draw_filled(stream.child("bare"), subjects.rows, bare_leads, **slots)
    if reference is None:
        return [bare]
    slots |= {"reference": reference.label, "value": reference.value}
    lead = draw_filled(stream, subjects.rows, leads, **slots)
    return [lead, bare.keep(~lead.said)]


def _also(stream: Stream, subjects: Subjects) -> list[Part]:
    """Say by which other names the subject is known; nothing where there are none."""
    if not subjects.also.said.any():
        return []
    return [
        draw_filled(
            stream,
            subjects.rows,
            BANKS[subjects.language].encyclopedia.other_names,
            kind=subjects.label,
            name=subjects.names,
            also=subjects.also,
        )
    ]


def _see_also(subjects: Subjects) -> list[Part]:
    """Write where to read on; nothing where there is nowhere."""
    links = [fill("- {link}\n", link=link) for link in subjects.elsewhere()]
    n = len(subjects.rows)
    some = np.logical_or.reduce([link.said for link in links], axis=0, initial=False)
    heading, end = (
        repeat(f"## {BANKS[subjects.language].encyclopedia.see_also}\n\n", n).keep(some),
        repeat("\n", n).keep(some),
    )
    return [heading, *links, end]
