"""A page of questions and answers."""

from __future__ import annotations

from typing import Annotated

from generators.pages.furniture import page_bottom, page_top
from generators.pages.layout import dated, elsewhere
from generators.pages.telling import Teller
from generators.pages.wordings import wordings
from worldforge.world.page_writer import Layout, Page, Subject


def faq(page: Page, subject: Subject) -> Annotated[None, Layout(site="Help", max_age=700, relations=False)]:
    """Write a question for each fact, and its answer below it."""
    bank, draws = wordings(page.language).faq, page.draws
    page.title = draws.pick(bank.titles).replace("{name}", subject.name.text)
    page_top(page)
    page.heading(page.title)
    teller = Teller(page, subject)
    teller.lead()
    page.say(draws.pick(bank.openings), site=page.site)
    teller.end_paragraph()
    for key in draws.shuffled(list(teller.left)):
        if key not in teller.left:
            continue
        asked = teller.asked(key)
        if asked is not None:
            page.write("### ", *asked, "\n\n")
        teller.tell([key])
        teller.filler(0.45)
        teller.end_paragraph()
    elsewhere(page, teller, wordings(page.language).news.elsewhere)
    page.line(draws.pick(bank.closings), date=dated(page.published, page.language), site=page.site)
    page_bottom(page)
