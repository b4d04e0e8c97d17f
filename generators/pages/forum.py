"""A forum's thread: a question, posts that answer it in passing or dispute an answer, and others that do not."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

from generators.pages.furniture import more_links, page_top, user_name
from generators.pages.layout import capitalised, dated, title_of, with_articles
from generators.pages.prose_writer import ProseWriter
from generators.pages.related import tell_other, told_by
from generators.pages.wordings import page_wordings
from worldforge.world.page_inputs import Layout, Subject
from worldforge.world.page_writer import Page

_MOST_DAYS_BETWEEN = 9
_FACTS_A_POST = 2
_ASKED = 2  # facts of the opening post's questions, which the first answer tells
_DISPUTED = 0.6
_USER_OF = {"doubts": 0, "cites": 1, "concedes": 0}


class _Post(NamedTuple):
    role: Literal["tells", "chats", "compares", "doubts", "cites", "concedes"]
    keys: Sequence[str] = ()
    """The facts that it tells, or is about."""
    other: Subject | None = None
    """What it compares the subject with."""


def forum(page: Page, subject: Subject) -> Annotated[None, Layout(site="Forum", max_age=1000, relations=False)]:
    """Write a thread: an opening question, replies among which the facts are shared out, and some that compare.

    The page's day is that of its last post.
    """
    words, draws = page_wordings(page), page.draws
    bank = words.forum
    writer = ProseWriter(page, subject)
    keys = draws.shuffled(list(writer.remaining))
    wordings = writer.words.attributes if writer.words is not None else {}
    asked = [key for key in keys if key in wordings and wordings[key].asks][:_ASKED]
    keys = [*asked, *(key for key in keys if key not in asked)]
    posts = _posts(page, writer, keys)
    opened, *answered = _days(page, len(posts))
    page.title = title_of(page, subject, draws.pick(bank.titles))
    page_top(page)
    page.heading(page.title)
    page.write(f"*{page.site} › {capitalised(subject.plural)}*\n\n")
    asker = user_name(page)
    page.fill(bank.post, user=asker, date=dated(opened, page.language))
    page.say(with_articles(page, subject, draws.pick(bank.questions)), name=subject.called)
    for key in asked:
        question = writer.question_of(key)
        if question is not None:
            page.say_parts(question)
    page.end_paragraph()
    users = [user_name(page) for _ in range(3)]
    remark, compared = draws.integer(0, len(bank.remarks) - 1), draws.shuffled(bank.compared)
    for place, (day, post) in enumerate(zip(answered, posts, strict=True)):
        if post.role == "chats" and not writer.n_chatter() and place < len(posts) - 1:
            continue
        if post.role == "tells" and post.keys and writer.remaining.keys().isdisjoint(post.keys):
            continue  # an earlier post has told it
        user = _USER_OF.get(post.role)
        name = asker if post.role == "chats" else users[user] if user is not None else draws.pick(users)
        page.fill(bank.post, user=name, date=dated(day, page.language))
        if post.other is not None:
            page.say(compared.pop() if compared else "")
            tell_other(page, post.other, draws.integer(2, 4), voice="talk")
        elif post.role == "doubts":
            page.say_parts(writer.question_of(post.keys[0]) or [])
            page.say(draws.pick(bank.doubts))
            page.end_paragraph()
        elif post.role == "concedes":
            page.say(draws.pick(bank.concedes), user=users[1])
            page.end_paragraph()
        else:
            _answer(page, writer, post, bank.remarks[(remark + place) % len(bank.remarks)])
    more_links(page)


def _posts(page: Page, writer: ProseWriter, keys: list[str]) -> list[_Post]:
    """Deal facts out to posts, in an order drawn by chance; one of them is at times in dispute."""
    draws = page.draws
    wordings = writer.words.attributes if writer.words is not None else {}
    asked = [key for key in keys if key in wordings and wordings[key].asks]
    disputed = asked[-1] if len(keys) > 2 and asked and draws.chance(_DISPUTED) else None
    keys = [key for key in keys if key != disputed]
    shares = [keys[start : start + _FACTS_A_POST] for start in range(0, len(keys), _FACTS_A_POST)]
    others = draws.shuffled(told_by(page, writer))[: draws.integer(1, 4)]
    posts = [_Post("tells", share) for share in shares]
    compared = [_Post("compares", other=other) for other in others]
    if not posts:
        posts, compared = compared or [_Post("tells")], []
    chats = [_Post("chats")] * draws.integer(1, 3) if writer.words else []
    posts = [posts[0], *draws.shuffled([*posts[1:], *chats, *compared])]
    last = max(place for place, one in enumerate(posts) if one.role != "chats")
    posts[-1], posts[last] = posts[last], posts[-1]  # the last has something to say
    if disputed is not None:
        place = draws.integer(1, len(posts))
        posts[place:place] = [_Post(role, [disputed]) for role in ("doubts", "cites", "concedes")]
    return posts


def _answer(page: Page, writer: ProseWriter, post: _Post, remark: str) -> None:
    bank = page_wordings(page).forum
    if post.role == "cites":
        page.say(page.draws.pick(bank.cites))
    elif page.draws.chance(0.5) or (not post.keys and not writer.n_chatter()):
        page.say(remark)
    writer.chatter(0.0 if post.role == "cites" else 0.4)
    writer.tell(post.keys, voice="sentences" if post.role == "cites" else "talk")
    writer.chatter(0.5 if post.keys else 1.0)
    writer.end_paragraph()


def _days(page: Page, n_replies: int) -> list[datetime.date]:
    """Return the day of each post, the question's first; none is earlier than what the page tells of."""
    days = [page.published]
    for _ in range(n_replies):
        earlier = days[-1] - datetime.timedelta(days=page.draws.integer(0, _MOST_DAYS_BETWEEN))
        days.append(earlier if page.not_before is None else max(earlier, min(days[-1], page.not_before)))
    return days[::-1]
