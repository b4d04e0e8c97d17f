"""A reprint: another page nearly word for word, as papers print what agencies send."""

from __future__ import annotations

import re
from typing import Annotated

from generators.pages.furniture import more_links
from generators.pages.layout import dated
from generators.pages.wordings import page_wordings
from worldforge.world.page_inputs import Layout, Original
from worldforge.world.page_writer import Page

_DROPPED = 0.15  # of the paragraphs that are neither first nor last
_MOVED = 0.3  # of the reprints in which one of those has changed places with the next
_HEADING = "# "
_ANNOUNCES = re.compile(r"\A#|[:：]\Z|\A---\Z")


def reprint(page: Page, original: Original) -> Annotated[None, Layout(site="Digest")]:
    """Write an original again: credited in one of three places, a paragraph dropped or moved here and there."""
    bank, draws = page_wordings(page).reprint, page.draws
    text = str(original.text)
    top = text.find("\n" + _HEADING) + 1  # what a site puts above its pages stays there
    credit = draws.pick(bank.credits)
    slots = {"site": original.site, "date": dated(original.published, page.language)}
    blocks = [(start + top, end + top) for start, end in _blocks(text[top:])]
    first, *inner = blocks[:-1] if len(blocks) > 1 else blocks
    inner = [block for block in inner if not draws.chance(_DROPPED)]
    if len(inner) > 1 and draws.chance(_MOVED):
        place = draws.integer(0, len(inner) - 2)
        inner[place], inner[place + 1] = inner[place + 1], inner[place]
    credited = draws.pick(("title", "start", "end") if text.startswith(_HEADING, top) else ("start", "end"))
    page.title = original.title
    start, end = first
    if credited == "title":
        prefix = draws.pick(bank.prefixes)
        page.title = prefix + original.title
        page.write(_HEADING, prefix)
        start += len(_HEADING)
    page.text.append(original.text, start, end)
    if credited == "start" and len(blocks) > 1:
        page.fill(credit + "\n", **slots)
    for block in inner:
        page.text.append(original.text, *block)
    if len(blocks) > 1:
        page.text.append(original.text, *blocks[-1])
    if credited == "end" or (credited == "start" and len(blocks) == 1):
        page.write("" if text.endswith("\n\n") else "\n")
        page.fill(credit, **slots)
    more_links(page)


def _blocks(text: str) -> list[tuple[int, int]]:
    """Return where each block starts and ends, with the empty line after it.

    A block is a paragraph, a list or a table, with the headings, rules and announcements right before it.
    """
    blocks, start, place = [], 0, 0
    paragraphs = text.split("\n\n")
    for number, paragraph in enumerate(paragraphs):
        place = min(place + len(paragraph) + 2, len(text))
        if number == len(paragraphs) - 1 or not _ANNOUNCES.search(paragraph):
            blocks.append((start, place))
            start = place
    return [block for block in blocks if block[0] < block[1]]
