"""What pages of a kind may state, page by page: every value as their site writes it, with its fact and its link."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from worldforge.builders.pages.conflicts.overrides import ColumnOverride
from worldforge.builders.pages.outline import KindOutline, Outline, heading_template, titled_by
from worldforge.builders.pages.rendered_values import RenderedColumn, RenderedTable
from worldforge.builders.pages.site_formats import codes_on, unit_on
from worldforge.builders.pages.site_labels import before_redesign, label_on, redesigned_on
from worldforge.core.arrays import Integers
from worldforge.core.chance import Stream
from worldforge.schema.translations import label_of, plural_of
from worldforge.world.entity_names import FORMS
from worldforge.world.page_writer import (
    NAVIGATION,
    NO_FACT,
    Continuation,
    Listing,
    PageAttribute,
    RelatedRows,
    Subject,
    Value,
)
from worldforge.world.value_formats import settles, style_of

_CLOSE_UNITS = ("%", "°", "′", "″")  # written without a space before them
_OTHER_END = {"source": "target", "target": "source"}
Values = Sequence[Value | None]


@dataclass(frozen=True, slots=True)
class PageFacts:
    """Gives the generator of one kind of page what its pages may state, for a run of pages at a time."""

    outline: Outline
    pages: KindOutline

    def subjects(self, low: int, high: int) -> list[Subject]:
        """Return the entities that the kind's pages `low` to `high` (not included) are about."""
        rows = self.pages.about[low:high]
        days = self.outline.days[self.pages.key][low:high]
        entities = self._entities(rows, self.pages.kind.completeness, days)
        related = [list(own) for own in zip(*self._relations(slice(low, high)), strict=True)]
        see_also = cache(lambda: self._see_also(rows))

        def links(place: int) -> Callable[[], list[Value]]:
            return lambda: [link for column in see_also() if (link := column[place]) is not None]

        for place, entity in enumerate(entities):
            entity.relations = tuple(related[place]) if related else ()
            entity.see_also = links(place)
        return entities

    def continuations(self, low: int, high: int) -> list[Continuation]:
        """Return the pages `low` to `high` (not included), where the tables of earlier pages go on."""
        parts = self.pages.parts
        assert parts is not None
        own = slice(low, high)
        previous, following = self._to_part("Previous page", parts.previous[own]), self._next_part(own)
        return [
            Continuation(
                replace(
                    subject,
                    attributes=(),
                    values=(),
                    relations=tuple(replace(one, next=None) for one in subject.relations),
                    see_also=list,
                ),
                int(parts.number[low + place]),
                int(parts.of[low + place]),
                previous[place],
                following[place],
            )
            for place, subject in enumerate(self.subjects(low, high))
        ]

    def listings(self, low: int, high: int) -> list[Listing]:
        """Return the lists on the kind's pages `low` to `high` (not included)."""
        lists = self.pages.lists
        assert lists is not None
        offsets = lists.offsets[low : high + 1] - lists.offsets[low]
        number, of = lists.number[low:high], lists.of[low:high]
        pages = np.arange(low, high)
        previous = self._to_part("Previous page", np.where(number > 1, pages - 1, -1))
        following = self._to_part("Next page", np.where(number < of, pages + 1, -1))
        days = np.repeat(self.outline.days[self.pages.key][low:high], np.diff(offsets))
        items = self._entities(lists.items[lists.offsets[low] : lists.offsets[high]], 1.0, days)
        groups = self._groups(lists.groups[low:high])
        about, page_language = self.pages.kind.about, self.pages.page_language
        return [
            Listing(
                heading=heading_template(self.pages),
                group=groups[place],
                number=int(number[place]),
                of=int(of[place]),
                previous=previous[place],
                next=following[place],
                attributes=items[0].attributes if items else (),
                label=label_of(page_language.spec, about),
                plural=plural_of(page_language.spec, about),
                items=items[offsets[place] : offsets[place + 1]],
            )
            for place in range(high - low)
        ]

    def _to_part(self, words: str, pages: Integers) -> Values:
        """Link to pages of the kind, by their number within it (-1 for none)."""
        text = self.pages.page_language.word(words)
        return [
            Value(text, NAVIGATION, target=self.pages.first + page) if page >= 0 else None for page in pages.tolist()
        ]

    def _next_part(self, pages: slice) -> Values:
        assert self.pages.parts is not None
        return self._to_part("Next page", self.pages.parts.next[pages])

    def _entities(self, rows: Integers, completeness: float, days: Integers) -> list[Subject]:
        about, page_language, shared = self.pages.kind.about, self.pages.page_language, self.pages.layout.shared
        table = self.outline.written.tables[about]
        name = table.columns["name"]
        articles = self.outline.articles[about][rows]
        chosen = self._aliases_chosen(about, name, rows)
        called = self._values(name, rows, chosen=chosen)
        titled = titled_by(self.outline.alias_use, self.pages, about, rows, "titled")
        names = called if chosen is None and not titled.any() else self._values(name, rows, chosen=titled)
        original = [one if other else None for one, other in zip(self._values(name, rows), titled > 0, strict=True)]
        _, suffix = FORMS[page_language.language].split("{}", 1)
        apart = [
            suffix.format(text) if text and not alias else ""
            for text, alias in zip(self.outline.written.apart(about, rows).to_pylist(), titled > 0, strict=True)
        ]
        titles = [one._replace(suffix=after) for one, after in zip(names, apart, strict=True) if one is not None]
        linked = [
            one._replace(target=target)
            for one, target in zip(titles if shared else called, articles.tolist(), strict=True)
            if one is not None
        ]
        columns = [table.columns[key] for key in self._stated_columns(table)]
        stated = [
            self._stated(about, column, rows, stated_facts(self.pages, about, column.column.name, rows, completeness))
            for column in columns
        ]
        attributes = tuple(attribute for attribute, _ in stated)
        old = before_redesign(self.outline, self.pages, about, attributes)
        new = (days >= redesigned_on(self.outline, self.pages)).tolist()
        values = list(zip(*(values for _, values in stated), strict=True)) if stated else [()] * len(rows)
        label, plural = label_of(page_language.spec, about), plural_of(page_language.spec, about)
        aliases = self.outline.alias_use.also(self.outline.written, about, rows, page_language.language, titled)
        pronouns, others = self._pronouns(about, rows), self._others(about, rows, days)
        similar = self._similar(about, rows, days)
        return [
            Subject(
                row=row,
                label=label,
                plural=plural,
                name=_there(names[place]),
                title=titles[place],
                called=_there(called[place]),
                linked_name=linked[place],
                original=original[place],
                aliases=aliases[place],
                attributes=attributes if new[place] else old,
                values=values[place],
                relations=(),
                see_also=list,
                type=about,
                pronoun=pronouns[place],
                other=others(place),
                similar=similar(place),
            )
            for place, row in enumerate(rows.tolist())
        ]

    def _stated_columns(self, table: RenderedTable) -> list[str]:
        states = self.pages.kind.states
        chosen = [key for key in (table.columns if states == "all" else states) if key in table.columns]
        tabular, homes = self.pages.layout.tabular, self.pages.homes
        about = self.pages.kind.about
        return [key for key in chosen if key != "name" and (not tabular or homes.is_open(about, key))]

    def _stated(
        self,
        table_name: str,
        written: RenderedColumn,
        rows: Integers,
        kept: npt.NDArray[np.bool_] | None,
        side: str = "",
    ) -> tuple[PageAttribute, Values]:
        """Return a column as the pages call it, and its values in `rows` as they state them."""
        page_language = self.pages.page_language
        column = page_language.columns[table_name][written.column.name]
        override = self.outline.overrides.columns.get((self.pages.key, side, written.code))
        chosen = self._aliases_chosen(table_name, written, rows, override)
        targets = written.targets if override is None else override.targets
        pages = None
        if column.references is not None and targets is not None:
            entities = targets[rows]
            pages = np.where(entities >= 0, self.outline.articles[column.references][entities], -1)
        unit = unit_on(self.outline.spec, self.pages.key, column, written.column.unit)
        after = unit or (page_language.word("(year)") if column.kind == "year" else "")
        suffix = after if not after or after.startswith(_CLOSE_UNITS) else page_language.gap + after
        values = self._values(written, rows, override, chosen, kept, suffix, pages)
        refers = column.references is not None
        label = label_on(self.outline, self.pages, table_name, column)
        is_open = self.pages.homes.is_open(table_name, column.name)
        return PageAttribute(column.name, label, unit, column.kind, column.sentences, refers, is_open), values

    def _pronouns(self, type_name: str, rows: Integers) -> list[str]:
        phrases = self.outline.phrases.get(self.pages.page_language.language)
        pronoun = phrases.types[type_name].pronoun if phrases is not None and type_name in phrases.types else "it"
        if pronoun != "person":
            return [pronoun] * len(rows)
        drawn = Stream(self.outline.spec.seed).child("pages", "pronoun", type_name).uniform(np.maximum(rows, 0))
        return ["he" if draw < 0.5 else "she" for draw in drawn.tolist()]

    def _others(self, about: str, rows: Integers, days: Integers) -> Callable[[int], Callable[[str], Subject | None]]:
        """Give what references of the entities lead to, with facts that these pages may state in passing."""
        if not self.outline.asides:
            return lambda _place: lambda _key: None

        @cache
        def referred(key: str) -> list[Subject | None]:
            column = self.outline.written.tables[about].columns.get(key)
            if column is None or column.targets is None or column.column.references is None:
                return [None] * len(rows)
            if (self.pages.key, "", column.code) in self.outline.overrides.columns:
                return [None] * len(rows)
            return self._in_passing(column.column.references, column.targets[rows], days)

        return lambda place: lambda key: referred(key)[place]

    def _similar(self, about: str, rows: Integers, days: Integers) -> Callable[[int], Callable[[], list[Subject]]]:
        """Give entities that are like the pages' own, with facts that these pages may state of them."""
        if not self.outline.asides:
            return lambda _place: list
        found = cache(lambda: [self._in_passing(about, own[rows], days) for own in self.outline.neighbours[about]])
        return lambda place: lambda: [one for column in found() if (one := column[place]) is not None]

    def _in_passing(self, type_name: str, rows: Integers, days: Integers) -> list[Subject | None]:
        """Return entities (None for row -1) with what pages about others may state of them on the pages' `days`."""
        table, homes, layout = self.outline.written.tables[type_name], self.pages.homes, self.pages.layout
        attributes, columns = [], []
        for key, since in self.outline.asides[type_name].items():
            kept = since[rows] <= days
            homed = homes.stated(layout, type_name, key, np.maximum(rows, 0))
            if layout.tabular and not homes.is_open(type_name, key):
                continue
            attribute, values = self._stated(
                type_name, table.columns[key], rows, kept if homed is None else kept & homed
            )
            attributes.append(attribute)
            columns.append(values)
        pages = np.where(rows >= 0, self.outline.articles[type_name][rows], -1)
        names = self._values(table.columns["name"], rows, pages=pages)
        pronouns = self._pronouns(type_name, rows)
        spec = self.pages.page_language.spec
        label, plural = label_of(spec, type_name), plural_of(spec, type_name)
        found: list[Subject | None] = []
        for place, (row, name) in enumerate(zip(rows.tolist(), names, strict=True)):
            if name is None:
                found.append(None)
                continue
            unmarked = name._replace(code=NO_FACT)
            found.append(
                Subject(
                    row=row,
                    label=label,
                    plural=plural,
                    name=unmarked.bare,
                    title=unmarked,
                    called=unmarked.bare,
                    linked_name=unmarked,
                    original=None,
                    aliases=[],
                    attributes=tuple(attributes),
                    values=tuple(values[place] for values in columns),
                    relations=(),
                    see_also=list,
                    type=type_name,
                    pronoun=pronouns[place],
                )
            )
        return found

    def _relations(self, pages: slice) -> Iterator[list[RelatedRows]]:
        """Give every relation that the kind may state and whose source, or target, its subjects are."""
        states, about = self.pages.kind.states, self.pages.kind.about
        for name, relation in self.pages.page_language.spec.relations.items():
            if states == "all" or name in states:
                if relation.source == about:
                    yield self._related(name, "source", relation.title or name.replace("_", " ").capitalize(), pages)
                if relation.target == about:
                    title = plural_of(self.pages.page_language.spec, relation.source)
                    yield self._related(name, "target", title[:1].upper() + title[1:], pages)

    def _related(self, name: str, side: str, title: str, pages: slice) -> list[RelatedRows]:
        table, parts = self.outline.written.tables[name], self.pages.parts
        order, starts = self.outline.runs[name, side] if parts is None else parts.runs[name, side]
        if parts is None:
            rows = self.pages.about[pages]
            begins, counts = starts[rows], starts[rows + 1] - starts[rows]
        else:
            begins, counts = parts.stretch((name, side), self.pages.about, pages)
        offsets = np.concatenate([[0], np.cumsum(counts)])
        days = self.outline.days[self.pages.key][pages]
        own = order[np.arange(offsets[-1]) + np.repeat(begins - offsets[:-1], counts)]
        if self.pages.kind.completeness < 1 and parts is None:
            kept = self.pages.stream.child("listed", name, side).uniform(own) < self.pages.kind.completeness
            own, offsets = own[kept], np.concatenate([[0], np.cumsum(kept)])[offsets]
        known = self.outline.overrides.known.get((self.pages.key, side, name))
        if known is not None:
            own, offsets = own[known[own]], np.concatenate([[0], np.cumsum(known[own])])[offsets]
        columns = [key for key in table.columns if key not in _OTHER_END]
        stated = [self._stated(name, table.columns[key], own, None, side) for key in (_OTHER_END[side], *columns)]
        attributes = tuple(attribute for attribute, _ in stated)
        old = before_redesign(self.outline, self.pages, name, attributes)
        new = (days >= redesigned_on(self.outline, self.pages)).tolist()
        rows_stated = list(zip(*(values for _, values in stated), strict=True))
        following: Values = [None] * len(counts)
        if parts is not None:
            goes_on = begins + counts < starts[self.pages.about[pages] + 1]
            following = self._to_part("Next page", np.where(goes_on, parts.next[pages], -1))
        bounds, others = offsets.tolist(), self._other_ends(name, side, own, np.repeat(days, np.diff(offsets)))
        return [
            RelatedRows(
                name,
                title,
                attributes if new[place] else old,
                rows_stated[bounds[place] : bounds[place + 1]],
                following[place],
                others(bounds[place]),
            )
            for place in range(len(counts))
        ]

    def _other_ends(
        self, name: str, side: str, rows: Integers, days: Integers
    ) -> Callable[[int], Callable[[int], Subject | None]]:
        """Give the entities at the other ends of rows, with facts that these pages may state of them."""
        column = self.outline.written.tables[name].columns[_OTHER_END[side]]
        if not self.outline.asides or (self.pages.key, side, column.code) in self.outline.overrides.columns:
            return lambda _start: lambda _place: None
        assert column.targets is not None and column.column.references is not None
        type_name, targets = column.column.references, column.targets[rows]
        found = cache(lambda: self._in_passing(type_name, targets, days))
        return lambda start: lambda place: found()[start + place]

    def _see_also(self, rows: Integers) -> list[Values]:
        """Return links to similar entities, and to lists that the entities of `rows` stand in: a value an entity."""
        about = self.pages.kind.about
        name = self.outline.written.tables[about].columns["name"]
        found: list[Values] = []
        for neighbours in self.outline.neighbours[about]:
            others = neighbours[rows]
            chosen = titled_by(self.outline.alias_use, self.pages, about, others, "elsewhere")
            pages = np.where(others >= 0, self.outline.articles[about][others], -1)
            values = self._values(name, others, chosen=chosen, pages=pages)
            found.append([one and one._replace(code=NO_FACT) for one in values])
        for listed in self.outline.listed[about]:
            pages = listed[rows]
            headings = self.outline.headings.take(pa.array(pages, mask=pages < 0)).to_pylist()
            pairs = zip(headings, pages.tolist(), strict=True)
            found.append([Value(text, target=page) if text else None for text, page in pairs])
        return found

    def _groups(self, groups: Integers) -> Values:
        lists = self.pages.lists
        if lists is None or lists.group_type is None:
            return [None] * len(groups)
        chosen = titled_by(self.outline.alias_use, self.pages, lists.group_type, groups, "grouped")
        return self._values(self.outline.written.tables[lists.group_type].columns["name"], groups, chosen=chosen)

    def _values(
        self,
        column: RenderedColumn,
        rows: Integers,
        override: ColumnOverride | None = None,
        chosen: Integers | None = None,
        kept: npt.NDArray[np.bool_] | None = None,
        suffix: str = "",
        pages: Integers | None = None,
    ) -> Values:
        """Return cells of a column as the pages write them; None for missing ones, and for row -1.

        `chosen` says by which alias they call what it names, `kept` which they state, `pages` which they link to.
        """
        written, style = self.outline.written, style_of(self.outline.spec, self.pages.key)
        in_language = None if settles(style, column.column.kind) else self.pages.page_language.codes.get(column.code)
        codes = codes_on(written, style, column.code, rows) if in_language is None else in_language
        if chosen is not None and chosen.any():
            codes = self.outline.alias_use.codes(column.code, chosen)
        stated = rows >= 0 if kept is None else kept & (rows >= 0)
        if override is not None:
            own = override.codes[rows]
            codes = np.where(own == column.code, codes, np.maximum(own, 0))
            stated &= own >= 0
        texts = written.values(codes, np.where(stated, rows, -1)).to_pylist()
        n = len(rows)
        each = [codes] * n if isinstance(codes, int) else np.broadcast_to(codes, n).tolist()
        targets = [-1] * n if pages is None else pages.tolist()
        return [
            None if text is None else Value(text, code, row, suffix, target)
            for text, code, row, target in zip(texts, each, rows.tolist(), targets, strict=True)
        ]

    def _aliases_chosen(
        self, table_name: str, written: RenderedColumn, rows: Integers, override: ColumnOverride | None = None
    ) -> Integers | None:
        """Draw by which alias the pages call what a column names in each row (`AliasUse`); None for other columns.

        What pages say that is not so is called by its name.
        """
        column = written.column
        type_name = column.references or (table_name if column.name == "name" else "")
        if written.code not in self.outline.alias_use.first or self.pages.layout.shared:
            return None
        entities = rows if written.targets is None else written.targets[rows]
        stream = self.pages.stream.child("called", table_name, column.name)
        chosen = self.outline.alias_use.chosen(stream, type_name, entities, rows, self.pages.page_language.language)
        return chosen if override is None else np.where(override.codes[rows] == written.code, chosen, 0)


def stated_facts(
    pages: KindOutline, table: str, column: str, rows: Integers, completeness: float
) -> npt.NDArray[np.bool_] | None:
    """Draw which facts of a column pages state; None for all of them. `table` is empty for a relation's."""
    homed = pages.homes.stated(pages.layout, table, column, rows) if table else None
    if completeness == 1:
        return homed
    drawn = pages.stream.child("states", column).uniform(rows) < completeness
    return drawn if homed is None else drawn & homed


def _there(value: Value | None) -> Value:
    assert value is not None  # every entity has a name
    return value
