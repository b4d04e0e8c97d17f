"""An interview: a few words on what it is about, then questions, and answers that hold the facts."""

from __future__ import annotations

import re
from typing import Annotated

from generators.pages.furniture import comments, page_bottom, page_top
from generators.pages.layout import capitalised, dated, title_of, with_articles
from generators.pages.prose_writer import ProseWriter
from generators.pages.related import elsewhere, is_new, referrers, related, told_by
from generators.pages.wordings import page_wordings
from worldforge.world.page_inputs import Layout, Subject
from worldforge.world.page_writer import Page

_ARTICLE = re.compile("^(?:an?|the) ")
_OTHERS = 3
"""Entities that have to do with a page's own and that the talk comes to."""


def interview(page: Page, subject: Subject) -> Annotated[None, Layout(site="Talk", max_age=800, relations=False)]:
    """Write an interview with somebody who knows the subject."""
    bank, draws = page_wordings(page).interview, page.draws
    voices = page.phrases.voices if page.phrases is not None and page.phrases.voices else bank.voices
    voice = draws.pick(voices)
    page.title = title_of(page, subject, draws.pick(bank.titles))
    page_top(page)
    page.heading(page.title)
    page.fill(bank.byline, site=page.site, date=dated(page.published, page.language))
    writer = ProseWriter(page, subject)
    writer.lead()
    page.say(with_articles(page, subject, draws.pick(bank.intros)), voice=voice, name=subject.called.text)
    writer.end_paragraph()
    _talk(page, writer, voice, len(writer.remaining))
    for other in draws.shuffled(told_by(page, writer))[:_OTHERS]:
        if is_new(page, other):
            page.others.add((other.type, other.row))
            turn = with_articles(page, other, page.pick_new(bank.turns))
            _talk(page, ProseWriter(page, other, linked=False, among_others=True), voice, 2, turn)
    page.line(draws.pick(bank.closings))
    referrers(page, writer, 4, level=2)
    related(page, writer)
    elsewhere(page, writer, page_wordings(page).news.elsewhere)
    comments(page, writer)
    page_bottom(page)


def _talk(page: Page, writer: ProseWriter, voice: str, most: int, turn: str = "") -> None:
    """Write up to `most` questions on an entity, with what `voice` answers; between them other questions.

    Where `turn` is given, it leads over to the entity, before the first question.
    """
    bank, draws = page_wordings(page).interview, page.draws
    asking = ("**", page.site, bank.colon, "**", bank.gap)
    answering = ("**", capitalised(_ARTICLE.sub("", voice)), bank.colon, "**", bank.gap)
    for number, key in enumerate(draws.shuffled(list(writer.remaining))[:most]):
        if key not in writer.remaining:
            continue
        leads_over = bool(turn) and not number
        if leads_over:
            page.write(*asking)
            page.say(turn, name=writer.subject.called.text)
        question = writer.question_of(key, named=leads_over) or ([page.pick_new(bank.prompts)] if number else None)
        if question is not None:
            if not leads_over:
                page.write(*asking)
            page.say_parts(question)
        if leads_over or question is not None:
            page.end_paragraph()
            page.write(*answering)
            if draws.chance(0.3):
                page.say(page.pick_new(bank.hedges))
        writer.tell([key], voice="talk")
        writer.filler(0.3)
        writer.end_paragraph()
        if number % 3 == 2 and (quoted := writer.quote()) is not None:
            page.write(*asking, page.pick_new(bank.probes), "\n\n")
            page.write(*answering, quoted[0].rstrip(".。"), bank.stop, "\n\n")
