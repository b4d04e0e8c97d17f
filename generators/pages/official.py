"""An organisation's own site: who we are, key facts, how to write to us."""

from __future__ import annotations

from typing import Annotated

from generators.pages.fact_sentences import tell
from generators.pages.layout import capitalised, dated, dealt, relation_table
from generators.pages.wordings import wordings
from worldforge.world.page_writer import Layout, Page, Subject


def official(page: Page, subject: Subject) -> Annotated[None, Layout(max_age=700, own_host=True, article=True)]:
    """Write the own site of an entity: its facts in sentences, and again in a list of key facts."""
    bank, draws = wordings(page.language).official, page.draws
    page.title = bank.title.replace("{name}", subject.name.text)
    page.heading("{name}", name=subject.name)
    page.heading(draws.pick(bank.about), level=2)
    page.say(draws.pick(bank.welcomes), name=subject.called.text)
    page.say(draws.pick(bank.missions))
    first, second = dealt(page, subject.facts)
    for fact in (*first, *second):
        tell(page, subject, fact)
    page.heading(draws.pick(bank.facts), level=2)
    for attribute, value in subject.facts:
        page.fill(bank.fact, label=capitalised(attribute.label), value=value)
    page.fill(bank.kind, label=subject.label)
    for relation in subject.relations:
        relation_table(page, relation)
    page.heading(bank.contact, level=2)
    page.say(draws.pick(bank.contacts))
    page.end_paragraph()
    page.line(draws.pick(bank.footers), date=dated(page.published, page.language), name=subject.called.text)
