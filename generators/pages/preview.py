"""A copy behind a paywall, or cut short: the original's beginning, and where to read the rest."""

from __future__ import annotations

from typing import Annotated

from generators.pages.furniture import page_bottom, page_top
from generators.pages.layout import dated
from generators.pages.wordings import page_wordings
from worldforge.world.page_inputs import Layout, Original
from worldforge.world.page_writer import Page

_BLOCKS = (2, 5)  # kept of the original, after its title


def preview(page: Page, original: Original) -> Annotated[None, Layout(site="Reader")]:
    """Write the first paragraphs of an original, and a note that the rest is for subscribers."""
    bank, draws = page_wordings(page).preview, page.draws
    text = str(original.text)
    page.title = original.title
    page_top(page)
    page.heading(original.title)
    start = end = text.find("\n\n", text.find("# ")) + 2 if "# " in text else 0
    for _ in range(draws.integer(*_BLOCKS)):
        following = text.find("\n\n", end)
        end = following + 2 if following >= 0 else len(text)
    while (last := text.rfind("\n\n", start - 2, end - 2)) >= 0 and text.startswith("#", last + 2):
        end = last + 2  # no heading without a text
    page.text.append(original.text, start, end)
    page.end_paragraph()
    page.line(draws.pick(bank.notes), site=original.site, date=dated(original.published, page.language))
    page_bottom(page)
