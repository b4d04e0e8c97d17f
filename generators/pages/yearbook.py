"""A yearbook's chapter: a long document with an entry for each entity of a list."""

from __future__ import annotations

from typing import Annotated

from generators.pages.furniture import more_links, page_top
from generators.pages.layout import dated, list_heading, page_links
from generators.pages.prose_writer import ProseWriter
from generators.pages.related import referrers, related, told_rows
from generators.pages.wordings import page_wordings
from worldforge.world.page_inputs import Layout, Listing
from worldforge.world.page_writer import Page

_LAYOUT = Layout(site="Yearbook", max_age=360, heading="Yearbook: {plural}{of_group}", long=True)


def yearbook(page: Page, listing: Listing) -> Annotated[None, _LAYOUT]:
    """Write an entry for each entity of a list, in the order of their names: running text without headings."""
    bank, draws = page_wordings(page).yearbook, page.draws
    page_top(page)
    list_heading(page, listing)
    page.say(draws.pick(bank.openings), plural=listing.plural, site=page.site)
    page.say(draws.pick(bank.rules))
    page.end_paragraph()
    for item in listing.items:
        writer = ProseWriter(page, item, linked=False)
        page.write("**", item.linked_name, "**", bank.gap)
        writer.tell(draws.shuffled(list(writer.remaining)))
        writer.filler(0.8)
        writer.end_paragraph()
        told_rows(page, writer, 12)
        referrers(page, writer, 6)
        related(page, writer)
        if draws.chance(0.4):
            writer.filler()
            writer.quote_in_sentence(0.5)
            writer.end_paragraph()
    page_links(page, listing)
    more_links(page)
    page.line(draws.pick(bank.closings), date=dated(page.published, page.language), site=page.site)
