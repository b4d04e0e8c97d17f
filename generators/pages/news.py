"""A newspaper's item: headline, date, lead, what is reported, a voice, a closing line."""

from __future__ import annotations

from typing import Annotated

from generators.pages.fact_sentences import tell
from generators.pages.layout import dated, dealt
from generators.pages.wordings import wordings
from worldforge.world.page_writer import Layout, Page, Subject


def news(page: Page, subject: Subject) -> Annotated[None, Layout(site="Herald", max_age=720, relations=False)]:
    """Write an item that states its facts in sentences."""
    bank, draws = wordings(page.language).news, page.draws
    page.heading(draws.pick(bank.headlines), name=subject.name)
    page.fill(bank.byline, site=page.site, date=dated(page.published, page.language), desk=draws.pick(bank.desks))
    label = bank.label.replace("{label}", subject.label)
    page.say(draws.pick(bank.leads), name=subject.linked_name, label=label, plural=subject.plural)
    page.end_paragraph()
    page.say(draws.pick(bank.say))
    first, second = dealt(page, subject.facts)
    for fact in (*first, *second):
        tell(page, subject, fact)
    page.end_paragraph()
    page.fill(bank.quoted, quote=draws.pick(bank.quotes), speaker=draws.pick(bank.speakers))
    page.line(draws.pick(bank.closings))
