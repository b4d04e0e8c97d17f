"""Which facts each kind of page is told to state: one entry a kind and column, with a row of the table each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from worldforge.builders.pages.conflicts.known_at import KnownSince, ShownRows, days_of
from worldforge.builders.pages.conflicts.overrides import Mask, Place
from worldforge.builders.pages.event_rows import told_of_row
from worldforge.builders.pages.kind_outline import KindOutline
from worldforge.builders.pages.list_pages import Lists
from worldforge.builders.pages.outline import Outline
from worldforge.builders.pages.page_parts import ends_shown
from worldforge.builders.pages.page_values import stated_facts
from worldforge.builders.pages.rendered_values import RenderedColumn
from worldforge.core.arrays import Integers
from worldforge.schema.column_paths import built_in_columns
from worldforge.schema.web_section import authority_of, site_of

NOWHERE = -1
OWN_ROW = "row"
"""In the place of an end: the page is about the row itself."""


@dataclass(frozen=True, slots=True)
class KindStatements:
    """One column as one kind of page is told it.

    `page` is the page, by number within the kind, that a row stands on; `told` says whether it may state it; `back`
    and `years` how long before today the page was published (in days, in years), 0 where it is not out of date.
    `copies` says how often the page stands again elsewhere, `loudest` the authority of the site, among those that it
    stands on, whose word counts most. Copies tell nothing of their own.
    """

    pages: KindOutline
    end: str
    table: str
    column: RenderedColumn
    page: Integers
    told: Mask
    back: Integers
    years: npt.NDArray[np.float64]
    authority: float
    mistaken: float
    copies: Integers
    loudest: npt.NDArray[np.float64]

    @property
    def place(self) -> Place:
        """Where `Dissent` keeps what is said of it."""
        return self.pages.key, self.end, self.column.code


def shown(outline: Outline, pages: KindOutline) -> Iterator[ShownRows]:
    """List the tables that a kind of page shows rows of, and on which of its pages each row stands."""
    if pages.rows is not None:
        name = str(pages.kind.rows)
        page = np.full(outline.written.tables[name].n_rows, NOWHERE, np.int64)
        page[pages.rows] = np.arange(len(pages))
        yield ShownRows(OWN_ROW, name, page)
        return
    about = pages.kind.about
    page = np.full(outline.written.tables[about].n_rows, NOWHERE, np.int64)
    if pages.site_map is not None:
        return
    if pages.lists is not None:
        yield from _listed(about, pages.lists, page)
        return
    page[pages.about[: pages.n_heads]] = np.arange(pages.n_heads)
    yield ShownRows("", about, page)
    for name, end in ends_shown(outline.spec, pages.kind) if pages.layout.relations else ():
        targets = outline.written.tables[name].columns[end].targets
        assert targets is not None
        if pages.parts is not None:
            yield ShownRows(end, name, pages.parts.page_of((name, end), pages.about, len(targets)))
        else:
            yield ShownRows(end, name, np.where(targets >= 0, page[targets], NOWHERE))


def _listed(about: str, lists: Lists, nowhere: Integers) -> Iterator[ShownRows]:
    """Say which pages list the rows of a type: once, or once by each column, which is then all that they state."""
    of_item = lists.groups[lists.page_of_item] if lists.columns else np.zeros(len(lists.items))
    for number, key in enumerate(lists.columns or (None,)):
        own, page = of_item == number, nowhere.copy()
        page[lists.items[own]] = lists.page_of_item[own]
        yield ShownRows("", about, page, None if key is None else (key,) if key else ())


def columns_shown(outline: Outline, pages: KindOutline, listed: ShownRows) -> list[RenderedColumn]:
    """List the columns of a table that a kind of page may get wrong: no names or addresses, nothing that counts rows.

    Of a relation's ends that at which the page's own subject stands is left out: the page states it of itself.
    """
    own = outline.written.tables[listed.table].columns
    ends = ("source", "target") if listed.end == OWN_ROW else (listed.end,)
    fixed = {"name", *ends, *built_in_columns(outline.spec, listed.table)}
    states = pages.kind.states
    chosen = own if listed.end or states == "all" else [key for key in states if key in own]
    if listed.columns is not None:
        chosen = list(listed.columns)
    if pages.layout.tabular:
        chosen = [key for key in chosen if pages.homes.is_open(listed.table, key)]
    return [own[key] for key in chosen if key not in fixed and not own[key].column.address]


def tellings(
    outline: Outline, times: KnownSince, days: Mapping[str, Integers], tables: Mapping[str, pa.Table]
) -> Iterator[KindStatements]:
    """Say what every kind of page is told of every column, what it could not have known left out.

    `days` holds how many days before today each page of a kind was published, 0 where it is not out of date.
    """
    for pages in outline.kinds:
        if not len(pages) or pages.copied is not None:  # no pages: lists by a reference that is missing in every row
            continue
        site = site_of(outline.spec, pages.key)
        copies, loudest = _heard_again(outline, pages)
        for listed in shown(outline, pages):
            back = np.where(listed.page >= 0, days[pages.key][listed.page], 0)
            years = back / days_of(1)
            kept = rows_stated(pages, listed) & times.existed(listed, back)
            for column in columns_shown(outline, pages, listed):
                told = kept & tables[listed.table][column.column.name].is_valid().to_numpy()
                told &= facts_stated(outline, pages, listed, column) & times.known(listed.table, column, back)
                yield KindStatements(
                    pages=pages,
                    end=listed.end,
                    table=listed.table,
                    column=column,
                    page=listed.page,
                    told=told,
                    back=back,
                    years=years,
                    authority=authority_of(outline.spec, pages.key),
                    mistaken=0.0 if pages.layout.lists_by else site.mistaken,
                    copies=np.where(listed.page >= 0, copies[listed.page], 0),
                    loudest=np.where(listed.page >= 0, loudest[listed.page], 0.0),
                )


def _heard_again(outline: Outline, pages: KindOutline) -> tuple[Integers, npt.NDArray[np.float64]]:
    """Return how often each page of a kind is copied, and the most authority of the sites that it stands on."""
    copies = np.zeros(len(pages), np.int64)
    loudest = np.full(len(pages), authority_of(outline.spec, pages.key))
    for other in outline.kinds:
        if other.copied is not None and other.copied.of == pages.key:
            copies[other.copied.pages] += 1
            own = loudest[other.copied.pages]
            loudest[other.copied.pages] = np.maximum(own, authority_of(outline.spec, other.key))
    return copies, loudest


def rows_stated(pages: KindOutline, listed: ShownRows) -> Mask:
    """Say which rows of a table a kind of page shows: those that its `completeness` leaves of a relation."""
    on_page: Mask = listed.page >= 0
    if listed.end in ("", OWN_ROW) or pages.kind.completeness == 1:
        return on_page
    rows = np.arange(len(listed.page))
    stream = pages.stream.child("listed", listed.table, listed.end)
    return on_page & (stream.uniform(rows) < pages.kind.completeness)


def facts_stated(outline: Outline, pages: KindOutline, listed: ShownRows, column: RenderedColumn) -> Mask:
    """Say which cells of a column its `completeness`, or the day of a report, lets a kind of page state."""
    if listed.end == OWN_ROW:
        return told_of_row(outline, pages, column.column.name)
    rows = np.arange(len(listed.page))
    completeness = 1.0 if listed.end or pages.lists is not None else pages.kind.completeness
    stated = stated_facts(pages, listed.table if not listed.end else "", column.column.name, rows, completeness)
    return np.ones(len(rows), np.bool_) if stated is None else stated
