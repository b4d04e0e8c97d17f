"""A newspaper's feature: headline, date, what is reported paragraph by paragraph, voices between, readers' comments."""

from __future__ import annotations

from typing import Annotated

from generators.pages.furniture import comments, page_bottom, page_top
from generators.pages.layout import dated, title_of, with_articles
from generators.pages.prose_writer import ProseWriter
from generators.pages.related import elsewhere, referrers, related
from generators.pages.wordings import page_wordings
from worldforge.world.page_inputs import Layout, Subject
from worldforge.world.page_writer import Page


def news(page: Page, subject: Subject) -> Annotated[None, Layout(site="Herald", max_age=720, relations=False)]:
    """Write a feature that tells its facts in sentences."""
    bank, draws = page_wordings(page).news, page.draws
    page.title = title_of(page, subject, draws.pick(bank.headlines))
    page_top(page)
    page.heading(page.title)
    page.fill(bank.byline, site=page.site, date=dated(page.published, page.language), desk=draws.pick(bank.desks))
    writer = ProseWriter(page, subject)
    if writer.words is None or (len(writer.remaining) < 2 and not writer.lead()):
        label = bank.label.replace("{label}", subject.label)
        page.say(
            with_articles(page, subject, draws.pick(bank.leads)),
            name=subject.linked_name,
            label=label,
            plural=subject.plural,
        )
        page.end_paragraph()
    keys = draws.shuffled(list(writer.remaining))
    if draws.chance(0.5):
        writer.filler()
    for start in range(0, len(keys), 3):
        writer.tell(keys[start : start + 3])
        writer.filler(0.7)
        writer.end_paragraph()
        writer.quote_in_sentence(0.5)
        writer.filler(0.4)
        writer.end_paragraph()
    referrers(page, writer, 4, level=2)
    related(page, writer)
    elsewhere(page, writer, bank.elsewhere)
    page.line(draws.pick(bank.closings))
    comments(page, writer)
    page_bottom(page)
