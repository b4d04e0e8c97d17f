"""A report on an event: a row of a relation told in order, who took part, what came before and what else was on."""

from __future__ import annotations

from typing import Annotated

from generators.pages.event_writer import EventWriter
from generators.pages.furniture import comments, page_bottom, page_top
from generators.pages.layout import capitalised, dated
from generators.pages.prose_writer import ProseWriter
from generators.pages.related import tell_new
from generators.pages.wordings import Wordings, page_wordings
from worldforge.world.page_inputs import Event, Layout
from worldforge.world.page_writer import Page

_FACTS = (3, 6)  # told of each participant


def report(page: Page, event: Event) -> Annotated[None, Layout(path="/reports/{name}", site="Herald", max_age=9000)]:
    """Write a report."""
    bank, draws, source = page_wordings(page).report, page.draws, event.other("source")
    writer = EventWriter(page, event, source) if source is not None else None
    page.title = (writer.headline() if writer is not None else None) or _title(page, event, bank)
    page_top(page)
    page.heading(page.title)
    day = dated(page.published, page.language)
    page.fill(
        draws.pick(bank.lookbacks if event.is_retold else bank.bylines),
        site=page.site,
        date=day,
        desk=draws.pick(page_wordings(page).news.desks),
    )
    if writer is None or source is None:
        _by_labels(page, event, bank)
    else:
        draws.pick((_as_news, _in_order, _in_brief))(writer)
        _participants(page, event, bank)
        _other_rows(page, event, writer, bank)
    page.line(draws.pick(bank.closings), site=page.site, date=day)
    if source is not None:
        comments(page, ProseWriter(page, source, linked=False, among_others=True))
    page_bottom(page)


def _title(page: Page, event: Event, bank: Wordings) -> str:
    known = event.known
    title: str = page.draws.pick(bank.titles)
    return title.format(source=known["source"].text, target=known["target"].text, title=event.title)


def _as_news(writer: EventWriter) -> None:
    """Tell the outcome first, then how it came about."""
    writer.story()
    writer.tell_rest(1)
    writer.quote()
    writer.end_paragraph()
    writer.say("before", 2)
    writer.say("during", 2)
    writer.tell_rest(2)
    writer.end_paragraph()
    writer.quote()
    writer.say("during")
    writer.tell_rest()
    writer.say("after", 2)
    writer.end_paragraph()


def _in_order(writer: EventWriter) -> None:
    """Tell what happened in its order."""
    writer.say("before", 2)
    writer.story()
    writer.end_paragraph()
    writer.say("during", 3)
    writer.tell_rest(2)
    writer.end_paragraph()
    writer.quote()
    writer.tell_rest()
    writer.say("after", 2)
    writer.quote()
    writer.end_paragraph()


def _in_brief(writer: EventWriter) -> None:
    """Tell it in a paragraph or two."""
    writer.story()
    writer.say("during")
    writer.tell_rest()
    writer.end_paragraph()
    writer.say("before")
    writer.say("after")
    writer.quote()
    writer.end_paragraph()


def _by_labels(page: Page, event: Event, bank: Wordings) -> None:
    """Tell the row column by column, where there is no phrasebook."""
    known = event.known
    page.say(page.draws.pick(bank.leads), source=known.pop("source"), target=known.pop("target"), title=event.title)
    page.end_paragraph()
    for attribute in event.attributes:
        label = capitalised(attribute.label) + bank.colon
        page.line("- {label}{value}", label=label, value=known.get(attribute.key))
    page.write("\n")


def _participants(page: Page, event: Event, bank: Wordings) -> None:
    """Tell some facts of each participant, under a heading."""
    columns = [attribute.key for attribute in event.attributes if attribute.refers]
    others = [other for key in columns if (other := event.other(key)) is not None]
    if not others:
        return
    page.heading(page.draws.pick(bank.participants), level=2)
    for other in others:
        tell_new(page, other, page.draws.integer(*_FACTS))


def _other_rows(page: Page, event: Event, writer: EventWriter, bank: Wordings) -> None:
    """Tell rows that came before, and some of about the same time, each under a heading."""
    for rows, headings in ((event.earlier(), bank.earlier), (event.alongside(), bank.alongside)):
        if rows:
            page.heading(page.draws.pick(headings), level=2)
            for row in rows:
                writer.tell_row(row)
            writer.end_paragraph()
