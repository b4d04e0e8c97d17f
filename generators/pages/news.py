"""A newspaper's item: headline, date, lead, what is reported, a voice, a closing line."""

from __future__ import annotations

from typing import Annotated

from generators.pages.banks import BANKS
from generators.pages.fact_sentences import sentence
from generators.pages.layout import dated, days_before, dealt, draw, draw_filled
from worldforge.core.chance import Stream
from worldforge.world.page_draft import Layout, PageDraft, Subjects
from worldforge.world.passages import Part, Passages, concat, pieces, slots_of

_ISSUED_DAYS = 720


def news(
    stream: Stream, subjects: Subjects
) -> Annotated[PageDraft, Layout(path="/{kind}/{name}", site="Herald", relations=False)]:
    """Write an item on each subject, which states what it is given to state in sentences."""
    rows = subjects.rows
    bank = BANKS[subjects.language].news
    published = days_before(stream.child("published"), subjects, _ISSUED_DAYS)
    headline = draw_filled(stream.child("headline"), rows, bank.headlines, name=subjects.names)
    desk = draw(stream.child("desk"), rows, bank.desks)
    text = concat(
        "# ",
        headline,
        "\n\n",
        *pieces(bank.byline, site=subjects.site, date=dated(published, subjects.language), desk=desk),
        _lead(stream, subjects),
        "\n\n",
        *_report(stream, subjects),
        *slots_of(
            bank.quoted,
            {
                "quote": draw(stream.child("quote"), rows, bank.quotes),
                "speaker": draw(stream.child("speaker"), rows, bank.speakers),
            },
        ),
        draw(stream.child("closing"), rows, bank.closings),
        "\n",
    )
    return PageDraft(headline.text, text, published)


def _lead(stream: Stream, subjects: Subjects) -> Passages:
    bank = BANKS[subjects.language].news
    words = {"label": bank.label.replace("{label}", subjects.label), "plural": subjects.plural}
    return draw_filled(stream.child("lead"), subjects.rows, bank.leads, name=subjects.linked_names, **words)


def _report(stream: Stream, subjects: Subjects) -> list[Part]:
    said = {column.key: sentence(stream.child("wording"), subjects, column) for column in subjects.columns}
    first, second = dealt(stream.child("order"), subjects.rows, said)
    say = BANKS[subjects.language].news.say
    return [draw(stream.child("say"), subjects.rows, say), *first, *second, "\n\n"]
