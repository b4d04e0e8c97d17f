"""An organisation's own site: who we are, theme by theme, how to write to us."""

from __future__ import annotations

from typing import Annotated

from generators.pages.furniture import page_bottom, page_top
from generators.pages.layout import dated, fact_lines, relation_section, title_of, voices, with_articles
from generators.pages.prose_writer import ProseWriter
from generators.pages.related import elsewhere, referrer_sections, related_section
from generators.pages.wordings import page_wordings
from worldforge.world.page_inputs import Layout, Subject
from worldforge.world.page_writer import Page


def official(page: Page, subject: Subject) -> Annotated[None, Layout(max_age=700, own_host=True, article=True)]:
    """Write the own site of an entity: its facts in sentences, a few of those that may stand in lists as key facts."""
    bank, draws = page_wordings(page).official, page.draws
    page.title = title_of(page, subject, bank.title)
    page_top(page)
    page.heading("{name}", name=subject.name)
    page.heading(draws.pick(bank.about), level=2)
    page.say(with_articles(page, subject, draws.pick(bank.welcomes)), name=subject.called.text)
    page.say(draws.pick(bank.missions))
    writer = ProseWriter(page, subject, linked=False)
    writer.filler(0.6)
    writer.end_paragraph()
    writer.tell_by_theme(level=3 if draws.chance(0.5) else None)
    key_facts = [fact for fact in subject.facts if fact.attribute.is_open]
    if page.phrases is not None:
        key_facts = [fact for fact in key_facts if draws.chance(0.5)]
    if key_facts:
        page.heading(draws.pick(bank.facts), level=2)
        fact_lines(page, key_facts)
    for relation in subject.relations:
        relation_section(page, writer, relation)
    referrer_sections(page, writer)
    related_section(page, writer, bank.related)
    voices(page, writer, bank.voices)
    elsewhere(page, writer, page_wordings(page).news.elsewhere)
    page.heading(bank.contact, level=2)
    page.say(draws.pick(bank.contacts))
    page.end_paragraph()
    if subject.addresses:
        fact_lines(page, subject.addresses)
        page.write("\n")
    page.line(
        with_articles(page, subject, draws.pick(bank.footers)),
        date=dated(page.published, page.language),
        name=subject.called.text,
    )
    page_bottom(page)
