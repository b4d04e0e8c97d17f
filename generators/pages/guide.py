"""A guide: a long document that goes through a list of entities, a section each."""

from __future__ import annotations

from typing import Annotated

from generators.pages.furniture import page_bottom, page_top
from generators.pages.layout import dated, list_heading, page_links
from generators.pages.prose_writer import ProseWriter
from generators.pages.related import referrers, related, told_rows
from generators.pages.wordings import page_wordings
from worldforge.world.page_inputs import Layout, Listing
from worldforge.world.page_writer import Page

_LAYOUT = Layout(site="Companion", max_age=500, heading="A companion to the {plural}{of_group}", long=True)


def guide(page: Page, listing: Listing) -> Annotated[None, _LAYOUT]:
    """Write a section on each entity of a list: what it is, what is known of it, what people say."""
    bank, draws = page_wordings(page).guide, page.draws
    page_top(page)
    list_heading(page, listing)
    page.say(draws.pick(bank.openings), plural=listing.plural, site=page.site)
    page.say(draws.pick(bank.methods))
    page.end_paragraph()
    for item in listing.items:
        page.heading("{name}", level=2, name=item.linked_name)
        writer = ProseWriter(page, item, linked=False)
        writer.lead()
        writer.filler()
        writer.end_paragraph()
        writer.tell_by_theme()
        told_rows(page, writer, 12, level=3)
        referrers(page, writer, 8, level=3)
        related(page, writer, 3)
        writer.quote_in_sentence(0.6)
        writer.filler(0.6)
        writer.end_paragraph()
    page_links(page, listing)
    page.line(draws.pick(bank.closings), date=dated(page.published, page.language), site=page.site)
    page_bottom(page)
