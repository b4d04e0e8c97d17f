"""Later parts of a page: its tables go on where the part before has left off."""

from __future__ import annotations

from generators.pages.layout import dated, page_links, relation_table, with_articles
from generators.pages.wordings import page_wordings
from worldforge.world.page_inputs import Continuation
from worldforge.world.page_writer import Page


def continued(page: Page, part: Continuation) -> None:
    """Write a later part of a page: the rows that are left of each table, and the links to the parts around."""
    words, draws, subject = page_wordings(page), page.draws, part.subject
    bank = words.continued
    page.heading("{title}" + words.page, title=subject.title, number=str(part.number), of=str(part.of))
    some = any(relation.rows for relation in subject.relations)
    page.say(
        with_articles(page, subject, draws.pick(bank.openings if some else bank.nothing)), name=subject.linked_name
    )
    page.end_paragraph()
    for relation in subject.relations:
        relation_table(page, relation)
    page_links(page, part)
    page.line(draws.pick(bank.footers), date=dated(page.published, page.language), site=page.site)
