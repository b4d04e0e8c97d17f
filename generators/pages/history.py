"""A history: a long document about one entity, with a chapter on each sort of entity that belongs to it."""

from __future__ import annotations

from typing import Annotated

from generators.pages.furniture import page_bottom, page_top
from generators.pages.layout import capitalised, dated, relation_section, with_articles
from generators.pages.prose_writer import ProseWriter
from generators.pages.related import elsewhere, is_new, names_subject, referrers, related, related_section, told_rows
from generators.pages.wordings import page_wordings
from worldforge.world.page_inputs import Layout, Subject
from worldforge.world.page_writer import Page

_LAYOUT = Layout(site="Library", max_age=700)


def history(page: Page, subject: Subject) -> Annotated[None, _LAYOUT]:
    """Write what is known of an entity, and a section on each entity whose facts name it."""
    bank, draws = page_wordings(page).history, page.draws
    page_top(page)
    page.heading(with_articles(page, subject, draws.pick(bank.titles)), name=subject.name)
    writer = ProseWriter(page, subject, linked=False)
    page.say(draws.pick(bank.openings), site=page.site)
    page.end_paragraph()
    writer.lead()
    writer.tell_by_theme(level=2)
    for relation in subject.relations:
        relation_section(page, writer, relation)
    for chapter in subject.referrers():
        entities = [entity for entity in chapter.entities if is_new(page, entity)]
        if entities:
            page.heading(capitalised(chapter.plural), level=2)
        for number, entity in enumerate(entities):
            _section(page, entity, without="" if names_subject(page, number) else chapter.column)
    related_section(page, writer, bank.related)
    elsewhere(page, writer, bank.elsewhere)
    page.line(draws.pick(bank.closings), date=dated(page.published, page.language), site=page.site)
    page_bottom(page)


def _section(page: Page, entity: Subject, without: str) -> None:
    """Write a section on an entity: the facts that the page may state of it, and some of entities that belong to it.

    The column `without`, which names the page's subject, is left out: the chapter's heading says it.
    """
    page.others.add((entity.type, entity.row))
    page.heading("{name}", level=3, name=entity.title)
    writer = ProseWriter(page, entity, linked=False, among_others=True)
    if len(writer.remaining) > 1:
        writer.remaining.pop(without, None)
    writer.introduce()
    writer.tell_by_theme()
    told_rows(page, writer, 8)
    referrers(page, writer, 6)
    related(page, writer)
    writer.end_paragraph()
