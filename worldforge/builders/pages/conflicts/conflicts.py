"""Decides which pages are out of date, which facts are wrong, and when every page was published.

Each deviating statement is a version of a column, with its own code; the world's rule settles most of them by what
other pages say (see `resolution`). Draws are keyed by kind, column and row. A cell has one history of former values,
whichever page states it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from worldforge.builders.known_days import KnownDays
from worldforge.builders.pages.conflicts.alternatives import Alternatives, AlternativeValues
from worldforge.builders.pages.conflicts.earliest_day import earliest_days
from worldforge.builders.pages.conflicts.kind_statements import KindStatements, columns_shown, shown, tellings
from worldforge.builders.pages.conflicts.known_at import KnownSince, days_of, read_times, today
from worldforge.builders.pages.conflicts.overrides import ColumnOverride, Mask, PageOverrides, Place
from worldforge.builders.pages.conflicts.resolution import may_differ
from worldforge.builders.pages.event_rows import known_rows, publication_days
from worldforge.builders.pages.kind_outline import KindOutline
from worldforge.builders.pages.outline import Outline
from worldforge.builders.pages.rendered_values import ColumnVersion
from worldforge.core.arrays import Integers
from worldforge.core.chance import Stream
from worldforge.schema.column_paths import drawn_columns
from worldforge.schema.web_section import has_conflicting_pages, site_of
from worldforge.world.value_formats import form_of, settles, style_of

_LEAST_YEARS, _MOST_YEARS = 1.0, 12.0  # by which pages are out of date
_LATELY = 330  # days in which all pages were published that are neither out of date nor settled by their date
_BEFORE = (380, 1100)  # days before today between which pages that err were published, where the last page is right


def with_conflicts(outline: Outline, tables: Mapping[str, pa.Table]) -> Outline:
    """Let the pages of an outline disagree, as its spec says; `tables` are the world's, as populated.

    Pages are written no earlier than what they tell of.
    """
    times = read_times(outline.spec, outline.written, tables)
    known_days = KnownDays(outline.spec, tables)
    outline = replace(outline, row_known=known_rows(outline, known_days))
    found = {pages.key: earliest_days(outline, times, pages, known_days) for pages in outline.kinds}
    earliest = {key: days for key, days in found.items() if days is not None}
    if not has_conflicting_pages(outline.spec):
        return replace(outline, overrides=PageOverrides(earliest=earliest))
    back = {pages.key: _days_back(outline, times, pages) for pages in outline.kinds}
    columns: dict[int, list[KindStatements]] = {}
    for telling in tellings(outline, times, back, tables):
        columns.setdefault(telling.column.code, []).append(telling)
    differing = _OverrideCollector(outline, back, earliest)
    for told in columns.values():
        values = tables[told[0].table][told[0].column.column.name].combine_chunks()
        differing.add(told, Alternatives(outline.written, times, told[0].table, told[0].column, values))
    known = {
        (pages.key, listed.end, listed.table): times.existed(listed, _of_page(back[pages.key], listed.page))
        for pages in outline.kinds
        if back[pages.key].any()
        for listed in shown(outline, pages)
        if listed.end
    }
    published = {
        pages.key: today(outline.spec)
        - _published(outline, pages, back[pages.key], earliest.get(pages.key), differing.erring.get(pages.key))
        for pages in outline.kinds
    }
    overrides = PageOverrides(differing.columns, known, published, earliest)
    return replace(outline, written=outline.written.with_versions(differing.versions), overrides=overrides)


@dataclass
class _OverrideCollector:
    """Gathers what is said otherwise, column by column."""

    outline: Outline
    back: Mapping[str, Integers]
    earliest: Mapping[str, Integers]
    versions: list[ColumnVersion] = field(default_factory=list)
    columns: dict[Place, ColumnOverride] = field(default_factory=dict)
    erring: dict[str, Mask] = field(default_factory=dict)
    """By kind, which of its pages hold a mistake."""

    def add(self, told: Sequence[KindStatements], alternatives: Alternatives) -> None:
        """Decide what each of `told` says otherwise of one column."""
        outdated = [_outdated(self.outline, one, alternatives) for one in told]
        mistaken = [_mistaken(one, alternatives, *self._if_erring(one.pages)) for one in told]
        differing = [
            _where(one, others) for one, others in zip(told, zip(outdated, mistaken, strict=True), strict=True)
        ]
        if not any(own.any() for own in differing) and all(one.told[one.back > 0].all() for one in told):
            return
        allowed = may_differ(self.outline.spec.web.settled_by, told, differing)
        for one, may, old, wrong in zip(told, allowed, outdated, mistaken, strict=True):
            written = (_as_written(self.outline, one, others.where(may), alternatives) for others in (old, wrong))
            self._say(one, *written)

    def _if_erring(self, pages: KindOutline) -> tuple[Integers, Mask]:
        """Return how many days ago pages are published where they err, and which of them may."""
        earliest = self.earliest.get(pages.key)
        back = _published(self.outline, pages, self.back[pages.key], earliest, np.ones(len(pages), np.bool_))
        if earliest is None or self.outline.spec.web.settled_by != "date":
            return back, np.ones(len(pages), np.bool_)
        return back, today(self.outline.spec) - earliest >= _BEFORE[0]

    def _say(self, one: KindStatements, old: AlternativeValues, wrong: AlternativeValues) -> None:
        if not len(old.rows) and not len(wrong.rows) and not one.back.any():
            return
        column, n_rows = one.column, len(one.told)
        codes = np.where((one.back > 0) & ~one.told, -1, column.code)
        targets = column.targets.copy() if column.targets is not None else None
        for others, stance in ((old, "outdated"), (wrong, "mistaken")):
            if len(others.rows):
                codes[others.rows] = self.outline.written.n_codes + len(self.versions)
                self.versions.append(ColumnVersion(column.code, others.everywhere(n_rows), stance))
                if targets is not None and others.targets is not None:
                    targets[others.rows] = others.targets
        self.columns[one.place] = ColumnOverride(codes, targets)
        erring = self.erring.setdefault(one.pages.key, np.zeros(len(one.pages), np.bool_))
        pages = one.page[wrong.rows]
        erring[pages] = True
        if one.pages.parts is not None:  # parts of a page are of one day
            head = one.pages.parts.head
            erring |= np.isin(head, head[pages])


def _outdated(outline: Outline, one: KindStatements, alternatives: Alternatives) -> AlternativeValues:
    """Return what the column was when its pages were published."""
    name = one.column.column.name
    drawn = drawn_columns(outline.spec, one.table).get(name)
    rate = drawn.varies if drawn is not None else 0.0
    rows = np.flatnonzero(one.told & (one.back > 0)) if rate else np.empty(0, np.int64)
    history = Stream(outline.spec.seed).child("pages", "history", one.table, name)
    return alternatives.outdated(rows, one.back[rows], rate, history)


def _mistaken(one: KindStatements, alternatives: Alternatives, back: Integers, may_err: Mask) -> AlternativeValues:
    """Return what a site gets wrong of the column; pages that err were published `back` days ago."""
    stream = one.pages.stream.child("mistaken", one.end, one.table, one.column.column.name)
    rows = np.arange(len(one.told))
    chosen = one.told & (stream.uniform(rows) < one.mistaken) if one.mistaken else np.zeros(len(rows), np.bool_)
    rows = np.flatnonzero(chosen)
    rows = rows[may_err[one.page[rows]]]
    return alternatives.mistaken(rows, back[one.page[rows]], stream)


def _as_written(
    outline: Outline, one: KindStatements, others: AlternativeValues, alternatives: Alternatives
) -> AlternativeValues:
    """Return other values as pages write them: in words of their language, or in their site's form."""
    column, page_language = one.column.column, one.pages.page_language
    style = style_of(outline.spec, one.pages.key)
    if one.column.code in page_language.codes and not settles(style, column.kind):
        return replace(others, cells=page_language.restated(column, others.cells))
    return others.written_in(form_of(outline.spec, style, column.kind, column.unit, alternatives.values, column.label))


def _where(one: KindStatements, others: Sequence[AlternativeValues]) -> Mask:
    differs = np.zeros(len(one.told), np.bool_)
    for own in others:
        differs[own.rows] = True
    return differs


def _days_back(outline: Outline, times: KnownSince, pages: KindOutline) -> Integers:
    """Draw which pages of a kind are out of date, and by how many days: 0 for the others.

    A page is no older than what it is about, and only pages that state what varies are out of date. Lists by a column
    are not: their order says what is so today. All archived copies are.
    """
    share = 0.0 if pages.layout.lists_by else site_of(outline.spec, pages.key).outdated
    share = share if pages.archived is None else 1.0
    n = len(pages)
    if not share or pages.rows is not None or (pages.archived is None and not _states_what_varies(outline, pages)):
        return np.zeros(n, np.int64)
    since = times.since[pages.kind.about]
    if pages.lists is None:
        youngest = since[pages.about]
    else:
        youngest = np.maximum.reduceat(since[pages.lists.items], pages.lists.offsets[:-1]) if n else since[:0]
    stream = pages.stream.child("outdated" if pages.archived is None else "archived")
    most = np.minimum((today(outline.spec) - youngest) / days_of(1), _MOST_YEARS)
    years = _LEAST_YEARS + stream.child("years").uniform(pages.numbers) * (most - _LEAST_YEARS)
    outdated = (stream.uniform(pages.numbers) < share) & (most >= _LEAST_YEARS)
    days = np.where(outdated, np.ceil(days_of(1) * years), 0).astype(np.int64)
    if pages.archived is None:
        return days
    original = next(one for one in outline.kinds if one.key == pages.archived.of)
    live = _days_back(outline, times, original)[pages.archived.pages]  # no copy is younger than the page
    return np.where(outdated, np.minimum(live + days, np.ceil(days_of(1) * most).astype(np.int64)), 0)


def _states_what_varies(outline: Outline, pages: KindOutline) -> bool:
    for listed in shown(outline, pages):
        drawn = drawn_columns(outline.spec, listed.table)
        names = [column.column.name for column in columns_shown(outline, pages, listed)]
        if any(drawn[name].varies for name in names if name in drawn):
            return True
    return False


def _published(
    outline: Outline, pages: KindOutline, back: Integers, earliest: Integers | None, erring: Mask | None
) -> Integers:
    """Draw how many days ago each page was published: lately, unless it is out of date; not before its `earliest` day.

    Where the last page is right, pages that hold a mistake were published before all that hold none.
    """
    now = today(outline.spec)
    chance = pages.stream.child("published").uniform(pages.numbers)
    room = np.full(len(pages), _BEFORE[1]) if earliest is None else now - earliest
    days = np.floor(chance**2 * np.minimum(_LATELY, room)).astype(np.int64)
    days = now - publication_days(outline, pages, now - days)
    if erring is not None and outline.spec.web.settled_by == "date":
        low, high = _BEFORE
        span = np.maximum(np.minimum(high, room) - low, 0)
        days = np.where(erring, low + np.floor(chance * span).astype(np.int64), days)
    return np.where(back > 0, back, days)


def _of_page(values: Integers, page: Integers) -> Integers:
    return np.where(page >= 0, values[page], 0)
