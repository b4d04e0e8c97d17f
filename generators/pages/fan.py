"""A page of a fans' wiki: a chatty start, an infobox, what one has to know, trivia, tables of relations."""

from __future__ import annotations

from typing import Annotated

from generators.pages.banks import BANKS
from generators.pages.banks.fan_bank import FAN
from generators.pages.english_starts import capitalised
from generators.pages.fact_sentences import sentence
from generators.pages.layout import dated, days_before, dealt, draw, draw_filled, section, under_heading, unmarked
from worldforge.core.chance import Stream
from worldforge.world.page_draft import Layout, PageDraft, Subjects
from worldforge.world.passages import Part, Passages, concat, fill, pieces

_EDITED_DAYS = 600


def fan(
    stream: Stream, subjects: Subjects
) -> Annotated[PageDraft, Layout(path="/fandom/{kind}/{name}", site="Fan Wiki")]:
    """Write fans' page on each subject: each fact in the infobox, and once more in the text or among the trivia."""
    rows, bank = subjects.rows, FAN[subjects.language]
    published = days_before(stream.child("published"), subjects, _EDITED_DAYS)
    said = {
        column.key: sentence(stream.child("wording"), subjects, column, bank.sentences) for column in subjects.columns
    }
    told, trivia = dealt(stream.child("said"), rows, said)
    text = concat(
        "# ",
        subjects.names,
        "\n\n",
        draw_filled(stream.child("intro"), rows, bank.intros, name=subjects.linked_names, plural=subjects.plural),
        "\n\n",
        *_infobox(subjects),
        "## ",
        draw(stream.child("short"), rows, bank.shorts),
        "\n\n",
        draw(stream.child("opening"), rows, bank.openings),
        *told,
        "\n\n",
        *_trivia(stream, subjects, trivia),
        *[section(related) for related in subjects.relations],
        draw(stream.child("note"), rows, bank.notes),
        "\n\n",
        draw_filled(
            stream.child("footer"),
            rows,
            bank.footers,
            user=_user(stream, subjects),
            date=dated(published, subjects.language),
        ),
        "\n",
    )
    return PageDraft(subjects.names.text, text, published)


def _infobox(subjects: Subjects) -> list[Part]:
    parts: list[Part] = ["| ", unmarked(subjects.names), f" | {subjects.label} |\n|:---|:---|\n"]
    for column in subjects.columns:
        parts += pieces("| {label} | {value} |\n", label=capitalised(column.label), value=column.value)
    return [*parts, "\n"]


def _trivia(stream: Stream, subjects: Subjects, trivia: list[Passages]) -> list[Part]:
    """List what is left to say under a heading; nothing where there is nothing."""
    bank = FAN[subjects.language]
    items = [fill(bank.item, said=said) for said in trivia]
    return under_heading(["## ", draw(stream.child("trivia"), subjects.rows, bank.trivia), "\n\n"], items)


def _user(stream: Stream, subjects: Subjects) -> Passages:
    """Name who has edited the page last, as users of forums are named."""
    forum = BANKS[subjects.language].forum
    mood = draw(stream.child("mood"), subjects.rows, forum.moods)
    return fill(forum.user, mood=mood, creature=draw(stream.child("creature"), subjects.rows, forum.creatures))
