"""A page of a fans' wiki: a chatty start, an infobox, what one has to know, trivia, tables of relations."""

from __future__ import annotations

from typing import Annotated

from generators.pages.furniture import more_links, user_name
from generators.pages.layout import capitalised, dated, dealt, relation_section, with_articles
from generators.pages.prose_writer import ProseWriter
from generators.pages.wordings import page_wordings
from worldforge.world.page_inputs import Layout, Subject
from worldforge.world.page_writer import Page


def fan(
    page: Page, subject: Subject
) -> Annotated[None, Layout(path="/fandom/{kind}/{name}", site="Fan Wiki", max_age=600)]:
    """Write fans' page: each fact in the infobox, and once more in the text or among the trivia."""
    bank, draws = page_wordings(page).fan, page.draws
    page.heading("{name}", name=subject.name)
    page.say(with_articles(page, subject, draws.pick(bank.intros)), name=subject.linked_name, plural=subject.plural)
    open_facts = [(capitalised(a.label), value) for a, value in subject.facts if a.is_open]
    if open_facts:
        page.table([subject.name.text, subject.label], open_facts)
    writer = ProseWriter(page, subject)
    told, trivia = dealt(page, subject.facts)
    page.heading(draws.pick(bank.shorts), level=2)
    page.say(draws.pick(bank.openings))
    writer.chatter(0.5)
    writer.tell([fact.attribute.key for fact in told], voice="talk")
    writer.chatter(0.5)
    writer.end_paragraph()
    if trivia:
        page.heading(draws.pick(bank.trivia), level=2)
        for fact in trivia:
            page.write("- ")
            writer.tell([fact.attribute.key], voice="talk")
            page.end_line()
    for relation in subject.relations:
        relation_section(page, writer, relation)
    page.say(draws.pick(bank.notes))
    page.end_paragraph()
    more_links(page)
    user = user_name(page)
    page.line(draws.pick(bank.footers), user=user, date=dated(page.published, page.language))
