"""A press release: a headline with a boast, the facts in long sentences, a voice, a word on who sends it."""

from __future__ import annotations

from typing import Annotated

from generators.pages.furniture import page_bottom, page_top
from generators.pages.layout import dated, title_of, with_articles
from generators.pages.prose_writer import ProseWriter
from generators.pages.related import elsewhere, referrers, related
from generators.pages.wordings import page_wordings
from worldforge.core.english import with_article
from worldforge.world.page_inputs import Layout, Subject
from worldforge.world.page_writer import Page


def press_release(
    page: Page, subject: Subject
) -> Annotated[None, Layout(site="Newsroom", max_age=600, relations=False)]:
    """Write a press release that tells its facts in sentences."""
    bank, draws = page_wordings(page).press, page.draws
    page.title = title_of(page, subject, draws.pick(bank.headlines))
    page_top(page)
    page.write(draws.pick(bank.marks), "\n\n")
    page.heading(page.title)
    page.fill(bank.dateline, date=dated(page.published, page.language), site=page.site)
    writer = ProseWriter(page, subject)
    keys = list(writer.remaining)
    half = (len(keys) + 1) // 2
    writer.tell(keys[:half])
    writer.filler(0.6)
    writer.end_paragraph()
    writer.quote_in_sentence(1.0)
    writer.filler(0.5)
    writer.end_paragraph()
    writer.tell(keys[half:])
    writer.end_paragraph()
    writer.quote_in_sentence(0.5)
    writer.end_paragraph()
    before = len(page.text.pieces)
    page.heading(with_articles(page, subject, draws.pick(bank.about)), level=2, name=subject.name.text)
    after = len(page.text.pieces)
    if not writer.lead() and writer.words is None:
        label = subject.label if page.language == "zh" else with_article(subject.label)
        page.say(bank.plain, name=subject.name.text, label=label)
    writer.filler()
    writer.quote_in_sentence(0.7)
    writer.end_paragraph()
    referrers(page, writer, 4, level=2)
    related(page, writer)
    if len(page.text.pieces) == after:
        del page.text.pieces[before:]  # nothing is left to tell under the heading
    elsewhere(page, writer, bank.elsewhere)
    page.line(draws.pick(bank.contacts))
    page_bottom(page)
