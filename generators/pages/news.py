"""A newspaper's item: headline, date, lead, what is reported, a voice, a closing line."""

from __future__ import annotations

from typing import Annotated

from generators.pages.layout import dated, days_before, dealt, draw, draw_filled
from generators.pages.sentences import sentence
from worldforge.core.chance import Stream
from worldforge.world.draft import Draft, Layout, Subjects
from worldforge.world.passages import Part, Passages, concat, pieces

_ISSUED_DAYS = 720

_HEADLINES = (
    "{name} in the spotlight",
    "A closer look at {name}",
    "{name}: what readers should know",
    "Why people are talking about {name}",
    "Portrait: {name}",
    "{name} makes the rounds again",
    "Our visit: {name}",
    "Reader's choice: {name}",
)
_DESKS = ("news desk", "regional desk", "weekend desk", "culture desk", "morning desk", "evening desk")
_LEADS = (
    "{label} **{name}** has been the talk of many a kitchen table of late.",
    "Few subjects have filled our letter box like {name}.",
    "This week our series on {plural} comes to {name}.",
    "Readers have asked for it, and here it is: an item on {name}.",
    "Anyone who follows the {plural} of this country will have come across {name}.",
    "It has been a lively season for {name}.",
)
_SAY = (
    "For those new to the matter: it is worth a second look.",
    "A look at the registers helps to put things into perspective.",
    "We have been through our archive.",
    "We have checked what can be checked.",
    "Some readers will have only just tuned in.",
)
_QUOTES = (
    "We take things one step after the other, and so far that has served us well",
    "People see the result; they rarely see the hours behind it",
    "I have heard many stories about this, and some of them are even true",
    "It is a matter of patience, and of friends who do not give up",
    "You should have seen the faces when the word got round",
    "There is still plenty to do, and I would not want it any other way",
    "Nobody here is in it for the glory, whatever you may have read",
    "Ask me again after the harvest, and I may have a better answer",
)
_SPEAKERS = (
    "said someone close to the matter",
    "said a regular who wished to remain unnamed",
    "a long-standing observer told this paper",
    "said a voice from the neighbourhood",
    "an old hand remarked with a smile",
)
_CLOSINGS = (
    "We will keep readers posted.",
    "More on this in one of our next issues.",
    "Letters to the editor are welcome, as always.",
    "Whether that will change, the coming months will tell.",
    "The conversation is sure to go on.",
)


def news(
    stream: Stream, subjects: Subjects
) -> Annotated[Draft, Layout(path="/{kind}/{name}", site="Herald", relations=False)]:
    """Write an item on each subject, which states what it is given to state in sentences."""
    rows = subjects.rows
    published = days_before(stream.child("published"), subjects, _ISSUED_DAYS)
    headline = draw_filled(stream.child("headline"), rows, _HEADLINES, name=subjects.names)
    desk = draw(stream.child("desk"), rows, _DESKS)
    text = concat(
        "# ",
        headline,
        "\n\n",
        *pieces("*{site}, {date} – from our {desk}*\n\n", site=subjects.site, date=dated(published), desk=desk),
        _lead(stream, subjects),
        "\n\n",
        *_report(stream, subjects),
        "> “",
        draw(stream.child("quote"), rows, _QUOTES),
        ",” ",
        draw(stream.child("speaker"), rows, _SPEAKERS),
        ".\n\n",
        draw(stream.child("closing"), rows, _CLOSINGS),
        "\n",
    )
    return Draft(headline.text, text, published)


def _lead(stream: Stream, subjects: Subjects) -> Passages:
    words = {"label": f"The {subjects.label}", "plural": subjects.plural}
    return draw_filled(stream.child("lead"), subjects.rows, _LEADS, name=subjects.linked_names, **words)


def _report(stream: Stream, subjects: Subjects) -> list[Part]:
    said = {column.key: sentence(stream.child("wording"), subjects, column) for column in subjects.columns}
    first, second = dealt(stream.child("order"), subjects.rows, said)
    return [draw(stream.child("say"), subjects.rows, _SAY), *first, *second, "\n\n"]
