"""A forum's thread: a question, and posts that answer it in passing."""

from __future__ import annotations

import datetime
from typing import Annotated

from generators.pages.fact_sentences import tell
from generators.pages.layout import capitalised, dated
from generators.pages.wordings import Wordings, wordings
from worldforge.world.page_writer import Layout, Page, Subject

_N_REPLIES = 3
_MOST_DAYS_BETWEEN = 9


def forum(page: Page, subject: Subject) -> Annotated[None, Layout(site="Forum", max_age=1000, relations=False)]:
    """Write a thread: an opening question, then replies among which the facts are shared out.

    The page's day is that of its last post.
    """
    words, draws = wordings(page.language), page.draws
    bank = words.forum
    opened, *answered = _days(page)
    page.heading(draws.pick(bank.titles), name=subject.name)
    page.write(f"*{page.site} › {capitalised(subject.plural)}*\n\n")
    _begin_post(page, opened, bank)
    page.say(draws.pick(bank.questions), name=subject.called)
    page.end_paragraph()
    remark = draws.integer(0, len(bank.remarks) - 1)
    for place, day in enumerate(answered):
        _begin_post(page, day, bank)
        page.say(bank.remarks[(remark + place) % len(bank.remarks)])
        for fact in subject.facts[place::_N_REPLIES]:
            tell(page, subject, fact, words.sentences.casual)
        page.say(draws.pick(bank.asides))
        page.end_paragraph()


def user_name(page: Page, bank: Wordings) -> str:
    """Draw what a user is called."""
    return bank.user.format(mood=page.draws.pick(bank.moods), creature=page.draws.pick(bank.creatures))


def _begin_post(page: Page, day: datetime.date, bank: Wordings) -> None:
    page.fill(bank.post, user=user_name(page, bank), date=dated(day, page.language))


def _days(page: Page) -> list[datetime.date]:
    """Return the day of each post, the question's first; none is earlier than what the page tells of."""
    days = [page.published]
    for _ in range(_N_REPLIES):
        earlier = days[-1] - datetime.timedelta(days=page.draws.integer(0, _MOST_DAYS_BETWEEN))
        days.append(earlier if page.not_before is None else max(earlier, min(days[-1], page.not_before)))
    return days[::-1]
