"""Lists that run over several pages: which page this is, and the way to the others."""

from __future__ import annotations

import pyarrow as pa

from generators.pages.banks import BANKS
from worldforge.world.page_draft import ContinuedPages, ListingPages
from worldforge.world.passages import Passages, concat, fill, plain


def numbered_headings(listing: ListingPages) -> Passages:
    """Write each page's heading, and which page of its list it is where its list has several."""
    number, of = (plain(pa.array(column).cast(pa.string())) for column in (listing.number, listing.of))
    page = fill(BANKS[listing.items.language].page, number=number, of=of).keep(listing.of > 1)
    return concat(listing.headings, page)


def page_links(listing: ListingPages | ContinuedPages) -> Passages:
    """Write the links to the previous and the next page; the empty text where there is neither."""
    both = fill("{previous} | {next}", previous=listing.previous, next=listing.next)
    one = concat(listing.previous.keep(~both.said), listing.next.keep(~both.said), both)
    return fill("{links}\n\n", links=one.keep(one.length > 0)).otherwise("")
