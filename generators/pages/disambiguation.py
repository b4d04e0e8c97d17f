"""A page for a name that several bear: who they are, a line each, with what tells them apart."""

from __future__ import annotations

from typing import Annotated

import pyarrow as pa

from generators.pages.banks import BANKS
from generators.pages.layout import dated, days_before, draw_filled
from generators.pages.pagination import numbered_headings, page_links
from worldforge.core.chance import Stream
from worldforge.core.english import with_article
from worldforge.world.page_draft import Layout, ListingPages, PageColumn, PageDraft
from worldforge.world.passages import Passages, concat, fill, gather, plain

_EDITED_DAYS = 900
_TOLD = 2  # facts a line


def disambiguation(
    stream: Stream, listing: ListingPages
) -> Annotated[
    PageDraft,
    Layout(
        path="/wiki/{name}-disambiguation",
        site="Encyclopedia",
        heading="{group} (disambiguation)",
        shared=True,
    ),
]:
    """Write a page for each name that several entities share: each linked to its article, with a fact or two."""
    bank = BANKS[listing.items.language].disambiguation
    published = days_before(stream.child("published"), listing, _EDITED_DAYS)
    date = dated(published, listing.items.language)
    headings = numbered_headings(listing)
    name = plain(listing.items.names.text.take(pa.array(listing.offsets[:-1])))
    opening = draw_filled(stream.child("opening"), listing.rows, bank.openings, name=name, plural=listing.items.plural)
    text = concat(
        "# ",
        headings,
        "\n\n",
        opening,
        "\n\n",
        gather(_lines(listing), listing.offsets),
        "\n",
        page_links(listing),
        draw_filled(stream.child("footer"), listing.rows, bank.footers, date=date, plural=listing.items.plural),
        "\n",
    )
    return PageDraft(headings.text, text, published)


def _lines(listing: ListingPages) -> Passages:
    """Write a line an entity: its name, what it is, and what it has of its own."""
    items, bank = listing.items, BANKS[listing.items.language]
    facts = [
        fill(bank.disambiguation.fact, label=column.label, value=column.value) for column in _telling(items.columns)
    ]
    a_label = with_article(items.label) if bank.space else items.label
    return concat(fill(bank.disambiguation.line, name=items.linked_names, a_label=a_label), *facts, "\n")


def _telling(columns: tuple[PageColumn, ...]) -> list[PageColumn]:
    """Choose the facts to tell: what an entity refers to first, in the order of the spec."""
    return sorted(columns, key=lambda column: not column.refers)[:_TOLD]
