"""Later parts of a page: its tables go on where the part before has left off."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from generators.pages.banks import BANKS
from generators.pages.layout import dated, days_before, draw_filled, section
from generators.pages.pagination import page_links
from worldforge.core.chance import Stream
from worldforge.world.page_draft import ContinuedPages, PageDraft
from worldforge.world.passages import concat, fill, plain

_MOST_PARTS = 4096  # whose chance is apart; parts beyond begin like others


def continued(stream: Stream, parts: ContinuedPages) -> PageDraft:
    """Write the later parts of pages: the rows that are left of each table, and the ways to the parts around."""
    subjects = parts.subjects
    stream = stream.child("continued")
    pages = subjects.rows * _MOST_PARTS + parts.number
    bank = BANKS[subjects.language]
    published = days_before(stream, subjects, 0)  # those of the first parts
    number, of = (plain(pa.array(column).cast(pa.string())) for column in (parts.number, parts.of))
    tables = [section(related) for related in subjects.relations]
    some = np.logical_or.reduce([one.said for one in tables], axis=0, initial=False)
    opening = draw_filled(stream.child("opening"), pages, bank.continued.openings, name=subjects.linked_names)
    nothing = draw_filled(stream.child("nothing"), pages, bank.continued.nothing, name=subjects.linked_names)
    text = concat(
        "# ",
        heading := concat(subjects.titles, fill(bank.page, number=number, of=of)),
        "\n\n",
        opening.keep(some),
        nothing.keep(~some),
        "\n\n",
        *tables,
        page_links(parts),
        draw_filled(
            stream.child("footer"),
            subjects.rows,
            bank.continued.footers,
            date=dated(published, subjects.language),
            site=subjects.site,
        ),
        "\n",
    )
    return PageDraft(heading.text, text, published)
