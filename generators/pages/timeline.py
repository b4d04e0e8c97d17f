"""A timeline: what has a year or a date in its order, a line each, and below it what has none."""

from __future__ import annotations

import re
from typing import Annotated

from generators.pages.furniture import page_bottom, page_top
from generators.pages.layout import dated, elsewhere, relation_section, voices
from generators.pages.telling import Teller
from generators.pages.wordings import wordings
from worldforge.world.page_writer import Fact, Layout, Page, Subject

_YEAR = re.compile(r"\d{4}")


def timeline(page: Page, subject: Subject) -> Annotated[None, Layout(site="Chronicle", max_age=800)]:
    """Write a chronicle of an entity."""
    bank, draws = wordings(page.language).timeline, page.draws
    page.title = draws.pick(bank.titles).replace("{name}", subject.name.text)
    page_top(page)
    page.heading(page.title)
    teller = Teller(page, subject)
    timed = sorted((year, key) for key, fact in teller.left.items() if (year := _year(fact)))
    teller.lead(but=[key for _, key in timed])
    teller.filler()
    teller.end_paragraph()
    for _, key in timed:
        if key in teller.left:
            page.write("- ")
            teller.tell_alone(key)
            teller.filler(0.3)
            page.end_line()
    page.write("\n")
    teller.end_paragraph()
    for relation in subject.relations:
        relation_section(page, teller, relation)
    if teller.left:
        page.heading(draws.pick(bank.further), level=2)
        teller.themes()
    voices(page, teller, bank.voices)
    elsewhere(page, teller, bank.elsewhere)
    page.line(draws.pick(bank.closings), date=dated(page.published, page.language), site=page.site)
    page_bottom(page)


def _year(fact: Fact) -> str:
    """Return the year that a fact holds as text; empty where it holds none."""
    if fact.attribute.kind not in ("year", "date"):
        return ""
    found = _YEAR.search(fact.value.text)
    return found[0] if found else ""
