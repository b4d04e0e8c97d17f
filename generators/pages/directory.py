"""A directory: lists of entities, a line each, page after page."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from generators.pages.banks import BANKS
from generators.pages.layout import dated, days_before, draw, draw_filled
from generators.pages.pagination import numbered_headings, page_links
from worldforge.core.chance import Stream
from worldforge.world.page_draft import Layout, ListingPages, PageDraft
from worldforge.world.passages import Passages, concat, fill, gather

_CHECKED_DAYS = 400


def directory(
    stream: Stream, listing: ListingPages
) -> Annotated[PageDraft, Layout(path="/{kind}/{name}", site="Directory")]:
    """Write each page of each list: an entity a line, linked to its article, with what may be stated of it."""
    published = days_before(stream.child("published"), listing, _CHECKED_DAYS)
    bank = BANKS[listing.items.language].directory
    date = dated(published, listing.items.language)
    words = {"plural": listing.items.plural, "site": listing.site}
    headings = numbered_headings(listing)
    text = concat(
        "# ",
        headings,
        "\n\n",
        draw_filled(stream.child("opening"), listing.rows, bank.openings, **words),
        "\n\n",
        gather(_lines(stream, listing), listing.offsets),
        "\n",
        page_links(listing),
        draw_filled(stream.child("footer"), listing.rows, bank.footers, date=date, **words),
        "\n",
    )
    return PageDraft(headings.text, text, published)


def _lines(stream: Stream, listing: ListingPages) -> Passages:
    """Write a line an item, in the manner that its page has throughout."""
    bank = BANKS[listing.items.language].directory
    pages = np.repeat(listing.rows, np.diff(listing.offsets))
    names = draw_filled(stream.child("bullet"), pages, bank.bullets, name=listing.items.linked_names)
    separator = draw(stream.child("separator"), pages, bank.separators)
    facts = [
        fill(bank.fact, separator=separator, label=column.label, value=column.value) for column in listing.items.columns
    ]
    return concat(names, *facts, "\n")
