"""Statistics: a table of entities and their figures, page after page."""

from __future__ import annotations

from typing import Annotated

from generators.pages.banks import BANKS
from generators.pages.english_starts import capitalised
from generators.pages.layout import cell_of, dated, days_before, draw_filled, headed, is_figure, table
from generators.pages.merged import merged, merged_by
from generators.pages.pagination import numbered_headings, page_links
from worldforge.core.chance import Stream
from worldforge.core.columns import StatedColumn
from worldforge.world.page_draft import Layout, ListingPages, PageDraft
from worldforge.world.passages import concat

_COMPILED_DAYS = 400


def statistics(
    stream: Stream, listing: ListingPages, *, merge: StatedColumn | None = None
) -> Annotated[PageDraft, Layout(path="/{kind}/{name}", site="Statistics", heading="{plural}{of_group} in figures")]:
    """Write each page of each table: an entity a row, linked to its article, a column for all that may be stated.

    `merge` names a column by which rows are grouped: its values stand in the first row of their group alone.
    """
    published = days_before(stream.child("published"), listing, _COMPILED_DAYS)
    bank = BANKS[listing.items.language].statistics
    date = dated(published, listing.items.language)
    words = {"plural": listing.items.plural, "site": listing.site}
    headings = numbered_headings(listing)
    columns = [(headed(column, bank.unit), is_figure(column), cell_of(column)) for column in listing.items.columns]
    names = (capitalised(listing.items.label), False, listing.items.linked_names)
    shown = [names, *columns]
    openings = bank.openings
    if merge is not None:
        by = merged_by(listing, merge)
        place = 1 + [column.key for column in listing.items.columns].index(merge)
        shown = merged(stream.child("merge"), listing, shown, place, by)
        openings, words = bank.grouped, words | {"column": by.label}
    text = concat(
        "# ",
        headings,
        "\n\n",
        draw_filled(stream.child("opening"), listing.rows, openings, **words),
        "\n\n",
        table(shown, listing.offsets),
        "\n",
        page_links(listing),
        draw_filled(stream.child("note"), listing.rows, bank.notes, date=date, **words),
        "\n",
    )
    return PageDraft(headings.text, text, published)
