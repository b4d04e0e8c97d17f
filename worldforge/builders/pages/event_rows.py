"""Which rows of a relation have a page of their own, and when such a page was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from worldforge.builders.known_days import KnownDays
from worldforge.builders.pages.conflicts.known_at import today
from worldforge.builders.pages.kind_outline import KindOutline
from worldforge.builders.pages.rendered_values import RenderedTables
from worldforge.core.arrays import Integers
from worldforge.core.chance import Stream
from worldforge.core.errors import InputError
from worldforge.schema.spec import WorldSpec
from worldforge.schema.table_columns import columns_of
from worldforge.schema.web_section import PageKind
from worldforge.world.page_inputs import Event
from worldforge.world.value_text import read_value

if TYPE_CHECKING:
    from worldforge.builders.pages.outline import Outline

RETOLD = -(2**40)
"""In the place of a day: the page about the row is a look back at it, of any later day."""
_DAYS_AFTER = (0, 5)
_DAYS_INTO_YEAR = (20, 340)  # where rows have years and no dates
_DAYS_INTO_NEXT = (380, 480)  # where that is one year: what it brought is known when it is over


def rows_with_pages(spec: WorldSpec, key: str, written: RenderedTables) -> tuple[Integers, Integers]:
    """Return the rows of a relation that have a page of a kind, by time, and the entity that each is filed under."""
    kind = spec.pages[key]
    assert kind.rows is not None
    end = "source" if spec.relations[kind.rows].source == kind.about else "target"
    table = written.tables[kind.rows]
    entities = table.columns[end].targets
    assert entities is not None
    rows = table.by_time[_has_begun(spec, written, kind.rows)[table.by_time]]
    if kind.share < 1:
        rows = rows[Stream(spec.seed).child("pages", key, "share").uniform(rows) < kind.share]
    rows = rows[entities[rows] >= 0]
    return rows, entities[rows]


def _has_begun(spec: WorldSpec, written: RenderedTables, name: str) -> npt.NDArray[np.bool_]:
    """Say which rows of a relation are no mere plan: hold no year or date, or one that has come."""
    table = written.tables[name]
    begun, timed = np.zeros(table.n_rows, np.bool_), False
    for column in table.columns.values():
        if (kind := column.column.kind) in ("year", "date"):
            timed, latest = True, spec.as_of if kind == "date" else spec.as_of[:4]
            cells = written.values(column.code, np.arange(table.n_rows)).to_pylist()
            begun |= [text is None or str(read_value(text, kind)).zfill(4) <= latest for text in cells]
    return begun if timed else ~begun


def known_rows(outline: Outline, known: KnownDays) -> dict[str, dict[str, Integers]]:
    """Return by relation that has pages about its rows, and by column, since when each cell can be stated."""
    reported = {kind.rows for kind in outline.spec.pages.values()}
    return {
        name: {key: np.maximum(known.of(name, key), known.begun(name)) for key in outline.written.tables[name].columns}
        for name in outline.spec.relations
        if name in reported
    }


def reported_on(outline: Outline, pages: KindOutline) -> Integers:
    """Return on which day the page about each row of a relation was written; RETOLD where that was long after it.

    A page is written soon after its row begins, unless it would then be older than its kind's `max_age`.
    """
    name, now = str(pages.kind.rows), today(outline.spec)
    known = outline.row_known[name]
    began = np.maximum(known["source"], known["target"])
    kinds = [column.kind for column in columns_of(outline.spec, name).values()]
    span = _DAYS_AFTER if "date" in kinds else _DAYS_INTO_NEXT if kinds.count("year") == 1 else _DAYS_INTO_YEAR
    lag = pages.stream.child("lag").integers(np.arange(len(began)), *span)
    at_once = began >= now - pages.layout.max_age
    return np.where(at_once, np.minimum(np.maximum(began, RETOLD) + lag, now), RETOLD)


def told_of_row(outline: Outline, pages: KindOutline, column: str) -> npt.NDArray[np.bool_]:
    """Say which cells of a relation's column the pages about its rows state: what is known when they are written."""
    days = reported_on(outline, pages)
    told: npt.NDArray[np.bool_] = (days == RETOLD) | (outline.row_known[str(pages.kind.rows)][column] <= days)
    return told


def publication_days(outline: Outline, pages: KindOutline, drawn: Integers) -> Integers:
    """Return the day of each page of a kind: those about rows as `reported_on` says, all others as `drawn`."""
    if pages.rows is None:
        return drawn
    reported = reported_on(outline, pages)[pages.rows]
    return np.where(reported == RETOLD, drawn, reported)


def check_rows(key: str, kind: PageKind, takes: set[object]) -> None:
    """See that a generator of pages about rows has `rows`, and no other. Raises InputError where it is not so."""
    if kind.rows is not None and Event not in takes and kind.copies is None:
        hint = "leave out `rows`, or name a generator such as `pages.report`"
        raise InputError(f"pages.{key}: `{kind.generator}` writes no pages about rows of relations", hint)
    if kind.rows is None and Event in takes:
        raise InputError(
            f"pages.{key}: `{kind.generator}` is about rows of a relation", "say of which: `rows: RELATION`"
        )
