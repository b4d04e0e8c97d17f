"""What pages may state of other entities than their own: facts that never change, if known by the day of the page."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import repeat

import numpy as np

from worldforge.builders.pages.page_values import PageValues
from worldforge.core.arrays import Integers
from worldforge.core.chance import Stream
from worldforge.schema.spec import WorldSpec
from worldforge.schema.translations import label_of, plural_of
from worldforge.world.page_inputs import NO_FACT, Referrers, RelatedRows, Subject, Value

OTHER_END = {"source": "target", "target": "source"}
"""The other end of a relation."""
_MOST_REFERRERS = 24  # of a column, told on one page
_MOST_ROWS = 12  # of a relation, told of an entity that a page is not about


@dataclass(frozen=True, slots=True)
class FactsInPassing(PageValues):
    """Gives pages of one kind what they may state of entities that they are not about."""

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
        neighbours = self.outline.neighbours[about]
        found = cache(lambda: self._in_passing(about, neighbours[:, rows].ravel(), np.tile(days, len(neighbours))))
        return lambda place: lambda: [one for one in found()[place :: len(rows)] if one is not None]

    def _referrers(self, about: str, rows: Integers, days: Integers) -> Callable[[int], Callable[[], list[Referrers]]]:
        """Give what refers to the entities, by column, with facts that these pages may state of it."""
        types = self.outline.spec.types
        columns = [(name, key) for name, keys in self.outline.asides.items() if name in types for key in keys]
        if self.pages.layout.tabular:
            return lambda _place: list
        found = cache(
            lambda: [column for name, key in columns for column in self._referring(name, key, about, rows, days)]
        )
        return lambda place: lambda: [column[place] for column in found() if column[place].entities]

    def _referring(self, name: str, key: str, about: str, rows: Integers, days: Integers) -> Iterator[list[Referrers]]:
        """Yield for each of the entities what names it in a column, if that names such entities."""
        column = self.outline.written.tables[name].columns[key]
        if column.targets is None or column.column.references != about:
            return
        order = np.argsort(column.targets, kind="stable")
        bounds = np.searchsorted(column.targets[order], np.stack([rows, rows + 1]))
        own = [order[low:high] for low, high in bounds.T.tolist()]
        since, homes = self.outline.asides[name][key], self.pages.homes
        chosen = []
        for entities, day in zip(own, days.tolist(), strict=True):
            homed = homes.stated(self.pages.layout, name, key, entities)
            kept = since[entities] <= day
            chosen.append(entities[kept if homed is None else kept & homed][:_MOST_REFERRERS])
        counts = [len(one) for one in chosen]
        flat = self._in_passing(name, np.concatenate(chosen), np.repeat(days, counts)) if sum(counts) else []
        ends, plural = np.cumsum(counts).tolist(), plural_of(self.pages.page_language.spec, name)
        yield [
            Referrers(key, plural, [_unlinked(one, key) for one in flat[end - count : end] if one is not None])
            for end, count in zip(ends, counts, strict=True)
        ]

    def _in_passing(self, type_name: str, rows: Integers, days: Integers) -> list[Subject | None]:
        """Return entities (None for row -1) with what pages about others may state of them on the pages' `days`."""
        table, homes, layout = self.outline.written.tables[type_name], self.pages.homes, self.pages.layout
        attributes, columns = [], []
        for key, since in self.outline.asides[type_name].items():
            kept = since[rows] <= days
            homed = homes.stated(layout, type_name, key, np.maximum(rows, 0))
            if layout.tabular and not homes.is_open(type_name, key):
                continue
            attribute, column = self._stated(
                type_name, table.columns[key], rows, kept if homed is None else kept & homed
            )
            attributes.append(attribute)
            columns.append(column)
        pages = np.where(rows >= 0, self.outline.articles[type_name][rows], -1)
        names = self._values(table.columns["name"], rows, pages=pages)
        pronouns, stated = self._pronouns(type_name, rows), tuple(attributes)
        entities = np.maximum(rows, 0)
        others = self._others(type_name, entities, days)
        referrers, histories = self._referrers(type_name, entities, days), self._histories(type_name, entities, days)
        spec = self.pages.page_language.spec
        label, plural = label_of(spec, type_name), plural_of(spec, type_name)
        of_rows = zip(*columns, strict=True) if columns else repeat(())
        found: list[Subject | None] = []
        for place, (row, value, pronoun, values) in enumerate(
            zip(rows.tolist(), names, pronouns, of_rows, strict=False)
        ):
            if value is None:
                found.append(None)
                continue
            name, linked = Value(value.text), Value(value.text, NO_FACT, row, "", value.target)
            found.append(
                Subject(
                    row=row,
                    label=label,
                    plural=plural,
                    name=name,
                    title=Value(value.text, value.code, row, "", value.target),
                    called=name,
                    linked_name=linked,
                    original=None,
                    aliases=(),
                    attributes=stated,
                    values=values,
                    relations=(),
                    see_also=list,
                    type=type_name,
                    pronoun=pronoun,
                    other=others(place),
                    referrers=referrers(place),
                    history=histories(place),
                )
            )
        return found

    def _histories(
        self, about: str, rows: Integers, days: Integers
    ) -> Callable[[int], Callable[[], tuple[RelatedRows, ...]]]:
        """Give the rows of relations that entities have, as far as these pages may state them in passing."""
        spec = self.pages.page_language.spec
        ends = [
            (name, side, relation_title(spec, name, side))
            for name, relation in spec.relations.items()
            for side, type_name in (("source", relation.source), ("target", relation.target))
            if type_name == about and name in self.outline.asides
        ]
        if not ends:
            return lambda _place: tuple
        found = cache(lambda: [self._rows_in_passing(name, side, title, rows, days) for name, side, title in ends])
        return lambda place: lambda: tuple(one[place] for one in found() if one[place].rows)

    def _rows_in_passing(self, name: str, side: str, title: str, rows: Integers, days: Integers) -> list[RelatedRows]:
        """Return the first rows of a relation that each of the entities has there, and that these pages may state."""
        table, asides = self.outline.written.tables[name], self.outline.asides[name]
        order, starts = self.outline.runs[name, side]
        begun = np.maximum(asides["source"], asides["target"])
        chosen = []
        for row, day in zip(rows.tolist(), days.tolist(), strict=True):
            own = order[starts[row] : starts[row + 1]]
            chosen.append(own[begun[own] <= day][:_MOST_ROWS])
        counts = [len(one) for one in chosen]
        flat, flat_days = np.concatenate(chosen), np.repeat(days, counts)
        keys = [OTHER_END[side], *(key for key in asides if key not in OTHER_END)]
        stated = [self._stated(name, table.columns[key], flat, asides[key][flat] <= flat_days, side) for key in keys]
        attributes = tuple(attribute for attribute, _ in stated)
        cells = list(zip(*(values for _, values in stated), strict=True))
        others, ends = self._other_ends(name, side, flat, flat_days), np.cumsum(counts).tolist()
        return [
            RelatedRows(name, title, attributes, cells[end - count : end], None, others(end - count))
            for end, count in zip(ends, counts, strict=True)
        ]

    def _other_ends(
        self, name: str, side: str, rows: Integers, days: Integers
    ) -> Callable[[int], Callable[[int], Subject | None]]:
        """Give the entities at the other ends of rows, with facts that these pages may state of them."""
        column = self.outline.written.tables[name].columns[OTHER_END[side]]
        if not self.outline.asides or (self.pages.key, side, column.code) in self.outline.overrides.columns:
            return lambda _start: lambda _place: None
        assert column.targets is not None and column.column.references is not None
        type_name, targets = column.column.references, column.targets[rows]
        found = cache(lambda: self._in_passing(type_name, targets, days))
        return lambda start: lambda place: found()[start + place]


def relation_title(spec: WorldSpec, name: str, side: str) -> str:
    """Return the heading of a relation's rows on pages about entities at `side`, its source or its target.

    From the target they are called by their sources, unless both ends are of one type: matches at home and away.
    """
    relation = spec.relations[name]
    if side == "source" or relation.source == relation.target:
        return relation.title or name.replace("_", " ").capitalize()
    plural = plural_of(spec, relation.source)
    return plural[:1].upper() + plural[1:]


def _unlinked(subject: Subject, key: str) -> Subject:
    """Return an entity whose value in a column is no link: the page is about what it names."""
    values = tuple(
        value.bare if attribute.key == key and value is not None else value
        for attribute, value in zip(subject.attributes, subject.values, strict=True)
    )
    return replace(subject, values=values)


def with_columns(subject: Subject, keys: Collection[str]) -> Subject:
    """Return an entity with what it has in some columns alone."""
    kept = [place for place, attribute in enumerate(subject.attributes) if attribute.key in keys]
    return replace(
        subject,
        attributes=tuple(subject.attributes[place] for place in kept),
        values=tuple(subject.values[place] for place in kept),
    )
