"""A press release: a headline with a boast, the facts in long sentences, a voice, a word on who sends it."""

from __future__ import annotations

from typing import Annotated

from generators.pages.furniture import page_bottom, page_top
from generators.pages.layout import dated, elsewhere
from generators.pages.telling import Teller
from generators.pages.wordings import wordings
from worldforge.core.english import with_article
from worldforge.world.page_writer import Layout, Page, Subject


def press_release(
    page: Page, subject: Subject
) -> Annotated[None, Layout(site="Newsroom", max_age=600, relations=False)]:
    """Write a press release that tells its facts in sentences."""
    bank, draws = wordings(page.language).press, page.draws
    page.title = draws.pick(bank.headlines).replace("{name}", subject.name.text)
    page_top(page)
    page.write(draws.pick(bank.marks), "\n\n")
    page.heading(page.title)
    page.fill(bank.dateline, date=dated(page.published, page.language), site=page.site)
    teller = Teller(page, subject)
    keys = list(teller.left)
    half = (len(keys) + 1) // 2
    teller.tell(keys[:half])
    teller.filler(0.6)
    teller.end_paragraph()
    teller.said(1.0)
    teller.filler(0.5)
    teller.end_paragraph()
    teller.tell(keys[half:])
    teller.end_paragraph()
    teller.said(0.5)
    teller.end_paragraph()
    page.heading(draws.pick(bank.about), level=2, name=subject.name.text)
    if not teller.lead() and teller.words is None:
        label = subject.label if page.language == "zh" else with_article(subject.label)
        page.say(bank.plain, name=subject.name.text, label=label)
    teller.filler()
    teller.said(0.7)
    teller.end_paragraph()
    elsewhere(page, teller, bank.elsewhere)
    page.line(draws.pick(bank.contacts))
    page_bottom(page)
