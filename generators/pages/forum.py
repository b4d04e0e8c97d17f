"""A forum's thread: a question, and posts that answer it in passing."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pyarrow as pa

from generators.pages.english import capitalised
from generators.pages.layout import dated, days_before, draw, draw_filled, later
from generators.pages.sentences import CASUAL, sentence
from worldforge.core.chance import Stream
from worldforge.world.draft import Draft, Layout, Subjects
from worldforge.world.passages import Passages, Positions, concat, fill, picked

_OPENED_DAYS = 1000
_N_REPLIES = 3
_MOST_DAYS_BETWEEN = 9

_TITLES = (
    "Who knows {name}?",
    "{name} – the thread",
    "Question about {name}",
    "Let's talk about {name}",
    "{name}, your impressions?",
    "Looking into {name}, help wanted",
)
_QUESTIONS = (
    "Hello all, I keep running into **{name}** and would like to hear from people who know more than I do.",
    "A friend and I have a bet going about **{name}**, and I would rather not lose it. What do you know?",
    "I am writing a little something about **{name}**. Anything you can tell me helps!",
    "First post here, be gentle. What is there to know about **{name}**?",
    "Long-time reader, first-time poster. Does anybody follow **{name}** closely?",
)
_REMARKS = (
    "Good question.",
    "Others will know better, but here goes.",
    "We had this before, use the search!",
    "Oh, I have been waiting for somebody to ask.",
    "Not my field, to be honest.",
    "Happy to help.",
    "Don't quote me on this.",
    "My neighbour keeps going on about it.",
    "Welcome! Somebody asks every other month.",
    "I was about to write the same.",
)
_ASIDES = (
    " Cheers!",
    " See you around.",
    " Anyway, back to work for me.",
    " Lovely weather by the way.",
    " Say hello to the others.",
    "",
    "",
)
_MOODS = (
    "quiet", "salty", "grumpy", "merry", "lazy", "nimble", "dusty", "lucky", "sleepy", "witty",
    "rusty", "breezy", "gentle", "hasty", "mellow", "plucky", "sturdy", "humble", "stormy", "curious",
)  # fmt: skip
_CREATURES = (
    "heron", "otter", "badger", "magpie", "lantern", "kettle", "anchor", "pebble", "thistle", "walnut",
    "puffin", "teapot", "cricket", "marmot", "bramble", "ferret", "compass", "tulip", "barnacle", "sparrow",
)  # fmt: skip


def forum(
    stream: Stream, subjects: Subjects
) -> Annotated[Draft, Layout(path="/{kind}/{name}", site="Forum", relations=False)]:
    """Write a thread on each subject: an opening question, then replies among which the facts are shared out."""
    rows = subjects.rows
    opened = days_before(stream.child("published"), subjects, _OPENED_DAYS)
    title = draw_filled(stream.child("title"), rows, _TITLES, name=subjects.names)
    question = draw_filled(stream.child("question"), rows, _QUESTIONS, name=subjects.called)
    first = _post(stream.child("post", 0), rows, opened, question)
    text = concat(
        "# ",
        title,
        "\n\n",
        f"*{subjects.site} › {capitalised(subjects.plural)}*\n\n",
        first,
        *_replies(stream, subjects, opened),
    )
    return Draft(title.text, text, opened)


def _replies(stream: Stream, subjects: Subjects, opened: pa.Array) -> list[Passages]:
    replies = []
    day = np.zeros(len(subjects.rows), np.int64)
    remark = stream.child("remark").integers(subjects.rows, 0, len(_REMARKS) - 1)
    for place in range(_N_REPLIES):
        own = stream.child("post", place + 1)
        day = day + own.child("day").integers(subjects.rows, 0, _MOST_DAYS_BETWEEN)
        said = concat(
            picked(_REMARKS, (remark + place) % len(_REMARKS)),
            *[
                sentence(stream.child("wording"), subjects, column, CASUAL)
                for column in subjects.columns[place::_N_REPLIES]
            ],
            draw(own.child("aside"), subjects.rows, _ASIDES),
        )
        replies.append(_post(own, subjects.rows, later(opened, day, subjects.as_of), said))
    return replies


def _post(stream: Stream, rows: Positions, day: pa.Array, said: Passages) -> Passages:
    user = fill(
        "{mood}_{creature}",
        mood=draw(stream.child("mood"), rows, _MOODS),
        creature=draw(stream.child("creature"), rows, _CREATURES),
    )
    return fill("---\n\n**{user}** wrote on {date}:\n\n{said}\n\n", user=user, date=dated(day), said=said)
