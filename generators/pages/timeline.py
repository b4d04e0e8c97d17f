"""A timeline: what has a year or a date in its order, a line each, and below it what has none."""

from __future__ import annotations

import re
from typing import Annotated

from generators.pages.furniture import page_bottom, page_top
from generators.pages.layout import dated, relation_section, title_of, voices
from generators.pages.prose_writer import ProseWriter
from generators.pages.related import elsewhere, referrer_sections, related_section
from generators.pages.wordings import page_wordings
from worldforge.world.page_inputs import Fact, Layout, Subject
from worldforge.world.page_writer import Page

_YEAR = re.compile(r"\d{4}")


def timeline(page: Page, subject: Subject) -> Annotated[None, Layout(site="Chronicle", max_age=800)]:
    """Write a chronicle of an entity."""
    bank, draws = page_wordings(page).timeline, page.draws
    page.title = title_of(page, subject, draws.pick(bank.titles))
    page_top(page)
    page.heading(page.title)
    writer = ProseWriter(page, subject)
    timed = sorted((year, fact.attribute.key) for fact in subject.facts if (year := _year(fact)))
    writer.lead(without=[key for _, key in timed])
    writer.filler()
    writer.end_paragraph()
    listed = any(key in writer.remaining for _, key in timed)
    for _, key in timed:
        if key in writer.remaining:
            page.write("- ")
            writer.tell_alone(key)
            writer.filler(0.3)
            page.end_line()
    page.write("\n" if listed else None)
    writer.end_paragraph()
    for relation in subject.relations:
        relation_section(page, writer, relation)
    if writer.remaining:
        page.heading(draws.pick(bank.further), level=2)
        writer.tell_by_theme()
    referrer_sections(page, writer)
    related_section(page, writer, bank.related)
    voices(page, writer, bank.voices)
    elsewhere(page, writer, bank.elsewhere)
    page.line(draws.pick(bank.closings), date=dated(page.published, page.language), site=page.site)
    page_bottom(page)


def _year(fact: Fact) -> str:
    """Return the year that a fact holds as text; empty where it holds none."""
    if fact.attribute.kind not in ("year", "date"):
        return ""
    found = _YEAR.search(fact.value.text)
    return found[0] if found else ""
