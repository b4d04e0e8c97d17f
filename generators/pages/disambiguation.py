"""A page for a name that several bear: who they are, a line each, with what tells them apart."""

from __future__ import annotations

from typing import Annotated

from generators.pages.furniture import more_links
from generators.pages.layout import dated, list_heading, page_links
from generators.pages.wordings import page_wordings
from worldforge.core.english import with_article
from worldforge.world.page_inputs import Layout, Listing
from worldforge.world.page_writer import Page

_TOLD = 2  # facts a line

_LAYOUT = Layout(
    path="/wiki/{name}-disambiguation",
    site="Encyclopedia",
    max_age=900,
    heading="{group} (disambiguation)",
    shared=True,
    tabular=True,
)


def disambiguation(page: Page, listing: Listing) -> Annotated[None, _LAYOUT]:
    """Write a page for a name that several entities share: each linked to its article, with a fact or two.

    What an entity refers to goes first.
    """
    words = page_wordings(page)
    bank, draws = words.disambiguation, page.draws
    list_heading(page, listing)
    page.fill(draws.pick(bank.openings) + "\n\n", name=listing.items[0].name.text, plural=listing.plural)
    a_label = with_article(listing.label) if words.space else listing.label
    columns = sorted(range(len(listing.attributes)), key=lambda place: not listing.attributes[place].refers)[:_TOLD]
    for item in listing.items:
        page.fill(bank.line, name=item.linked_name, a_label=a_label)
        for place in columns:
            page.fill(bank.fact, label=listing.attributes[place].label, value=item.values[place])
        page.write("\n")
    page.write("\n")
    page_links(page, listing)
    more_links(page)
    page.line(draws.pick(bank.footers), date=dated(page.published, page.language), plural=listing.plural)
