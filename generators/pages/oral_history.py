"""An oral history: a long document in which people tell of a list of entities in their own words."""

from __future__ import annotations

from typing import Annotated

from generators.pages.furniture import page_bottom, page_top
from generators.pages.layout import capitalised, dated, list_heading, page_links
from generators.pages.prose_writer import ProseWriter
from generators.pages.related import referrers, related, told_rows
from generators.pages.wordings import page_wordings
from worldforge.world.page_inputs import Layout, Listing
from worldforge.world.page_writer import Page

_LAYOUT = Layout(site="Voices", max_age=900, heading="{plural}{of_group}, as people tell it", long=True)


def oral_history(page: Page, listing: Listing) -> Annotated[None, _LAYOUT]:
    """Let somebody tell of each entity of a list, as people talk."""
    bank, draws = page_wordings(page).oral_history, page.draws
    voices = page.phrases.voices if page.phrases is not None and page.phrases.voices else bank.voices
    page_top(page)
    list_heading(page, listing)
    page.say(draws.pick(bank.openings), plural=listing.plural, site=page.site)
    page.end_paragraph()
    for item in listing.items:
        writer = ProseWriter(page, item)
        page.heading("{name}", level=2, name=item.name)
        voice = page.pick_new(voices)
        page.say(page.pick_new(bank.introduced), voice=voice, capital=capitalised(voice))
        writer.filler(0.7)
        writer.end_paragraph()
        keys = draws.shuffled(list(writer.remaining))
        for start in range(0, len(keys), 3):
            writer.chatter(0.7)
            writer.tell(keys[start : start + 3], voice="talk")
            writer.chatter(0.5)
            writer.end_paragraph()
        told_rows(page, writer, 8)
        referrers(page, writer, 5)
        related(page, writer)
        if draws.chance(0.5):
            writer.quote_in_sentence()
            writer.filler(0.6)
            writer.end_paragraph()
    page_links(page, listing)
    page.line(draws.pick(bank.closings), date=dated(page.published, page.language), site=page.site)
    page_bottom(page)
