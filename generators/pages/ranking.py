"""A ranking: the first hundred of a type by a figure, in a table where tables may state it, else by name alone."""

from __future__ import annotations

from typing import Annotated

from generators.pages.furniture import page_bottom, page_top
from generators.pages.layout import capitalised, cell, dated, list_heading, page_links
from generators.pages.wordings import page_wordings
from worldforge.world.page_inputs import Layout, Listing
from worldforge.world.page_writer import Page

_LAYOUT = Layout(site="Rankings", max_age=300, heading="{plural} ranked by {column}", tabular=True, lists_by="figures")


def ranking(page: Page, listing: Listing) -> Annotated[None, _LAYOUT]:
    """Write a page of a ranking. Its order is that of the tables today, so it is dated; equals stand by name."""
    bank, draws, by = page_wordings(page).ranking, page.draws, listing.by
    assert by is not None
    page_top(page)
    list_heading(page, listing)
    slots = {"plural": listing.plural, "column": by.label, "date": dated(page.published, page.language)}
    page.say(draws.pick(bank.openings), **slots)
    page.say(draws.pick(bank.with_figures if listing.attributes else bank.order_alone), **slots)
    page.end_paragraph()
    places = range(listing.first, listing.first + len(listing.items))
    if listing.attributes:
        unit = bank.unit.replace("{unit}", by.unit) if by.unit else ""
        headings = [bank.place, capitalised(listing.label), capitalised(listing.attributes[0].label) + unit]
        rows = [
            [str(place), item.linked_name, cell(by, item.values[0])]
            for place, item in zip(places, listing.items, strict=True)
        ]
        page.table(headings, rows, [True, False, True])
    else:
        for place, item in zip(places, listing.items, strict=True):
            page.line("{place}. {name}", place=str(place), name=item.linked_name)
        page.write("\n")
    page.line(draws.pick(bank.ties), **slots)
    page.write("\n")
    page_links(page, listing)
    page.line(draws.pick(bank.footers), date=slots["date"], site=page.site)
    page_bottom(page)
