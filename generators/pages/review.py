"""Reviews by visitors or users: stars, an opinion, and here and there a fact."""

from __future__ import annotations

from typing import Annotated

from generators.pages.furniture import page_bottom, page_top, user_name
from generators.pages.layout import dated, title_of
from generators.pages.prose_writer import ProseWriter
from generators.pages.related import elsewhere, referrers, related
from generators.pages.wordings import page_wordings
from worldforge.world.page_inputs import Layout, Subject
from worldforge.world.page_writer import Page

_MOST_STARS = 5


def review(page: Page, subject: Subject) -> Annotated[None, Layout(site="Reviews", max_age=500, relations=False)]:
    """Write some reviews, among which the facts are shared out."""
    bank, draws = page_wordings(page).review, page.draws
    page.title = title_of(page, subject, draws.pick(bank.titles))
    page_top(page)
    page.heading(page.title)
    writer = ProseWriter(page, subject)
    writer.lead()
    page.say(draws.pick(bank.openings), site=page.site)
    writer.end_paragraph()
    keys = draws.shuffled(list(writer.remaining))
    n = max(2, min(5, (len(keys) + 1) // 2))
    for place in range(n):
        if not keys[place::n] and not writer.n_chatter():
            break
        stars = draws.integer(1, _MOST_STARS)
        page.write("**", "★" * stars + "☆" * (_MOST_STARS - stars), "** ", user_name(page), "\n\n")
        writer.chatter(0.8)
        writer.tell(keys[place::n], voice="talk")
        writer.chatter(0.7)
        writer.end_paragraph()
    referrers(page, writer, 4, level=2)
    related(page, writer)
    elsewhere(page, writer, page_wordings(page).news.elsewhere)
    page.line(draws.pick(bank.closings), date=dated(page.published, page.language), site=page.site)
    page_bottom(page)
