"""What a page generator is told: every value that its pages may state, as written, marked as its fact, and linked."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from worldforge.builders.pages.conflicts.overrides import ColumnOverride
from worldforge.builders.pages.outline import KindOutline, Outline, heading_template, titled_by
from worldforge.builders.pages.page_links import link_entities, link_names, link_pages, link_titles
from worldforge.builders.pages.rendered_values import RenderedColumn, RenderedTable
from worldforge.builders.pages.site_formats import codes_on, unit_on
from worldforge.core.chance import Stream
from worldforge.schema.translations import label_of, plural_of
from worldforge.world.entity_names import FORMS
from worldforge.world.page_draft import ContinuedPages, ListingPages, PageColumn, RelatedRows, Subjects
from worldforge.world.passages import Passages, Positions, concat, fill, plain, repeat, slot
from worldforge.world.value_formats import settles, style_of

_CLOSE_UNITS = ("%", "°", "′", "″")  # written without a space before them
APART = {language: form.replace("{}", "", 1).replace("{}", "{apart}") for language, form in FORMS.items()}
"""What a title puts after a name, in each language."""
_RELATION_ENDS = {"source": "target", "target": "source"}


@dataclass(frozen=True, slots=True)
class GeneratorInput:
    """Tells the generator of one kind of page what its pages may state, chunk by chunk."""

    outline: Outline
    pages: KindOutline

    def subjects(self, low: int, high: int) -> Subjects:
        """Tell of the entities that the kind's pages `low` to `high` (not included) are about."""
        rows = self.pages.about[low:high]
        stream = self.pages.stream.child("states")
        entities = self._entities(rows, self.pages.kind.completeness, stream)
        return replace(
            entities,
            relations=tuple(self._relations(slice(low, high))),
            elsewhere=lambda: tuple(self._elsewhere(rows)),
            published=self.published(low, high),
            not_before=self.not_before(low, high),
        )

    def continued(self, low: int, high: int, published: pa.Array) -> ContinuedPages:
        """Tell of the pages `low` to `high` (not included), where tables of pages go on that were so `published`."""
        parts = self.pages.parts
        if parts is None:
            raise ValueError(f"`{self.pages.key}` has no parts")
        before, after = parts.previous[low:high], parts.next[low:high]
        whole = self.subjects(low, high)
        relations = tuple(replace(one, more=None) for one in whole.relations)
        return ContinuedPages(
            subjects=replace(whole, columns=(), relations=relations, elsewhere=tuple, published=published),
            number=parts.number[low:high],
            of=parts.of[low:high],
            previous=self._to_part("Previous page", before),
            next=self._to_part("Next page", after),
        )

    def _to_part(self, words: str, pages: Positions) -> Passages:
        return link_pages(
            self.outline, self.pages.tongue.word(words), np.where(pages >= 0, self.pages.first + pages, -1)
        )

    def listing(self, low: int, high: int) -> ListingPages:
        """Tell of the lists on the kind's pages `low` to `high` (not included)."""
        lists = self.pages.lists
        if lists is None:
            raise ValueError(f"`{self.pages.key}` has no lists")
        first, last = int(lists.offsets[low]), int(lists.offsets[high])
        numbers = self.pages.first + np.arange(low, high)
        number, of = lists.number[low:high], lists.of[low:high]
        return ListingPages(
            rows=np.arange(low, high),
            headings=self._headings(lists.groups[low:high]),
            number=number,
            of=of,
            previous=link_pages(
                self.outline, self.pages.tongue.word("Previous page"), np.where(number > 1, numbers - 1, -1)
            ),
            next=link_pages(self.outline, self.pages.tongue.word("Next page"), np.where(number < of, numbers + 1, -1)),
            offsets=lists.offsets[low : high + 1] - first,
            items=self._entities(lists.items[first:last], 1.0, self.pages.stream),
            site=self.pages.site.title,
            as_of=self._as_of,
            published=self.published(low, high),
            not_before=self.not_before(low, high),
        )

    def published(self, low: int, high: int) -> pa.Array | None:
        """Return the days on which the pages `low` to `high` were published, where that is settled (date32)."""
        days = self.outline.dissent.published.get(self.pages.key)
        return None if days is None else pa.array(days[low:high], pa.int32()).cast(pa.date32())

    def not_before(self, low: int, high: int) -> Positions | None:
        """Return the earliest days of the pages `low` to `high` (days from 1970-01-01); None where any day will do."""
        days = self.outline.dissent.earliest.get(self.pages.key)
        return None if days is None else days[low:high]

    @property
    def _as_of(self) -> datetime.date:
        return datetime.date.fromisoformat(self.outline.spec.as_of)

    def _entities(self, rows: Positions, completeness: float, stream: Stream) -> Subjects:
        about = self.pages.kind.about
        table = self.outline.written.tables[about]
        name = table.columns["name"]
        chosen = self._chosen(about, name, rows)
        called = self._slot(name, rows, chosen=chosen)
        titled = titled_by(self.outline.calling, self.pages, about, rows, "titled")
        columns = [table.columns[key] for key in self._stated_columns(table)]
        names = self._slot(name, rows, chosen=titled) if titled.any() or chosen is not None else called
        apart = plain(self.outline.written.apart(about, rows)).keep(titled == 0)
        titles = concat(names, fill(APART[self.pages.tongue.language], apart=apart)) if apart.said.any() else names
        return Subjects(
            rows=rows,
            label=label_of(self.pages.tongue.spec, about),
            plural=plural_of(self.pages.tongue.spec, about),
            names=names,
            titles=titles,
            original=self._slot(name, rows).keep(titled > 0) if titled.any() else None,
            called=called,
            linked_names=link_titles(self.outline, titles, about, rows, self.pages.tongue.language)
            if self.pages.layout.shared
            else self._linked(called, about, rows, chosen, (name.code, rows)),
            also=self.outline.calling.also(self.outline.written, about, rows, self.pages.tongue.language, titled),
            columns=tuple(
                self._state(about, column, rows, stated_facts(stream, column.column.name, rows, completeness))
                for column in columns
            ),
            relations=(),
            elsewhere=tuple,
            site=self.pages.site.title,
            as_of=self._as_of,
            language=self.pages.tongue.language,
        )

    def _linked(
        self,
        called: Passages,
        type_name: str,
        entities: Positions,
        chosen: Positions | None,
        fact: tuple[int, Positions] | None,
    ) -> Passages:
        """Link what entities are called to their articles, at once where it is their names and states a `fact`."""
        if fact is None or (chosen is not None and chosen.any()):
            return link_entities(self.outline, called, type_name, entities, chosen)
        return link_names(self.outline, type_name, entities, fact)

    def _stated_columns(self, table: RenderedTable) -> list[str]:
        states = self.pages.kind.states
        return [key for key in (table.columns if states == "all" else states) if key in table.columns and key != "name"]

    def _state(
        self,
        table_name: str,
        written: RenderedColumn,
        rows: Positions,
        kept: npt.NDArray[np.bool_] | None,
        side: str = "",
    ) -> PageColumn:
        tongue = self.pages.tongue
        column = tongue.columns[table_name][written.column.name]
        said = self.outline.dissent.said.get((self.pages.key, side, written.code))
        chosen = self._chosen(table_name, written, rows, said)
        bare, targets = self._slot(written, rows, said, chosen), written.targets if said is None else said.targets
        if kept is not None:
            bare = bare.keep(kept)
        value = bare
        if column.references is not None and targets is not None:
            value = self._linked(bare, column.references, targets[rows], chosen, None if said else (written.code, rows))
            value = value if kept is None else value.keep(kept)
        unit = unit_on(self.outline.spec, self.pages.key, column, written.column.unit)
        if after := unit or (tongue.word("(year)") if column.kind == "year" else ""):
            space = "" if after.startswith(_CLOSE_UNITS) else tongue.gap
            value = fill("{value}{unit}", value=value, unit=space + after)
        return PageColumn(
            key=column.name,
            label=column.label,
            unit=unit,
            kind=column.kind,
            sentences=column.sentences,
            refers=column.references is not None,
            bare=bare,
            value=value,
        )

    def _relations(self, pages: slice) -> Iterator[RelatedRows]:
        """Tell of every relation that the kind may state and whose source, or target, the subjects are."""
        states, about = self.pages.kind.states, self.pages.kind.about
        for name, relation in self.pages.tongue.spec.relations.items():
            if states == "all" or name in states:
                if relation.source == about:
                    yield self._related(name, "source", relation.title or name.replace("_", " ").capitalize(), pages)
                if relation.target == about:
                    title = plural_of(self.pages.tongue.spec, relation.source)
                    yield self._related(name, "target", title[:1].upper() + title[1:], pages)

    def _related(self, name: str, side: str, title: str, pages: slice) -> RelatedRows:
        table, parts = self.outline.written.tables[name], self.pages.parts
        order, starts = self.outline.runs[name, side] if parts is None else parts.runs[name, side]
        if parts is None:
            rows = self.pages.about[pages]
            begins, counts = starts[rows], starts[rows + 1] - starts[rows]
        else:
            begins, counts = parts.stretch((name, side), self.pages.about, pages)
        offsets = np.concatenate([[0], np.cumsum(counts)])
        own = order[np.arange(offsets[-1]) + np.repeat(begins - offsets[:-1], counts)]
        if self.pages.kind.completeness < 1 and parts is None:
            kept = self.pages.stream.child("listed", name, side).uniform(own) < self.pages.kind.completeness
            own, offsets = own[kept], np.concatenate([[0], np.cumsum(kept)])[offsets]
        known = self.outline.dissent.known.get((self.pages.key, side, name))
        if known is not None:
            own, offsets = own[known[own]], np.concatenate([[0], np.cumsum(known[own])])[offsets]
        columns = [key for key in table.columns if key not in _RELATION_ENDS]
        stated = [self._state(name, table.columns[key], own, None, side) for key in (_RELATION_ENDS[side], *columns)]
        if parts is None:
            return RelatedRows(name, title, offsets, tuple(stated))
        goes_on = begins + counts < starts[self.pages.about[pages] + 1]
        return RelatedRows(
            name, title, offsets, tuple(stated), self._to_part("Next page", np.where(goes_on, parts.next[pages], -1))
        )

    def _elsewhere(self, rows: Positions) -> Iterator[Passages]:
        about = self.pages.kind.about
        for neighbours in self.outline.neighbours[about]:
            others = neighbours[rows]
            chosen = titled_by(self.outline.calling, self.pages, about, others, "elsewhere")
            code = self.outline.written.tables[about].columns["name"].code
            if chosen.any():
                names = self.outline.written.values(self.outline.calling.codes(code, chosen), others)
                yield link_entities(self.outline, plain(names), about, others, chosen)
            else:
                yield link_names(self.outline, about, others)
        for pages in self.outline.listed[about]:
            yield link_pages(self.outline, "heading", pages[rows])

    def _headings(self, groups: Positions) -> Passages:
        template = heading_template(self.pages)
        lists = self.pages.lists
        if lists is None or lists.group_type is None:
            return repeat(template, len(groups))
        chosen = titled_by(self.outline.calling, self.pages, lists.group_type, groups, "grouped")
        name = self.outline.written.tables[lists.group_type].columns["name"]
        return fill(template, group=self._slot(name, groups, chosen=chosen))

    def _slot(
        self,
        column: RenderedColumn,
        rows: Positions,
        said: ColumnOverride | None = None,
        chosen: Positions | None = None,
    ) -> Passages:
        """Write cells of a column as the pages have them; where `chosen` says so by the alias of what they name."""
        style = style_of(self.outline.spec, self.pages.key)
        worded = None if settles(style, column.column.kind) else self.pages.tongue.codes.get(column.code)
        codes = codes_on(self.outline.written, style, column.code, rows) if worded is None else worded
        if chosen is not None and chosen.any():
            codes = self.outline.calling.codes(column.code, chosen)
        if said is None:
            return slot(self.outline.written.values(codes, rows), codes, rows)
        own = said.codes[rows]
        codes = np.where(own == column.code, codes, np.maximum(own, 0))
        return slot(self.outline.written.values(codes, rows), codes, rows).keep(own >= 0)

    def _chosen(
        self, table_name: str, written: RenderedColumn, rows: Positions, said: ColumnOverride | None = None
    ) -> Positions | None:
        """Draw by which alias the pages call what a column names in each row: see `calling`; None for other columns.

        What pages say that is not so is called by its name.
        """
        column = written.column
        type_name = column.references or (table_name if column.name == "name" else "")
        if written.code not in self.outline.calling.first or self.pages.layout.shared:
            return None
        entities = rows if written.targets is None else written.targets[rows]
        stream = self.pages.stream.child("called", table_name, column.name)
        chosen = self.outline.calling.chosen(stream, type_name, entities, rows, self.pages.tongue.language)
        return chosen if said is None else np.where(said.codes[rows] == written.code, chosen, 0)


def stated_facts(stream: Stream, column: str, rows: Positions, completeness: float) -> npt.NDArray[np.bool_] | None:
    """Draw which facts of a column are stated; None for all of them."""
    return stream.child(column).uniform(rows) < completeness if completeness < 1 else None
