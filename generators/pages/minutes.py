"""Minutes of a meeting: items with what was reported, what was said, and what was moved and decided."""

from __future__ import annotations

from typing import Annotated

from generators.pages.furniture import page_bottom, page_top
from generators.pages.layout import capitalised, dated, relation_section, title_of
from generators.pages.prose_writer import ProseWriter
from generators.pages.related import elsewhere, referrers, related
from generators.pages.wordings import page_wordings
from worldforge.world.page_inputs import Layout, Subject
from worldforge.world.page_writer import Page

_REMARKED, _MOTION = 0.7, 0.6  # how often somebody speaks on an item, and how often it ends with a vote
_FACTS_AN_ITEM, _MOST_MOTIONS = 3, 4


def minutes(page: Page, subject: Subject) -> Annotated[None, Layout(path="/minutes/{name}", site="Minutes")]:
    """Write the minutes of a meeting of an organisation, a place or a house."""
    bank, draws = page_wordings(page).minutes, page.draws
    page.title = title_of(page, subject, draws.pick(bank.titles))
    page_top(page)
    page.heading(page.title)
    page.fill(draws.pick(bank.openings), date=dated(page.published, page.language), site=page.site)
    writer = ProseWriter(page, subject)
    motions, remarks = _motions(page), draws.shuffled(bank.remarks)
    moved, votes, reporters = (draws.shuffled(texts) for texts in (bank.moved, bank.votes, bank.reporters))
    items = _items(writer)
    page.heading(bank.item, level=2, number="1", title=draws.pick(bank.first))
    page.say(draws.pick(bank.approvals))
    page.end_paragraph()
    number = 1
    for title, keys in items:
        if writer.remaining.keys().isdisjoint(keys):  # an item before has told them all
            continue
        number += 1
        page.heading(bank.item, level=2, number=str(number), title=capitalised(title or draws.pick(bank.items)))
        page.say(reporters[number % len(reporters)])
        writer.tell(keys)
        writer.filler(0.6)
        writer.end_paragraph()
        if remarks and draws.chance(_REMARKED):
            page.say(remarks.pop())
            writer.quote_in_sentence(0.5)
            writer.end_paragraph()
        if motions and draws.chance(_MOTION):
            page.say(moved[number % len(moved)], motion=motions.pop(), vote=votes[number % len(votes)])
            page.end_paragraph()
    for relation in subject.relations:
        relation_section(page, writer, relation)
    page.heading(bank.item, level=2, number=str(number + 1), title=draws.pick(bank.last))
    writer.filler()
    writer.end_paragraph()
    referrers(page, writer, 4, level=2)
    related(page, writer)
    elsewhere(page, writer, bank.elsewhere)
    page.line(draws.pick(bank.closings))
    page_bottom(page)


def _motions(page: Page) -> list[str]:
    """Return the motions of a meeting, by its number: the next meetings have others."""
    motions = page_wordings(page).minutes.motions
    start = page.number * _MOST_MOTIONS
    return [motions[(start + place) % len(motions)] for place in range(_MOST_MOTIONS)]


def _items(writer: ProseWriter) -> list[tuple[str, list[str]]]:
    """Deal the facts out to items: those of a theme together, a few an item, the rest last."""
    left, items = list(writer.remaining), []
    for theme in writer.words.themes if writer.words is not None else ():
        keys = [key for key in theme.facts if key in left]
        if keys:
            items.append((writer.page.draws.pick(theme.titles) if theme.titles else "", keys))
            left = [key for key in left if key not in keys]
    return items + [("", left[start : start + _FACTS_AN_ITEM]) for start in range(0, len(left), _FACTS_AN_ITEM)]
