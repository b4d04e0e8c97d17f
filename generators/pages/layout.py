"""Parts that pages of many kinds have: dates, tables of relations, links between pages of a list."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from generators.pages.prose_writer import ProseWriter

from generators.pages.wordings import page_wordings
from worldforge.world.page_inputs import (
    Continuation,
    Fact,
    Listing,
    PageAttribute,
    RelatedRows,
    SiteMap,
    Subject,
    Text,
    Value,
)
from worldforge.world.page_writer import Page
from worldforge.world.value_text import MONTHS

OPENED = 0.25
"""Share of lists and tables that begin with a sentence on what they are."""
_MOST_ROWS = 30  # of a relation, told on one page
_WITHIN_PHRASE = re.compile(r"(?<=[a-z,] )(\*{0,2}\{name\})")
_BEGINS_SENTENCE = re.compile(r"(?:^|(?<=[.!?] ))(\*{0,2}\{name\}(?!\*{0,2}:))")
_NOTED_TABLES, _NOTED_ROWS, _MOST_NOTES = 0.35, 4, 3  # tables with notes, of so many rows at least
_TABLE_SHARE = 0.3  # of told relations that have a table as well


def capitalised(text: str) -> str:
    """Give a text a capital first letter."""
    return text[:1].upper() + text[1:]


@lru_cache(maxsize=65536)
def dated(day: datetime.date, language: str = "en") -> str:
    """Write a day as `18 June 2024`, or as another language does."""
    if language == "zh":
        return f"{day.year}年{day.month}月{day.day}日"
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def with_name_marks(page: Page, subject: Subject, template: str) -> str:
    """Put the marks that stand around names of the subject's type, such as 《》, around `{name}`."""
    words = page.phrases.types.get(subject.type) if page.phrases is not None else None
    if words is None or not words.around_name:
        return template
    return template.replace("{name}", f"{words.around_name[0]}{{name}}{words.around_name[1]}")


def with_articles(page: Page, subject: Subject, template: str) -> str:
    """Put what stands before names of the subject's type, such as `the`, before `{name}` where a template needs it.

    That is within a phrase, and at the beginning of a sentence: not in `Portrait: {name}`. Marks around names stand
    everywhere.
    """
    words = page.phrases.types.get(subject.type) if page.phrases is not None else None
    if words is None or not words.before_name:
        return with_name_marks(page, subject, template)
    text = _WITHIN_PHRASE.sub(rf"{words.before_name} \1", template)
    if template.endswith((".", "!", "?")):
        text = _BEGINS_SENTENCE.sub(rf"{capitalised(words.before_name)} \1", text)
    return with_name_marks(page, subject, text)


def title_of(page: Page, subject: Subject, template: str) -> str:
    """Return a title about the subject: the template with its name, and the article that this takes."""
    return with_articles(page, subject, template).replace("{name}", subject.name.text)


def dealt(page: Page, facts: Sequence[Fact], share: float = 1.0) -> tuple[list[Fact], list[Fact]]:
    """Deal facts out by chance to two places in a text; each is stated there with probability `share`.

    The first place keeps their order, the second has them the other way round.
    """
    places: tuple[list[Fact], list[Fact]] = ([], [])
    for fact in facts:
        drawn = page.draws.uniform()
        if drawn < share:
            places[drawn >= share / 2].append(fact)
    return places[0], places[1][::-1]


def infobox(page: Page, subject: Subject) -> None:
    """Write a table of some of the facts that may stand in tables, or none: how many is drawn by page.

    Without a phrasebook all of them stand in it.
    """
    facts, draws = [fact for fact in subject.facts if fact.attribute.is_open], page.draws
    if page.phrases is not None:
        facts = [fact for fact in facts if draws.chance(0.75)] if draws.chance(0.8) else []
    if facts:
        rows = [(capitalised(attribute.label), value) for attribute, value in facts]
        page.table([capitalised(subject.label), subject.name.text], rows)


def new_heading(page: Page, title: str, level: int) -> None:
    """Write `title` as a heading, or `More …` where the page has that heading already."""
    if capitalised(title) in page.headings:
        page.heading(page_wordings(page).document.further, level=level, plural=title[:1].lower() + title[1:])
    else:
        page.heading(capitalised(title), level=level)


def relation_section(
    page: Page, writer: ProseWriter, relation: RelatedRows, level: int = 2, title: str | None = None
) -> None:
    """Tell the rows of a relation under a heading; without wordings for them, write their table.

    What stands in prose may stand beside a table of the columns that are open. Very many rows are not all told.
    """
    if not relation.rows or not writer.has_wordings_for(relation):
        relation_table(page, relation)
        return
    writer.head(title or relation.title, level)
    writer.tell_rows(relation, relation.rows[:_MOST_ROWS])
    rest = relation.rows[_MOST_ROWS:]
    open_places = [place for place, one in enumerate(relation.attributes) if one.is_open and one.key != "position"]
    if rest:
        _table(page, relation, rest, range(len(relation.attributes)))
    elif len(relation.rows) > 2 and len(open_places) > 1 and page.draws.chance(_TABLE_SHARE):
        _table(page, relation, relation.rows, open_places)
    page.fill("{next}\n\n", next=relation.next)


def voices(page: Page, writer: ProseWriter, headings: Sequence[str]) -> None:
    """Write what people say of the subject under a heading, at times; nothing without a phrasebook."""
    if not page.draws.chance(0.8) or not writer.has_quotes():
        return
    page.heading(page.draws.pick(headings), level=2)
    for _ in range(page.draws.integer(2, 4)):
        writer.quote_in_sentence()
    writer.filler(0.5)
    writer.end_paragraph()


def _table(page: Page, relation: RelatedRows, rows: Sequence[tuple[Value | None, ...]], places: Sequence[int]) -> None:
    if page.phrases is not None:
        places = [place for place in places if relation.attributes[place].key != "position"]
    attributes = [relation.attributes[place] for place in places]
    headings = [capitalised(attribute.label) for attribute in attributes]
    cells = [[row[place] for place in places] for row in rows]
    noted_table(page, headings, cells, [attribute.is_figure for attribute in attributes])


def relation_table(page: Page, relation: RelatedRows) -> None:
    """Write a heading and a table with a relation's rows. Write nothing if the subject has no rows.

    Below a table that goes on elsewhere stands the link there.
    """
    if not relation.rows and relation.next is None:
        return
    page.heading(relation.title, level=2)
    if relation.rows:
        headings = [capitalised(attribute.label) for attribute in relation.attributes]
        noted_table(page, headings, relation.rows, [attribute.is_figure for attribute in relation.attributes])
    page.fill("{next}\n\n", next=relation.next)


def list_heading(page: Page, listing: Listing) -> None:
    """Write the heading of a list, and which page of the list this is where it has several."""
    numbered = page_wordings(page).page if listing.of > 1 else ""
    page.heading(listing.heading + numbered, group=listing.group or "", number=str(listing.number), of=str(listing.of))


def page_links(page: Page, part: Listing | Continuation | SiteMap) -> None:
    """Write the links to the previous and the next page; nothing where there is neither."""
    links = [link for link in (part.previous, part.next) if link is not None]
    if links:
        page.write(links[0], *(text for link in links[1:] for text in (" | ", link)), "\n\n")


def bullet_links(page: Page, heading: str, links: Sequence[Value], addresses: Sequence[Fact] = ()) -> None:
    """Write a heading and a link a line, first those whose address is a fact; write nothing if there is no link."""
    if links or addresses:
        page.heading(heading, level=2)
        fact_lines(page, addresses)
        for link in {link.text: link for link in links}.values():
            page.line("- {link}", link=link)
        page.write("\n")


def fact_lines(page: Page, facts: Sequence[Fact]) -> None:
    """Write facts, a line each: label and value."""
    for attribute, value in facts:
        page.fill(page_wordings(page).official.fact, label=capitalised(attribute.label), value=value)


def noted_table(
    page: Page, headings: Sequence[str], rows: Sequence[Sequence[Text | None]], right: Sequence[bool] = ()
) -> None:
    """Write a table, of which a few cells stand in notes below it: the cell has the number of its note.

    Only cells with one fact move, none of the first column, and none without a phrasebook.
    """
    bank, draws, notes = page_wordings(page).notes, page.draws, list[tuple[int, int]]()
    if page.phrases is not None and len(rows) >= _NOTED_ROWS and draws.chance(_NOTED_TABLES):
        free = [
            (line, place)
            for line, row in enumerate(rows)
            for place, one in enumerate(row)
            if place and isinstance(row[0], Value) and isinstance(one, Value) and one.code >= 0 and not one.also
        ]
        notes = sorted(draws.shuffled(free)[: draws.integer(1, _MOST_NOTES)])
    marks = {cell: bank.mark.replace("{number}", str(number)) for number, cell in enumerate(notes, 1)}
    page.table(
        headings,
        [[marks.get((line, place), one) for place, one in enumerate(row)] for line, row in enumerate(rows)],
        right,
    )
    template = draws.pick(bank.lines) if notes else ""
    for line, place in notes:
        name, label = rows[line][0], headings[place]
        assert isinstance(name, Value)
        page.line(template, mark=marks[line, place], label=label, name=name.text, value=rows[line][place])
    page.write("\n" if notes else None)


def entity_table(page: Page, listing: Listing, rows: Sequence[Sequence[Text | None]], unit: str) -> None:
    """Write a list as a table, a column for all that may be stated; `unit` is how a heading gives a column's unit."""
    headings = [capitalised(listing.label)]
    for attribute in listing.attributes:
        after = unit.replace("{unit}", attribute.unit) if attribute.unit else ""
        headings.append(capitalised(attribute.label) + after)
    right = [False, *(attribute.is_figure for attribute in listing.attributes)]
    if any(listing.totals):
        label = page.draws.pick(page_wordings(page).statistics.totals).replace("{plural}", listing.plural)
        page.table(headings, [*rows, [f"**{label}**", *(total or "" for total in listing.totals)]], right)
    else:
        noted_table(page, headings, rows, right)


def entity_row(item: Subject) -> list[Text | None]:
    """Return the row of an entity in the table of a list."""
    pairs = zip(item.attributes, item.values, strict=True)
    return [item.linked_name, *(cell(attribute, value) for attribute, value in pairs)]


def cell(attribute: PageAttribute, value: Value | None) -> Text | None:
    """Return a value as it stands in a table whose heading gives the unit."""
    return value.bare if value is not None and attribute.unit else value
