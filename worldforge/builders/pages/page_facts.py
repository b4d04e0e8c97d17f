"""What pages of a kind may state, page by page: every value as their site writes it, with its fact and its link."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pyarrow as pa

from worldforge.builders.pages.facts_in_passing import OTHER_END, FactsInPassing, relation_title, with_columns
from worldforge.builders.pages.kind_outline import KindOutline
from worldforge.builders.pages.outline import heading_template, titled_by
from worldforge.builders.pages.page_links import N_SEE_ALSO
from worldforge.builders.pages.page_values import Values, stated_facts
from worldforge.builders.pages.rendered_values import RenderedTable
from worldforge.builders.pages.site_labels import before_redesign, called_on, redesigned_on
from worldforge.builders.pages.table_totals import totals_of
from worldforge.core.arrays import Integers
from worldforge.schema.translations import label_of, plural_of
from worldforge.world.entity_names import FORMS
from worldforge.world.page_inputs import (
    NAVIGATION,
    NO_FACT,
    Continuation,
    Fact,
    FactComparison,
    Listing,
    PageAttribute,
    RelatedRows,
    Subject,
    Value,
)


@dataclass(frozen=True, slots=True)
class PageFacts(FactsInPassing):
    """Gives the generator of one kind of page what its pages may state, for a run of pages at a time."""

    def subjects(self, low: int, high: int) -> list[Subject]:
        """Return the entities that the kind's pages `low` to `high` (not included) are about."""
        rows = self.pages.about[low:high]
        days = self.outline.days[self.pages.key][low:high]
        entities = self._entities(rows, self.pages.kind.completeness, days)
        related = [list(own) for own in zip(*self._relations(slice(low, high)), strict=True)]
        see_also, other_pages = cache(lambda: self._see_also(rows)), cache(lambda: self._other_pages(rows))

        def links(columns: Callable[[], list[Values]], place: int) -> Callable[[], list[Value]]:
            return lambda: [link for column in columns() if (link := column[place]) is not None]

        for place, entity in enumerate(entities):
            entity.relations = tuple(related[place]) if related else ()
            entity.see_also, entity.other_pages = links(see_also, place), links(other_pages, place)
        return entities

    def more(self, low: int, high: int) -> list[list[Value]]:
        """Return for each of the kind's pages `low` to `high` (not included) links to more pages of the site."""
        found: list[Values] = []
        for following in self.outline.more[:, self.pages.first + low : self.pages.first + high]:
            pairs = zip(self._called_elsewhere(following), following.tolist(), strict=True)
            found.append([None if text is None else Value(text, NAVIGATION, target=page) for text, page in pairs])
        if (site_map := self._map_of_site()) is not None and self.pages.lists is not None:
            found.append([site_map] * (high - low))
        by_target = [{link.target: link for link in column if link is not None} for column in zip(*found, strict=True)]
        return [list(links.values()) for links in by_target]

    def _map_of_site(self) -> Value | None:
        """Return a link to the map of the pages' site, which lists lead to; None where it has none."""
        for other in self.outline.kinds:
            if other.site_map is not None and other.site.host == self.pages.site.host:
                return Value(self.pages.page_language.word("Site map"), NAVIGATION, target=other.first)
        return None

    def _called_elsewhere(self, pages: Integers) -> list[str | None]:
        """Return what links call pages (-1 for none): lists by their headings, others by what they are about."""
        texts: list[str | None] = [None] * len(pages)
        kinds = self.outline.kinds
        of_kind = np.searchsorted([one.first for one in kinds], pages, "right") - 1
        for place in np.unique(of_kind[pages >= 0]).tolist():
            here = np.flatnonzero((of_kind == place) & (pages >= 0))
            for index, text in zip(here.tolist(), self._called_in(kinds[place], pages[here]), strict=True):
                texts[index] = text
        return texts

    def _called_in(self, kind: KindOutline, pages: Integers) -> list[str]:
        numbers = pages - kind.first
        if kind.site_map is not None:
            return [self.pages.page_language.word("Site map")] * len(pages)
        if kind.copied is not None:
            (original,) = (one for one in self.outline.kinds if one.key == kind.copied.of)
            return self._called_in(original, original.first + kind.copied.pages[numbers])
        if kind.lists is not None:
            headings: list[str] = self.outline.headings.take(pa.array(pages)).to_pylist()
            return headings
        rows = kind.about[numbers]
        chosen = titled_by(self.outline.alias_use, self.pages, kind.kind.about, rows, "elsewhere")
        names = self._values(self.outline.written.tables[kind.kind.about].columns["name"], rows, chosen=chosen)
        if kind.rows is not None:
            ends = self.outline.written.tables[str(kind.kind.rows)].columns
            both = [self._values(ends[end], kind.rows[numbers]) for end in ("source", "target")]
            return [f"{_there(one).text} – {_there(other).text}" for one, other in zip(*both, strict=True)]
        return [_there(name).text for name in names]

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
                    other_pages=list,
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
        number, of, first = lists.number[low:high], lists.of[low:high], lists.first[low:high]
        pages = np.arange(low, high)
        previous = self._to_part("Previous page", np.where(number > 1, pages - 1, -1))
        following = self._to_part("Next page", np.where(number < of, pages + 1, -1))
        days = np.repeat(self.outline.days[self.pages.key][low:high], np.diff(offsets))
        items = self._entities(lists.items[lists.offsets[low] : lists.offsets[high]], 1.0, days)
        groups = self._groups(lists.groups[low:high])
        about, page_language = self.pages.kind.about, self.pages.page_language
        label, plural = label_of(page_language.spec, about), plural_of(page_language.spec, about)
        found = []
        for place in range(high - low):
            by = lists.columns[lists.groups[low + place]] if lists.columns else ""
            own = items[offsets[place] : offsets[place + 1]]
            if lists.columns:
                own = [with_columns(one, [by]) for one in own]
            found.append(
                Listing(
                    heading=heading_template(self.pages, by),
                    group=groups[place],
                    number=int(number[place]),
                    of=int(of[place]),
                    previous=previous[place],
                    next=following[place],
                    attributes=own[0].attributes if own else (),
                    label=label,
                    plural=plural,
                    items=own,
                    by=self._attribute(by) if by else None,
                    first=int(first[place]),
                    totals=totals_of(self.outline, self.pages, own) if of[place] == 1 and self.outline.totals else (),
                )
            )
        return found

    def _attribute(self, key: str) -> PageAttribute:
        """Return a column of what the pages are about, called as in the headings of its lists."""
        about = self.pages.kind.about
        called, _ = self._called(about, self.outline.written.tables[about].columns[key])
        return replace(called, label=self.pages.page_language.columns[about][key].label)

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
        every = [
            self._stated(about, column, rows, stated_facts(self.pages, about, column.column.name, rows, completeness))
            for column in columns
        ]
        alone = [column.column.address and not self.pages.layout.tabular for column in columns]
        addresses = [one for one, is_address in zip(every, alone, strict=True) if is_address]
        stated = [one for one, is_address in zip(every, alone, strict=True) if not is_address]
        attributes = tuple(attribute for attribute, _ in stated)
        comparisons = self._comparisons(about, attributes, rows, completeness, days)
        labelled = called_on(self.outline, self.pages, about, attributes, rows, days)
        values = list(zip(*(values for _, values in stated), strict=True)) if stated else [()] * len(rows)
        label, plural = label_of(page_language.spec, about), plural_of(page_language.spec, about)
        aliases = self.outline.alias_use.also(self.outline.written, about, rows, page_language.language, titled)
        pronouns, others = self._pronouns(about, rows), self._others(about, rows, days)
        similar, referrers = self._similar(about, rows, days), self._referrers(about, rows, days)
        histories = self._histories(about, rows, days)
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
                attributes=labelled[place],
                values=values[place],
                relations=(),
                see_also=list,
                comparisons=tuple(comparisons.get(place, ())),
                addresses=tuple(Fact(one, value) for one, own in addresses if (value := own[place]) is not None),
                type=about,
                pronoun=pronouns[place],
                other=others(place),
                similar=similar(place),
                referrers=referrers(place),
                history=histories(place),
            )
            for place, row in enumerate(rows.tolist())
        ]

    def _comparisons(
        self, about: str, attributes: tuple[PageAttribute, ...], rows: Integers, completeness: float, days: Integers
    ) -> dict[int, list[FactComparison]]:
        """Return what pages may state relative to others that are known by then, by place in `rows`."""
        relative, table = self.outline.relative.get(about, {}), self.outline.written.tables[about]
        spec = self.pages.page_language.spec
        found: dict[int, list[FactComparison]] = {}
        for attribute in attributes:
            column = relative.get(attribute.key)
            if column is None:
                continue
            others = column.others[rows]
            kept = stated_facts(self.pages, about, attribute.key, rows, completeness)
            since = self.outline.asides[about][attribute.key]
            known = (since[others] <= days) & (since[rows] <= days)
            others = np.where(known if kept is None else known & kept, others, -1)
            pages = np.where(others >= 0, self.outline.articles[about][others], -1)
            names = self._values(table.columns["name"], others, pages=pages)
            referred = table.columns[attribute.key].column.references
            named = self.pages.page_language.columns[about][attribute.key]
            unit = f"{self.pages.page_language.gap}{named.unit}" if named.unit else ""
            noun = label_of(spec, referred) if referred is not None else ""
            for place in np.flatnonzero(others >= 0).tolist():
                row, name = int(rows[place]), _there(names[place])
                difference = None if column.differences is None else column.differences[row].item()
                marked = name._replace(code=column.code, row=row, suffix="")
                found.setdefault(place, []).append(
                    FactComparison(attribute, marked, difference, named.label, unit, noun)
                )
        return found

    def _stated_columns(self, table: RenderedTable) -> list[str]:
        states, lists = self.pages.kind.states, self.pages.lists
        if lists is not None and lists.columns:
            states = [key for key in lists.columns if key]
        chosen = [key for key in (table.columns if states == "all" else states) if key in table.columns]
        tabular, homes = self.pages.layout.tabular, self.pages.homes
        about = self.pages.kind.about
        return [key for key in chosen if key != "name" and (not tabular or homes.is_open(about, key))]

    def _relations(self, pages: slice) -> Iterator[list[RelatedRows]]:
        """Give every relation that the kind may state and whose source, or target, its subjects are."""
        states, about, spec = self.pages.kind.states, self.pages.kind.about, self.pages.page_language.spec
        for name, relation in spec.relations.items():
            if states == "all" or name in states:
                for side, type_name in (("source", relation.source), ("target", relation.target)):
                    if type_name == about:
                        yield self._related(name, side, relation_title(spec, name, side), pages)

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
        columns = [key for key in table.columns if key not in OTHER_END]
        stated = [self._stated(name, table.columns[key], own, None, side) for key in (OTHER_END[side], *columns)]
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

    def _see_also(self, rows: Integers) -> list[Values]:
        """Return links to similar entities, and to lists that the entities of `rows` stand in: a value an entity."""
        about = self.pages.kind.about
        name = self.outline.written.tables[about].columns["name"]
        found: list[Values] = []
        for neighbours in self.outline.neighbours[about][:N_SEE_ALSO]:
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

    def _other_pages(self, rows: Integers) -> list[Values]:
        """Return links to the pages of other kinds about each of `rows`, called by their sites: a value an entity."""
        sites = {one.key: one.site.title for one in self.outline.kinds}
        return [
            [Value(sites[key], target=page) if page >= 0 else None for page in pages[rows].tolist()]
            for key, pages in self.outline.other_pages[self.pages.kind.about].items()
            if key != self.pages.key
        ]

    def _groups(self, groups: Integers) -> Values:
        lists = self.pages.lists
        if lists is None or lists.group_type is None:
            return [None] * len(groups)
        chosen = titled_by(self.outline.alias_use, self.pages, lists.group_type, groups, "grouped")
        return self._values(self.outline.written.tables[lists.group_type].columns["name"], groups, chosen=chosen)


def _there(value: Value | None) -> Value:
    assert value is not None  # every entity has a name
    return value
