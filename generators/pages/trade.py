"""A trade paper's brief: figures first, then in a paragraph what else is known, and a view that gives nothing away."""

from __future__ import annotations

from typing import Annotated

from generators.pages.banks.trade_bank import TRADE
from generators.pages.english_starts import capitalised
from generators.pages.fact_sentences import sentence
from generators.pages.layout import dated, days_before, dealt, draw, draw_filled, is_figure, under_heading
from worldforge.core.chance import Stream
from worldforge.world.page_draft import Layout, PageDraft, Subjects
from worldforge.world.passages import Part, concat, fill, pieces

_ISSUED_DAYS = 540


def trade(
    stream: Stream, subjects: Subjects
) -> Annotated[PageDraft, Layout(path="/briefs/{kind}/{name}", site="Trade Review", relations=False)]:
    """Write a brief on each subject: its figures in a list, everything else in sentences."""
    rows, bank = subjects.rows, TRADE[subjects.language]
    published = days_before(stream.child("published"), subjects, _ISSUED_DAYS)
    headline = draw_filled(stream.child("headline"), rows, bank.headlines, name=subjects.names)
    section = draw(stream.child("section"), rows, bank.sections)
    said = {
        column.key: sentence(stream.child("wording"), subjects, column, bank.sentences)
        for column in subjects.columns
        if not is_figure(column)
    }
    first, second = dealt(stream.child("order"), rows, said)
    lead = draw_filled(stream.child("lead"), rows, bank.leads, name=subjects.linked_names, plural=subjects.plural)
    text = concat(
        "# ",
        headline,
        "\n\n",
        *pieces(bank.byline, site=subjects.site, section=section, date=dated(published, subjects.language)),
        *_figures(stream, subjects),
        lead,
        *first,
        *second,
        "\n\n",
        draw(stream.child("view"), rows, bank.views),
        "\n\n",
        draw(stream.child("closing"), rows, bank.closings),
        "\n",
    )
    return PageDraft(headline.text, text, published)


def _figures(stream: Stream, subjects: Subjects) -> list[Part]:
    """List the figures under a heading; nothing where there are none."""
    bank = TRADE[subjects.language]
    lines = [
        fill(bank.figure, label=capitalised(column.label), value=column.value)
        for column in subjects.columns
        if is_figure(column)
    ]
    return under_heading(["**", draw(stream.child("figures"), subjects.rows, bank.figures), "**\n\n"], lines)
