"""What surrounds a page's text: navigation, notes on cookies, advertisements, comments. A site has its own."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from generators.pages.prose_writer import ProseWriter
from generators.pages.wordings import page_wordings, world_wordings
from worldforge.core.chance import Draws, Stream
from worldforge.world.page_writer import Page

_COMMENTS = 4  # at most, below a page


def page_top(page: Page) -> None:
    """Write what stands above the text: where one is, and a note on cookies on some sites."""
    bank = page_wordings(page).furniture
    navigation, cookies, _, _ = _of_site(page.site, page.language, page.seed, page.old_design)
    if navigation:
        page.write(navigation.replace("{site}", page.site), "\n\n")
    if cookies and page.draws.chance(0.5):
        page.write(page.draws.pick(bank.cookies), "\n\n")


def page_bottom(page: Page) -> None:
    """Write what stands below the text: an advertisement, links of the site."""
    bank = page_wordings(page).furniture
    _, _, advertises, _ = _of_site(page.site, page.language, page.seed, page.old_design)
    page.begin_block()
    if advertises and page.draws.chance(0.6):
        page.write(bank.advertisement, page.draws.pick(bank.advertisements), "\n\n")
    more_links(page)
    if page.draws.chance(0.5):
        page.line(page.draws.pick(bank.footers), site=page.site)


def more_links(page: Page) -> None:
    """Write links to more pages of the site; nothing where there are none."""
    if page.more:
        page.end_paragraph()
        page.write("*", _of_site(page.site, page.language, page.seed, page.old_design)[3], "* ")
        page.write(page.more[0], *(text for link in page.more[1:] for text in (" · ", link)), "\n\n")


def comments(page: Page, writer: ProseWriter) -> None:
    """Write readers' comments that state nothing, on some pages."""
    words = page_wordings(page)
    n = min(page.draws.integer(-2, _COMMENTS), writer.n_chatter())
    if n <= 0:
        return
    page.heading(words.furniture.comments, level=2, number=str(n))
    for _ in range(n):
        page.write(f"**{user_name(page)}**{words.furniture.colon}")
        writer.chatter()
        writer.end_paragraph()


def user_name(page: Page) -> str:
    """Draw what a user is called."""
    bank = page_wordings(page).forum
    name: str = bank.user.format(mood=page.draws.pick(bank.moods), creature=page.draws.pick(bank.creatures))
    return f"{name}_{page.draws.integer(2, 99)}" if page.draws.chance(0.3) else name


@lru_cache(maxsize=4096)
def _of_site(site: str, language: str, seed: int, old_design: bool) -> tuple[str, bool, bool, str]:
    """Return a site's navigation, whether it has notes on cookies and advertisements, and what it calls more pages."""
    draws: Draws = Stream(seed).child("furniture", site, *(["before"] if old_design else [])).draws(np.arange(1))[0]
    bank = world_wordings(language, seed).furniture
    words = draws.shuffled(bank.menu)[: draws.integer(4, 7)]
    navigation = draws.pick(bank.separators).join(words) if draws.chance(0.75) else ""
    return navigation, draws.chance(0.4), draws.chance(0.4), draws.pick(bank.more)
