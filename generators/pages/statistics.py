"""Statistics: a table of entities and their figures, page after page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Annotated

from generators.pages.furniture import more_links
from generators.pages.layout import OPENED, cell, dated, entity_row, entity_table, list_heading, page_links
from generators.pages.wordings import page_wordings
from worldforge.core.columns import StatedColumn
from worldforge.core.errors import InputError
from worldforge.world.page_inputs import Layout, Listing, Subject, Text
from worldforge.world.page_writer import Page

_SAME_AS_ABOVE = ("〃", "")  # in the place of a value that is the one above


def statistics(
    page: Page, listing: Listing, *, merge: StatedColumn | None = None
) -> Annotated[None, Layout(site="Statistics", max_age=400, heading="{plural}{of_group} in figures", tabular=True)]:
    """Write a page of a table: an entity a row, linked to its article, a column for all that may be stated.

    `merge` names a column by which rows are grouped: its values stand in the first row of their group alone.
    """
    bank, draws = page_wordings(page).statistics, page.draws
    words = {"plural": listing.plural, "site": page.site}
    list_heading(page, listing)
    rows = [entity_row(item) for item in listing.items]
    openings = bank.openings
    if merge is not None:
        place = _place_of(listing, merge)
        rows = _merged(page, listing.items, place)
        openings, words = bank.grouped, words | {"column": listing.attributes[place].label}
    if merge is not None or draws.chance(OPENED):
        page.fill(draws.pick(openings) + "\n\n", **words)
    entity_table(page, listing, rows, bank.unit)
    page_links(page, listing)
    more_links(page)
    page.line(draws.pick(bank.notes), date=dated(page.published, page.language), **words)


def _place_of(listing: Listing, key: str) -> int:
    """Return the place of the column that rows are grouped by. Raises InputError where the pages do not state it."""
    keys = [attribute.key for attribute in listing.attributes]
    if key not in keys:
        raise InputError(f"`merge: {key}` is no column that the table states", f"it states {', '.join(keys)}")
    return keys.index(key)


def _merged(page: Page, items: Sequence[Subject], place: int) -> list[list[Text | None]]:
    """Group items by the value at `place`, and write it in the first row of each group, which states it for all.

    The other rows hold a ditto mark or nothing. Rows whose value is missing come last, each by itself.
    """
    same = page.draws.pick(_SAME_AS_ABOVE)

    def text_of(item: Subject) -> str:
        value = item.values[place]
        return "" if value is None else value.text

    ordered = sorted(items, key=lambda item: (item.values[place] is None, text_of(item)))
    rows: list[list[Text | None]] = []
    for text, group in groupby(ordered, text_of):
        members = list(group)
        for number, item in enumerate(members):
            row = entity_row(item)
            if text:
                first, *others = [value for one in members if (value := one.values[place]) is not None]
                row[place + 1] = same if number else cell(item.attributes[place], first.merged(others))
            rows.append(row)
    return rows
