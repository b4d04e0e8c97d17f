"""A catalogue: all entities of a type, by name and once by each place, year and kind that sorts them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Annotated

from generators.pages.furniture import page_bottom, page_top
from generators.pages.layout import dated, list_heading, page_links
from generators.pages.wordings import page_wordings
from worldforge.world.page_inputs import Layout, Listing, Subject, Value
from worldforge.world.page_writer import Page

_FIGURES = re.compile(r"\d+")
_RUN_IN = 4  # names from here on may stand on one line
_LETTERED = 60  # names from here on have a section a letter

_LAYOUT = Layout(site="Index", max_age=300, heading="{plural} by {column}", tabular=True, lists_by="values")


def catalogue(page: Page, listing: Listing) -> Annotated[None, _LAYOUT]:
    """Write a page of a list: a section a place, kind, decade or letter, in which names stand, linked."""
    bank, draws = page_wordings(page).catalogue, page.draws
    page_top(page)
    list_heading(page, listing)
    if listing.number == 1:
        column = listing.by.label if listing.by else ""
        page.say(draws.pick(bank.openings if column else bank.by_name), plural=listing.plural, column=column)
        page.say(draws.pick(bank.scopes), site=page.site, date=dated(page.published, page.language))
        page.end_paragraph()
    run_in, timed = draws.chance(0.4), listing.by is not None and listing.by.kind in ("year", "date")
    for heading, members in _sections(page, listing):
        if heading:
            page.heading("{value}", level=2, value=heading)
        names = [_entry(page, item, timed=timed) for item in members]
        if run_in and len(names) >= _RUN_IN:
            page.write(*[part for name in names for part in (bank.between, *name)][1:], "\n\n")
            continue
        for name in names:
            page.write("- ", *name, "\n")
        page.write("\n")
    page_links(page, listing)
    page.line(draws.pick(bank.footers), date=dated(page.published, page.language), site=page.site)
    page_bottom(page)


def _sections(page: Page, listing: Listing) -> Iterator[tuple[Value | str, Sequence[Subject]]]:
    """Yield what each section is called, and who stands in it; a value states it for all of these."""
    decade = page_wordings(page).catalogue.decade
    for key, group in groupby(listing.items, lambda item: _section_of(item, listing, decade)):
        members = list(group)
        if listing.by is None or listing.by.kind in ("year", "date"):
            yield key, members
        else:
            first, *others = [_only_value(item) for item in members]
            yield first.merged(others), members


def _section_of(item: Subject, listing: Listing, decade: str) -> str:
    if listing.by is None:
        if listing.of == 1 and len(listing.items) < _LETTERED:
            return ""
        letter = item.name.text[:1].upper()
        return letter if letter.isascii() and letter.isalpha() else ""
    text = _only_value(item).text
    if listing.by.kind in ("year", "date"):
        year = max(int(figures) for figures in _FIGURES.findall(text))
        return decade.replace("{decade}", str(year // 10 * 10))
    return text


def _entry(page: Page, item: Subject, *, timed: bool) -> list[str | Value]:
    """Return a name, with its year or date where the list is by that."""
    if not timed:
        return [item.linked_name]
    before, _, after = page_wordings(page).catalogue.timed.partition("{value}")
    return [item.linked_name, before, _only_value(item).bare, after]


def _only_value(item: Subject) -> Value:
    (value,) = item.values
    assert value is not None  # those without a value stand in no such list
    return value
