"""Tables that run over several pages: which rows of a relation stand on which part of an entity's page."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from worldforge.builders.pages.rendered_values import RenderedTables
from worldforge.core.arrays import Integers
from worldforge.core.chance import Stream
from worldforge.core.errors import InputError
from worldforge.schema.spec import WorldSpec
from worldforge.schema.web_section import PageKind
from worldforge.world.page_inputs import Continuation, Layout

End = tuple[str, str]
"""A relation and one of its ends: `source` or `target`."""


class RowRuns(typing.NamedTuple):
    """Rows of a relation by entity: entity i has `order[starts[i]:starts[i + 1]]`, in order of time."""

    order: Integers
    starts: Integers


def runs_of(spec: WorldSpec, written: RenderedTables) -> dict[End, RowRuns]:
    """Return for each relation and each of its ends the rows that each entity has there."""
    ends = [(name, end) for name in spec.relations for end in ("source", "target")]
    return {end: _runs(spec, written, *end) for end in ends}


def ends_shown(spec: WorldSpec, kind: PageKind) -> Iterator[End]:
    """List the relations that a kind of page may state, by the end at which its entities stand."""
    if kind.rows is not None:
        return
    for name, relation in spec.relations.items():
        if kind.states == "all" or name in kind.states:
            for end, of_type in (("source", relation.source), ("target", relation.target)):
                if of_type == kind.about:
                    yield name, end


@dataclass(frozen=True, slots=True)
class PageParts:
    """The pages of a kind: first one for each entity, its head, then entity by entity those on which its tables go on.

    A part holds at most `size` rows of each table. Columns hold one entry a page; pages are numbered within the kind.
    """

    size: int
    n_heads: int
    head: Integers
    number: Integers
    """Which part each page is, from 1, the head's own number."""
    of: Integers
    previous: Integers
    """The part before each page; -1 before a head."""
    next: Integers
    """The part after each page; -1 after the last."""
    runs: Mapping[End, RowRuns]
    """The rows of each relation that the pages state."""

    def stretch(self, end: End, about: Integers, pages: slice) -> tuple[Integers, Integers]:
        """Return where in its run the rows of each of the `pages` begin, and how many there are."""
        starts = self.runs[end].starts
        rows = about[pages]
        skipped = (self.number[pages] - 1) * self.size
        return starts[rows] + skipped, np.clip(starts[rows + 1] - starts[rows] - skipped, 0, self.size)

    def page_of(self, end: End, about: Integers, n_rows: int) -> Integers:
        """Return the page on which each of a relation's `n_rows` rows stands; -1 for none."""
        order, starts = self.runs[end]
        entities = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        head = np.full(len(starts) - 1, -1, np.int64)
        head[about[: self.n_heads]] = np.arange(self.n_heads)
        own = head[entities]
        part = (np.arange(len(order)) - starts[entities]) // self.size
        page = np.full(n_rows, -1, np.int64)
        page[order] = np.where(part == 0, own, self.next[own] + part - 1)
        page[order[own < 0]] = -1
        return page


def cut_in_parts(
    spec: WorldSpec, kind: PageKind, stream: Stream, rows: Integers, runs: Mapping[End, RowRuns]
) -> PageParts:
    """Cut the tables of a kind's pages about the entities `rows` into parts; rows that are not stated take no room."""
    assert kind.part_rows is not None
    own = {end: _stated(runs[end], kind, stream.child("listed", *end)) for end in ends_shown(spec, kind)}
    longest = np.max([np.zeros(len(rows), np.int64), *(np.diff(one.starts)[rows] for one in own.values())], axis=0)
    n_later = np.maximum(-(-longest // kind.part_rows), 1) - 1
    heads, first_later = np.arange(len(rows)), np.cumsum(n_later) - n_later
    head = np.concatenate([heads, np.repeat(heads, n_later)])
    pages = np.arange(len(head))
    number = np.where(pages < len(rows), 1, pages - len(rows) - first_later[head] + 2)
    of = n_later[head] + 1
    before = np.where(number == 2, head, pages - 1)
    after = np.where(number == 1, len(rows) + first_later[head], pages + 1)
    return PageParts(
        size=kind.part_rows,
        n_heads=len(rows),
        head=head,
        number=number,
        of=of,
        previous=np.where(number > 1, before, -1),
        next=np.where(number < of, after, -1),
        runs=own,
    )


def check_parts(key: str, kind: PageKind, layout: Layout, takes: set[object], *, listing: bool) -> None:
    """See that only pages with tables of relations are cut into parts, and that nothing else writes later parts.

    Raises InputError where it is not so.
    """
    if Continuation in takes:
        raise InputError(
            f"pages.{key}: `{kind.generator}` goes on with other pages, and writes none of its own",
            "give a kind that shows relations, such as `pages.encyclopedia`, some `part_rows`",
        )
    if kind.part_rows is not None and (listing or not layout.relations):
        raise InputError(
            f"pages.{key}: `part_rows` is about tables of relations, and `{kind.generator}` shows none",
            "lists are cut by `page_size`" if listing else "it goes with `pages.encyclopedia` and `pages.official`",
        )


def _stated(runs: RowRuns, kind: PageKind, stream: Stream) -> RowRuns:
    """Leave out the rows that a kind's `completeness` leaves out."""
    if kind.completeness == 1:
        return runs
    kept = stream.uniform(runs.order) < kind.completeness
    return RowRuns(runs.order[kept], np.concatenate([[0], np.cumsum(kept)])[runs.starts])


def _runs(spec: WorldSpec, written: RenderedTables, name: str, end: str) -> RowRuns:
    table = written.tables[name]
    entities = table.columns[end].targets
    assert entities is not None
    order = table.by_time[np.argsort(entities[table.by_time], kind="stable")]
    of_type = spec.relations[name].source if end == "source" else spec.relations[name].target
    return RowRuns(order, np.searchsorted(entities[order], np.arange(written.tables[of_type].n_rows + 1)))
