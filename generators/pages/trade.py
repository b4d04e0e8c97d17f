"""A trade paper's brief: figures first, then in a paragraph what else is known, and a view that gives nothing away."""

from __future__ import annotations

from typing import Annotated

from generators.pages.furniture import more_links
from generators.pages.layout import capitalised, dated, with_articles
from generators.pages.prose_writer import ProseWriter
from generators.pages.wordings import page_wordings
from worldforge.world.page_inputs import Layout, Subject
from worldforge.world.page_writer import Page


def trade(
    page: Page, subject: Subject
) -> Annotated[None, Layout(path="/briefs/{kind}/{name}", site="Trade Review", max_age=540, relations=False)]:
    """Write a brief: its figures in a list, everything else in sentences."""
    bank, draws = page_wordings(page).trade, page.draws
    page.heading(with_articles(page, subject, draws.pick(bank.headlines)), name=subject.name)
    date, section = dated(page.published, page.language), draws.pick(bank.sections)
    page.fill(bank.byline, site=page.site, section=section, date=date)
    figures = [fact for fact in subject.facts if fact.attribute.is_figure and fact.attribute.is_open]
    if figures:
        page.write("**", draws.pick(bank.figures), "**\n\n")
        for attribute, value in figures:
            page.fill(bank.figure, label=capitalised(attribute.label), value=value)
    page.say(with_articles(page, subject, draws.pick(bank.leads)), name=subject.linked_name, plural=subject.plural)
    writer = ProseWriter(page, subject)
    writer.filler(0.6)
    told = draws.shuffled([fact.attribute.key for fact in subject.facts if fact not in figures])
    writer.tell(told)
    writer.filler(0.7)
    writer.end_paragraph()
    writer.quote_in_sentence(0.6)
    page.say(draws.pick(bank.views))
    page.end_paragraph()
    more_links(page)
    page.line(draws.pick(bank.closings))
