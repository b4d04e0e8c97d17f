"""A page of questions and answers."""

from __future__ import annotations

from typing import Annotated

from generators.pages.furniture import page_bottom, page_top
from generators.pages.layout import dated, title_of
from generators.pages.prose_writer import ProseWriter
from generators.pages.related import elsewhere, is_new, referrers, related, told_by
from generators.pages.wordings import page_wordings
from worldforge.world.page_inputs import Layout, Subject
from worldforge.world.page_writer import Page

_OTHERS = 4
"""Entities that have to do with a page's own and of which it is asked as well."""


def faq(page: Page, subject: Subject) -> Annotated[None, Layout(site="Help", max_age=700, relations=False)]:
    """Write a question for each fact, and its answer below it."""
    bank, draws = page_wordings(page).faq, page.draws
    page.title = title_of(page, subject, draws.pick(bank.titles))
    page_top(page)
    page.heading(page.title)
    writer = ProseWriter(page, subject)
    writer.lead()
    page.say(draws.pick(bank.openings), site=page.site)
    writer.end_paragraph()
    _answers(page, writer, len(writer.remaining))
    others = draws.shuffled(told_by(page, writer))[:_OTHERS]
    if others:
        page.heading(draws.pick(bank.others), level=2)
    for other in others:
        if is_new(page, other):  # answers on those before may have told of it
            page.others.add((other.type, other.row))
            _answers(page, ProseWriter(page, other, linked=False, among_others=True), 2)
    referrers(page, writer, 4, level=2)
    related(page, writer)
    elsewhere(page, writer, page_wordings(page).news.elsewhere)
    page.line(draws.pick(bank.closings), date=dated(page.published, page.language), site=page.site)
    page_bottom(page)


def _answers(page: Page, writer: ProseWriter, most: int) -> None:
    """Write up to `most` questions on an entity, each with its answer below it; without words for it, the answer."""
    for key in page.draws.shuffled(list(writer.remaining))[:most]:
        if key not in writer.remaining:
            continue
        question = writer.question_of(key)
        if question is not None:
            page.write("### ", *question, "\n\n")
        writer.tell([key])
        writer.end_paragraph()
