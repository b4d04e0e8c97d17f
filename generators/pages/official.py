"""An organisation's own site: who we are, key facts, how to write to us."""

from __future__ import annotations

from typing import Annotated

from generators.pages.banks import BANKS
from generators.pages.english_starts import capitalised
from generators.pages.fact_sentences import sentence
from generators.pages.layout import dated, days_before, dealt, draw, draw_filled, section, unmarked
from worldforge.core.chance import Stream
from worldforge.world.page_draft import Layout, PageDraft, Subjects
from worldforge.world.passages import Part, concat, fill, pieces

_REVISED_DAYS = 700


def official(stream: Stream, subjects: Subjects) -> Annotated[PageDraft, Layout(own_host=True, article=True)]:
    """Write the own site of each subject: its facts in sentences, and again in a list of key facts."""
    rows = subjects.rows
    bank = BANKS[subjects.language].official
    published = days_before(stream.child("published"), subjects, _REVISED_DAYS)
    date, called = dated(published, subjects.language), unmarked(subjects.called)
    welcome = draw_filled(stream.child("welcome"), rows, bank.welcomes, name=called)
    said = {column.key: sentence(stream.child("wording"), subjects, column) for column in subjects.columns}
    first, second = dealt(stream.child("order"), rows, said)
    text = concat(
        "# ",
        subjects.names,
        "\n\n",
        "## ",
        draw(stream.child("about"), rows, bank.about),
        "\n\n",
        welcome,
        BANKS[subjects.language].space,
        draw(stream.child("mission"), rows, bank.missions),
        *first,
        *second,
        "\n\n",
        *_facts(stream, subjects),
        *[section(related) for related in subjects.relations],
        f"## {bank.contact}\n\n",
        draw(stream.child("contact"), rows, bank.contacts),
        "\n\n",
        draw_filled(stream.child("footer"), rows, bank.footers, date=date, name=called),
        "\n",
    )
    title = fill(bank.title, name=unmarked(subjects.names))
    return PageDraft(title.text, text, published)


def _facts(stream: Stream, subjects: Subjects) -> list[Part]:
    bank = BANKS[subjects.language].official
    parts: list[Part] = ["## ", draw(stream.child("facts"), subjects.rows, bank.facts), "\n\n"]
    for column in subjects.columns:
        parts += pieces(bank.fact, label=capitalised(column.label), value=column.value)
    return [*parts, bank.kind.replace("{label}", subjects.label)]
