"""Pages of an organisation's intranet: its wiki, its memos, its tickets, its spreadsheets."""

from __future__ import annotations

from typing import Annotated

import pyarrow as pa

from generators.pages.banks import BANKS
from generators.pages.english import capitalised
from generators.pages.layout import dated, days_before, dealt, draw, draw_filled, is_figure, section, table
from generators.pages.pagination import numbered_headings, page_links
from generators.pages.sentences import sentence
from worldforge.core.chance import Stream
from worldforge.world.draft import Draft, Layout, Listing, Stated, Subjects
from worldforge.world.passages import Part, Passages, concat, fill, pieces, repeat

_EDITED_DAYS, _SENT_DAYS, _OPENED_DAYS, _EXPORTED_DAYS = 900, 500, 700, 300

_TEAMS = (
    "Records", "Field Liaison", "Second Floor", "Planning", "Accounts", "Archive", "Research", "Front Office",
    "Compliance", "Night Shift", "Operations", "Data Desk",
)  # fmt: skip
_STATUS = ("Reviewed", "Draft", "Reviewed, next review due in a year", "Approved", "In review")
_WIKI_OPENINGS = (
    "This page is what we have on the subject; please correct it where you know better.",
    "Put together from our files and from what colleagues have told us.",
    "Started as notes for a handover, kept up since.",
    "Moved here from the shared drive, with small corrections.",
    "For background. Figures are from our own register unless it says otherwise.",
)
_CHANGES = (
    "- checked against the register\n- wording",
    "- moved from the old wiki\n- table added",
    "- figures brought up to date\n- broken links taken out",
    "- page created\n- reviewed by a second pair of eyes",
    "- merged with the notes of the Archive team",
)
_SUBJECTS = (
    "{name}: for your information",
    "Note on {name}",
    "{name} – what to know before the meeting",
    "Briefing: {name}",
    "Question from the board about {name}",
)
_MEMO_LEADS = (
    "Several of you have asked about **{name}**, so here it is in one place.",
    "Ahead of next week, a short note on **{name}**.",
    "For those who did not make it to the round on Monday: we talked about **{name}**.",
    "We keep getting calls about **{name}**. Please use the following when you answer.",
)
_MEMO_ENDS = (
    "Please do not pass this on outside the house.",
    "Come by if anything is unclear.",
    "The wiki has the rest.",
    "Corrections to the Records team, please.",
)
_TICKETS = (
    "Check our entry for {name}",
    "{name}: somebody please confirm the register",
    "Data request concerning {name}",
    "{name} – entry incomplete?",
)
_ASKED = (
    "A client asked about **{name}** and our entry looked thin. Could somebody confirm what we hold?",
    "I need the entry for **{name}** for a report. What do we have?",
    "The nightly check flagged **{name}**. Please go through the entry once.",
)
_STATES = ("Closed", "Resolved", "Closed, no change needed", "Waiting for review")
_PRIORITIES = ("low", "normal", "normal", "high")
_ANSWERS = ("From the register.", "Had a look.", "Went through the file.", "Asked around.", "This is what I found.")
_TICKET_ENDS = ("Closing.", "Closing unless somebody objects.", "Over to review.", "Done from my side.")


def wiki(
    stream: Stream, subjects: Subjects
) -> Annotated[Draft, Layout(path="/display/{kind}/{name}", site="Wiki", article=True, languages=("en",))]:
    """Write a wiki's page on each subject: what is held at a glance, notes in sentences, tables of relations."""
    rows = subjects.rows
    edited = days_before(stream.child("published"), subjects, _EDITED_DAYS)
    said = {column.key: sentence(stream.child("wording"), subjects, column) for column in subjects.columns}
    first, second = dealt(stream.child("said"), rows, said, 0.6)
    text = concat(
        "# ",
        subjects.names,
        "\n\n",
        *pieces("*{site} › {plural} · kept by {team} · edited {date}*\n\n", **_head(stream, subjects, edited)),
        "**Status:** ",
        draw(stream.child("status"), rows, _STATUS),
        "\n\n## At a glance\n\n",
        *_glance(subjects),
        "\n## Notes\n\n",
        draw(stream.child("opening"), rows, _WIKI_OPENINGS),
        *first,
        *second,
        "\n\n",
        *[section(related) for related in subjects.relations],
        *_related(subjects),
        "## Page history\n\n",
        draw(stream.child("changes"), rows, _CHANGES),
        "\n",
    )
    return Draft(subjects.names.text, text, edited)


def memo(
    stream: Stream, subjects: Subjects
) -> Annotated[Draft, Layout(path="/memos/{kind}/{name}", site="Board", relations=False, languages=("en",))]:
    """Write a memo on each subject, which states what it is given to state in sentences."""
    rows = subjects.rows
    sent = days_before(stream.child("published"), subjects, _SENT_DAYS)
    about = draw_filled(stream.child("about"), rows, _SUBJECTS, name=subjects.names)
    said = {column.key: sentence(stream.child("wording"), subjects, column) for column in subjects.columns}
    first, second = dealt(stream.child("order"), rows, said)
    text = concat(
        "# ",
        about,
        "\n\n",
        *pieces("**From:** {team}  \n**To:** all staff  \n**Date:** {date}\n\n", **_head(stream, subjects, sent)),
        draw_filled(stream.child("lead"), rows, _MEMO_LEADS, name=subjects.linked_names),
        *first,
        *second,
        "\n\n",
        draw(stream.child("end"), rows, _MEMO_ENDS),
        "\n",
    )
    return Draft(about.text, text, sent)


def ticket(
    stream: Stream, subjects: Subjects
) -> Annotated[Draft, Layout(path="/browse/{kind}/{name}", site="Tracker", relations=False, languages=("en",))]:
    """Write a ticket on each subject: what was asked, and comments among which the facts are shared out."""
    rows = subjects.rows
    opened = days_before(stream.child("published"), subjects, _OPENED_DAYS)
    title = draw_filled(stream.child("title"), rows, _TICKETS, name=subjects.names)
    text = concat(
        "# ",
        title,
        "\n\n",
        *pieces(
            "| Status | Priority | Team | Opened |\n|:---|:---|:---|:---|\n"
            "| {state} | {priority} | {team} | {date} |\n\n",
            state=draw(stream.child("state"), rows, _STATES),
            priority=draw(stream.child("priority"), rows, _PRIORITIES),
            **_head(stream, subjects, opened),
        ),
        draw_filled(stream.child("asked"), rows, _ASKED, name=subjects.linked_names),
        "\n\n",
        *[_comment(stream, subjects, place) for place in range(2)],
        draw(stream.child("end"), rows, _TICKET_ENDS),
        "\n",
    )
    return Draft(title.text, text, opened)


def sheet(
    stream: Stream, listing: Listing
) -> Annotated[
    Draft, Layout(path="/sheets/{kind}/{name}", site="Files", heading="{plural}{of_group} (sheet)", languages=("en",))
]:
    """Write each page of each spreadsheet: numbered rows, an entity each, a column for all that may be stated."""
    exported = days_before(stream.child("published"), listing, _EXPORTED_DAYS)
    headings = numbered_headings(listing)
    columns = [(_column(column), is_figure(column), _cell(column)) for column in listing.items.columns]
    names = (capitalised(listing.items.label), False, listing.items.linked_names)
    text = concat(
        "# ",
        headings,
        "\n\n",
        table([names, *columns], listing.offsets),
        "\n",
        page_links(listing),
        *pieces("*Exported from {site} on {date}.*\n", site=listing.site, date=dated(exported)),
    )
    return Draft(headings.text, text, exported)


def _head(stream: Stream, subjects: Subjects, day: pa.Array) -> dict[str, Part]:
    return {
        "site": subjects.site,
        "plural": capitalised(subjects.plural),
        "team": draw(stream.child("team"), subjects.rows, _TEAMS),
        "date": dated(day),
    }


def _glance(subjects: Subjects) -> list[Part]:
    parts: list[Part] = [f"- Kind: {subjects.label}\n"]
    for column in subjects.columns:
        parts += pieces("- {label}: {value}\n", label=capitalised(column.label), value=column.value)
    return parts


def _related(subjects: Subjects) -> list[Part]:
    """Write where to read on; nothing where there is nowhere."""
    n = len(subjects.rows)
    links = concat(repeat("", n), *[fill("- {link}\n", link=link) for link in subjects.elsewhere])
    return [fill("## Related pages\n\n{links}\n", links=links.keep(links.length > 0))]


def _comment(stream: Stream, subjects: Subjects, place: int) -> Passages:
    own = stream.child("comment", place)
    casual = BANKS[subjects.language].casual
    said = [sentence(stream.child("wording"), subjects, column, casual) for column in subjects.columns[place::2]]
    return concat(
        "**",
        draw(own.child("team"), subjects.rows, _TEAMS),
        ":** ",
        draw(own.child("answer"), subjects.rows, _ANSWERS),
        *said,
        "\n\n",
    )


def _column(column: Stated) -> str:
    unit = f" ({column.unit})" if column.unit else ""
    return capitalised(column.label) + unit


def _cell(column: Stated) -> Passages:
    """Leave the unit to the heading."""
    return column.bare if column.unit else column.value
