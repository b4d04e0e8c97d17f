"""A forum's thread: a question, and posts that answer it in passing."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pyarrow as pa

from generators.pages.banks import BANKS
from generators.pages.banks.wording_bank import Forum
from generators.pages.english_starts import capitalised
from generators.pages.fact_sentences import sentence
from generators.pages.layout import dated, days_before, draw, draw_filled
from worldforge.core.chance import Stream
from worldforge.world.page_draft import Layout, PageDraft, Subjects
from worldforge.world.passages import Passages, Positions, concat, fill, picked

_LAST_POST_DAYS = 1000
_N_REPLIES = 3
_MOST_DAYS_BETWEEN = 9


def forum(
    stream: Stream, subjects: Subjects
) -> Annotated[PageDraft, Layout(path="/{kind}/{name}", site="Forum", relations=False)]:
    """Write a thread on each subject: an opening question, then replies among which the facts are shared out.

    The page's day is that of its last post.
    """
    rows = subjects.rows
    bank = BANKS[subjects.language].forum
    opened, *answered = _days(stream, subjects)
    title = draw_filled(stream.child("title"), rows, bank.titles, name=subjects.names)
    question = draw_filled(stream.child("question"), rows, bank.questions, name=subjects.called)
    first = _post(stream.child("post", 0), rows, dated(opened, subjects.language), question, bank)
    text = concat(
        "# ",
        title,
        "\n\n",
        f"*{subjects.site} › {capitalised(subjects.plural)}*\n\n",
        first,
        *_replies(stream, subjects, answered),
    )
    return PageDraft(title.text, text, answered[-1])


def _days(stream: Stream, subjects: Subjects) -> list[pa.Array]:
    """Return the day of each post, the question's first; none is earlier than what the page tells of."""
    last = days_before(stream.child("published"), subjects, _LAST_POST_DAYS)
    days, day = [last], last.cast(pa.int32()).to_numpy()
    for place in range(_N_REPLIES, 0, -1):
        passed = stream.child("post", place).child("day").integers(subjects.rows, 0, _MOST_DAYS_BETWEEN)
        day = (
            day - passed
            if subjects.not_before is None
            else np.maximum(day - passed, np.minimum(day, subjects.not_before))
        )
        days.append(pa.array(day, pa.int32()).cast(pa.date32()))
    return days[::-1]


def _replies(stream: Stream, subjects: Subjects, days: list[pa.Array]) -> list[Passages]:
    bank = BANKS[subjects.language]
    remarks = bank.forum.remarks
    replies = []
    remark = stream.child("remark").integers(subjects.rows, 0, len(remarks) - 1)
    for place in range(_N_REPLIES):
        own = stream.child("post", place + 1)
        said = concat(
            picked(remarks, (remark + place) % len(remarks)),
            *[
                sentence(stream.child("wording"), subjects, column, bank.casual)
                for column in subjects.columns[place::_N_REPLIES]
            ],
            draw(own.child("aside"), subjects.rows, bank.forum.asides),
        )
        date = dated(days[place], subjects.language)
        replies.append(_post(own, subjects.rows, date, said, bank.forum))
    return replies


def _post(stream: Stream, rows: Positions, date: Passages, said: Passages, bank: Forum) -> Passages:
    user = fill(
        bank.user,
        mood=draw(stream.child("mood"), rows, bank.moods),
        creature=draw(stream.child("creature"), rows, bank.creatures),
    )
    return fill(bank.post, user=user, date=date, said=said)
