"""Pages of an organisation's intranet: its wiki, its memos, its tickets, its spreadsheets."""

from __future__ import annotations

from typing import Annotated

from generators.pages.furniture import more_links
from generators.pages.layout import (
    bullet_links,
    capitalised,
    dated,
    entity_row,
    entity_table,
    list_heading,
    page_links,
    relation_section,
    with_articles,
)
from generators.pages.prose_writer import ProseWriter
from generators.pages.wordings import page_wordings
from worldforge.world.page_inputs import Layout, Listing, Subject
from worldforge.world.page_writer import Page


def wiki(
    page: Page, subject: Subject
) -> Annotated[None, Layout(path="/display/{kind}/{name}", site="Wiki", max_age=900, article=True)]:
    """Write a wiki's page: what is held at a glance, notes in sentences, tables of relations."""
    bank, draws = page_wordings(page).intranet, page.draws
    page.heading("{name}", name=subject.name)
    page.fill(bank.wiki_head, **_head(page, subject))
    page.write(bank.wiki_status, draws.pick(bank.statuses))
    page.write("\n\n")
    page.heading(bank.glance, level=2)
    page.fill(bank.kind, label=subject.label)
    for attribute, value in (*subject.facts, *subject.addresses):
        if attribute.is_open:
            page.fill(bank.fact, label=capitalised(attribute.label), value=value)
    page.heading(bank.notes, level=2)
    page.say(draws.pick(bank.wiki_openings))
    writer = ProseWriter(page, subject, linked=False)
    writer.tell_by_theme()
    for relation in subject.relations:
        relation_section(page, writer, relation)
    bullet_links(page, bank.related, [*subject.see_also(), *page.more, *subject.other_pages()])
    page.heading(bank.history, level=2)
    page.line(draws.pick(bank.changes))


def memo(
    page: Page, subject: Subject
) -> Annotated[None, Layout(path="/memos/{kind}/{name}", site="Board", max_age=500, relations=False)]:
    """Write an internal memo about an entity: a header, then one sentence for each fact."""
    bank, draws = page_wordings(page).intranet, page.draws
    page.heading(draws.pick(bank.subjects), name=subject.name)
    page.fill(bank.memo_head, **_head(page, subject))
    page.say(with_articles(page, subject, draws.pick(bank.memo_leads)), name=subject.linked_name)
    writer = ProseWriter(page, subject)
    writer.tell(draws.shuffled(list(writer.remaining)))
    writer.end_paragraph()
    page.line(draws.pick(bank.memo_ends))
    more_links(page)


def ticket(
    page: Page, subject: Subject
) -> Annotated[None, Layout(path="/browse/{kind}/{name}", site="Tracker", max_age=700, relations=False)]:
    """Write a ticket: what was asked, and comments among which the facts are shared out."""
    bank, draws = page_wordings(page).intranet, page.draws
    page.heading(draws.pick(bank.tickets), name=subject.name)
    state, priority = draws.pick(bank.states), draws.pick(bank.priorities)
    page.fill(bank.ticket_head, state=state, priority=priority, **_head(page, subject))
    page.say(with_articles(page, subject, draws.pick(bank.asked)), name=subject.linked_name)
    page.end_paragraph()
    writer = ProseWriter(page, subject)
    for place in range(2):
        page.fill(bank.comment, team=draws.pick(bank.teams))
        page.say(draws.pick(bank.answers))
        writer.tell([fact.attribute.key for fact in subject.facts[place::2]], voice="talk")
        writer.end_paragraph()
    page.line(draws.pick(bank.ticket_ends))
    more_links(page)


def sheet(
    page: Page, listing: Listing
) -> Annotated[
    None,
    Layout(path="/sheets/{kind}/{name}", site="Files", max_age=300, heading="{plural}{of_group} (sheet)", tabular=True),
]:
    """Write a page of a spreadsheet: an entity a row, a column for all that may be stated."""
    unit = page_wordings(page).statistics.unit
    list_heading(page, listing)
    entity_table(page, listing, [entity_row(item) for item in listing.items], unit)
    page_links(page, listing)
    more_links(page)
    page.line(page_wordings(page).intranet.exported, site=page.site, date=dated(page.published, page.language))


def _head(page: Page, subject: Subject) -> dict[str, str]:
    return {
        "site": page.site,
        "plural": capitalised(subject.plural),
        "team": page.draws.pick(page_wordings(page).intranet.teams),
        "date": dated(page.published, page.language),
    }
