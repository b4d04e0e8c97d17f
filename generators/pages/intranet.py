"""Pages of an organisation's intranet: its wiki, its memos, its tickets, its spreadsheets."""

from __future__ import annotations

from typing import Annotated

import pyarrow as pa

from generators.pages.banks import BANKS
from generators.pages.banks.intranets import INTRANETS
from generators.pages.english_starts import capitalised
from generators.pages.fact_sentences import sentence
from generators.pages.layout import (
    cell_of,
    dated,
    days_before,
    dealt,
    draw,
    draw_filled,
    headed,
    is_figure,
    section,
    table,
)
from generators.pages.pagination import numbered_headings, page_links
from worldforge.core.chance import Stream
from worldforge.world.page_draft import Layout, ListingPages, PageDraft, Subjects
from worldforge.world.passages import Part, Passages, concat, fill, pieces, repeat

_EDITED_DAYS, _SENT_DAYS, _OPENED_DAYS, _EXPORTED_DAYS = 900, 500, 700, 300


def wiki(
    stream: Stream, subjects: Subjects
) -> Annotated[PageDraft, Layout(path="/display/{kind}/{name}", site="Wiki", article=True)]:
    """Write a wiki's page on each subject: what is held at a glance, notes in sentences, tables of relations."""
    rows, bank = subjects.rows, INTRANETS[subjects.language]
    edited = days_before(stream.child("published"), subjects, _EDITED_DAYS)
    first, second = _said(stream, subjects, "said", 0.6)
    text = _page(
        subjects.names,
        *pieces(bank.wiki_head, **_head(stream, subjects, edited)),
        bank.wiki_status,
        draw(stream.child("status"), rows, bank.statuses),
        f"\n\n## {bank.glance}\n\n",
        *_glance(subjects),
        f"\n## {bank.notes}\n\n",
        draw(stream.child("opening"), rows, bank.wiki_openings),
        *first,
        *second,
        "\n\n",
        *[section(related) for related in subjects.relations],
        *_related(subjects),
        f"## {bank.history}\n\n",
        draw(stream.child("changes"), rows, bank.changes),
    )
    return PageDraft(subjects.names.text, text, edited)


def memo(
    stream: Stream, subjects: Subjects
) -> Annotated[PageDraft, Layout(path="/memos/{kind}/{name}", site="Board", relations=False)]:
    """Write a memo on each subject, which states what it is given to state in sentences."""
    rows, bank = subjects.rows, INTRANETS[subjects.language]
    sent = days_before(stream.child("published"), subjects, _SENT_DAYS)
    about = draw_filled(stream.child("about"), rows, bank.subjects, name=subjects.names)
    first, second = _said(stream, subjects, "order")
    text = _page(
        about,
        *pieces(bank.memo_head, **_head(stream, subjects, sent)),
        draw_filled(stream.child("lead"), rows, bank.memo_leads, name=subjects.linked_names),
        *first,
        *second,
        "\n\n",
        draw(stream.child("end"), rows, bank.memo_ends),
    )
    return PageDraft(about.text, text, sent)


def ticket(
    stream: Stream, subjects: Subjects
) -> Annotated[PageDraft, Layout(path="/browse/{kind}/{name}", site="Tracker", relations=False)]:
    """Write a ticket on each subject: what was asked, and comments among which the facts are shared out."""
    rows, bank = subjects.rows, INTRANETS[subjects.language]
    opened = days_before(stream.child("published"), subjects, _OPENED_DAYS)
    title = draw_filled(stream.child("title"), rows, bank.tickets, name=subjects.names)
    state = draw(stream.child("state"), rows, bank.states)
    priority = draw(stream.child("priority"), rows, bank.priorities)
    text = _page(
        title,
        *pieces(bank.ticket_head, state=state, priority=priority, **_head(stream, subjects, opened)),
        draw_filled(stream.child("asked"), rows, bank.asked, name=subjects.linked_names),
        "\n\n",
        *[_comment(stream, subjects, place) for place in range(2)],
        draw(stream.child("end"), rows, bank.ticket_ends),
    )
    return PageDraft(title.text, text, opened)


def sheet(
    stream: Stream, listing: ListingPages
) -> Annotated[PageDraft, Layout(path="/sheets/{kind}/{name}", site="Files", heading="{plural}{of_group} (sheet)")]:
    """Write each page of each spreadsheet: numbered rows, an entity each, a column for all that may be stated."""
    language = listing.items.language
    exported = days_before(stream.child("published"), listing, _EXPORTED_DAYS)
    headings = numbered_headings(listing)
    unit = BANKS[language].statistics.unit
    columns = [(headed(column, unit), is_figure(column), cell_of(column)) for column in listing.items.columns]
    names = (capitalised(listing.items.label), False, listing.items.linked_names)
    text = concat(
        "# ",
        headings,
        "\n\n",
        table([names, *columns], listing.offsets),
        "\n",
        page_links(listing),
        *pieces(INTRANETS[language].exported, site=listing.site, date=dated(exported, language)),
    )
    return PageDraft(headings.text, text, exported)


def _page(title: Part, *parts: Part) -> Passages:
    return concat("# ", title, "\n\n", *parts, "\n")


def _said(stream: Stream, subjects: Subjects, order: str, share: float = 1.0) -> tuple[list[Passages], list[Passages]]:
    """Say what may be stated in sentences, dealt out to two places; `order` names the chance by which."""
    said = {column.key: sentence(stream.child("wording"), subjects, column) for column in subjects.columns}
    return dealt(stream.child(order), subjects.rows, said, share)


def _head(stream: Stream, subjects: Subjects, day: pa.Array) -> dict[str, Part]:
    return {
        "site": subjects.site,
        "plural": capitalised(subjects.plural),
        "team": draw(stream.child("team"), subjects.rows, INTRANETS[subjects.language].teams),
        "date": dated(day, subjects.language),
    }


def _glance(subjects: Subjects) -> list[Part]:
    bank = INTRANETS[subjects.language]
    parts: list[Part] = [bank.kind.replace("{label}", subjects.label)]
    for column in subjects.columns:
        parts += pieces(bank.fact, label=capitalised(column.label), value=column.value)
    return parts


def _related(subjects: Subjects) -> list[Part]:
    """Write where to read on; nothing where there is nowhere."""
    n = len(subjects.rows)
    links = concat(repeat("", n), *[fill("- {link}\n", link=link) for link in subjects.elsewhere()])
    heading = INTRANETS[subjects.language].related
    return [fill(f"## {heading}\n\n{{links}}\n", links=links.keep(links.length > 0))]


def _comment(stream: Stream, subjects: Subjects, place: int) -> Passages:
    own, bank = stream.child("comment", place), INTRANETS[subjects.language]
    casual = BANKS[subjects.language].casual
    said = [sentence(stream.child("wording"), subjects, column, casual) for column in subjects.columns[place::2]]
    team = draw(own.child("team"), subjects.rows, bank.teams)
    answer = draw(own.child("answer"), subjects.rows, bank.answers)
    return concat(*pieces(bank.comment, team=team, answer=answer), *said, "\n\n")
