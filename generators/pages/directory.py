"""A directory: lists of entities, a line each, page after page."""

from __future__ import annotations

from typing import Annotated

from generators.pages.furniture import more_links
from generators.pages.layout import OPENED, dated, list_heading, page_links
from generators.pages.wordings import page_wordings
from worldforge.world.page_inputs import Layout, Listing
from worldforge.world.page_writer import Page


def directory(page: Page, listing: Listing) -> Annotated[None, Layout(site="Directory", max_age=400, tabular=True)]:
    """Write a page of a list: an entity a line, linked to its article, with what may be stated of it."""
    bank, draws = page_wordings(page).directory, page.draws
    words = {"plural": listing.plural, "site": page.site}
    list_heading(page, listing)
    if draws.chance(OPENED):
        page.fill(draws.pick(bank.openings) + "\n\n", **words)
    bullet, separator = draws.pick(bank.bullets), draws.pick(bank.separators)
    for item in listing.items:
        page.fill(bullet, name=item.linked_name)
        for attribute, value in item.facts:
            page.fill(bank.fact, separator=separator, label=attribute.label, value=value)
        page.write("\n")
    page.write("\n")
    page_links(page, listing)
    more_links(page)
    page.line(draws.pick(bank.footers), date=dated(page.published, page.language), **words)
