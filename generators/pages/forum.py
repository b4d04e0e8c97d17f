"""A forum's thread: a question, posts that answer it in passing, and others that do not."""

from __future__ import annotations

import datetime
from typing import Annotated

from generators.pages.furniture import more_links, page_top, user_name
from generators.pages.layout import capitalised, dated, title_of, with_articles
from generators.pages.prose_writer import ProseWriter
from generators.pages.related import tell_other, told_by
from generators.pages.wordings import Wordings, page_wordings
from worldforge.world.page_inputs import Layout, Subject
from worldforge.world.page_writer import Page

_MOST_DAYS_BETWEEN = 9
_FACTS_A_POST = 2


def forum(page: Page, subject: Subject) -> Annotated[None, Layout(site="Forum", max_age=1000, relations=False)]:
    """Write a thread: an opening question, replies among which the facts are shared out, and some that compare.

    The page's day is that of its last post.
    """
    words, draws = page_wordings(page), page.draws
    bank = words.forum
    writer = ProseWriter(page, subject)
    keys = draws.shuffled(list(writer.remaining))
    shares = [keys[start : start + _FACTS_A_POST] for start in range(0, len(keys), _FACTS_A_POST)] or [[]]
    others = draws.shuffled(told_by(page, writer))[: draws.integer(1, 4)]
    posts: list[list[str] | Subject] = [*shares, *([[]] * draws.integer(1, 3) if writer.words else []), *others]
    posts = [posts[0], *draws.shuffled(posts[1:])]
    opened, *answered = _days(page, len(posts))
    page.title = title_of(page, subject, draws.pick(bank.titles))
    page_top(page)
    page.heading(page.title)
    page.write(f"*{page.site} › {capitalised(subject.plural)}*\n\n")
    asker = user_name(page)
    _begin_post(page, asker, opened, bank)
    page.say(with_articles(page, subject, draws.pick(bank.questions)), name=subject.called)
    for key in draws.shuffled(keys)[:2]:
        question = writer.question_of(key)
        if question is not None:
            page.say_parts(question)
    page.end_paragraph()
    users = [user_name(page) for _ in range(3)]
    remark = draws.integer(0, len(bank.remarks) - 1)
    for place, (day, share) in enumerate(zip(answered, posts, strict=True)):
        if not share and not writer.n_chatter() and place < len(posts) - 1:
            continue
        _begin_post(page, draws.pick(users) if share else asker, day, bank)
        if isinstance(share, Subject):
            page.say(draws.pick(bank.compared))
            tell_other(page, share, draws.integer(2, 4), voice="talk")
            continue
        if draws.chance(0.5) or (not share and not writer.n_chatter()):
            page.say(bank.remarks[(remark + place) % len(bank.remarks)])
        writer.chatter(0.4)
        writer.tell(share, voice="talk")
        writer.chatter(0.5 if share else 1.0)
        writer.end_paragraph()
    more_links(page)


def _begin_post(page: Page, user: str, day: datetime.date, bank: Wordings) -> None:
    page.fill(bank.post, user=user, date=dated(day, page.language))


def _days(page: Page, n_replies: int) -> list[datetime.date]:
    """Return the day of each post, the question's first; none is earlier than what the page tells of."""
    days = [page.published]
    for _ in range(n_replies):
        earlier = days[-1] - datetime.timedelta(days=page.draws.integer(0, _MOST_DAYS_BETWEEN))
        days.append(earlier if page.not_before is None else max(earlier, min(days[-1], page.not_before)))
    return days[::-1]
