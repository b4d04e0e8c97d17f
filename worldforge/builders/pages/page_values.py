"""What pages of a kind write of columns: values as their site has them, with their facts and links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import repeat

import numpy as np
import numpy.typing as npt

from worldforge.builders.pages.conflicts.overrides import ColumnOverride
from worldforge.builders.pages.kind_outline import KindOutline
from worldforge.builders.pages.outline import Outline
from worldforge.builders.pages.rendered_values import RenderedColumn
from worldforge.builders.pages.site_formats import codes_on, unit_on
from worldforge.builders.pages.site_labels import label_on
from worldforge.core.arrays import Integers
from worldforge.core.english import unit_of_one
from worldforge.world.page_inputs import PageAttribute, Value
from worldforge.world.value_formats import settles, style_of

_CLOSE_UNITS = ("%", "°", "′", "″")  # written without a space before them

Values = Sequence[Value | None]


@dataclass(frozen=True, slots=True)
class PageValues:
    """Gives the values of columns as the pages of one kind state them."""

    outline: Outline
    pages: KindOutline
    called: dict[tuple[str, str], tuple[PageAttribute, str]] = field(default_factory=dict)
    """Columns that have been asked for, by table and name, as the pages call them; with them what follows values."""

    def _stated(
        self,
        table_name: str,
        written: RenderedColumn,
        rows: Integers,
        kept: npt.NDArray[np.bool_] | None,
        side: str = "",
    ) -> tuple[PageAttribute, Values]:
        """Return a column as the pages call it, and its values in `rows` as they state them."""
        column = written.column
        attribute, suffix = self._called(table_name, written)
        override = self.outline.overrides.columns.get((self.pages.key, side, written.code))
        chosen = self._aliases_chosen(table_name, written, rows, override)
        targets = written.targets if override is None else override.targets
        pages = None
        if column.references is not None and targets is not None:
            entities = targets[rows]
            pages = np.where(entities >= 0, self.outline.articles[column.references][entities], -1)
        relative = self.outline.relative.get(table_name, {}).get(column.name)
        if relative is not None:
            direct = (rows < 0) | (relative.others[rows] < 0)
            kept = direct if kept is None else kept & direct
        return attribute, self._values(written, rows, override, chosen, kept, suffix, pages)

    def _called(self, table_name: str, written: RenderedColumn) -> tuple[PageAttribute, str]:
        """Return a column as the pages call it, and what follows its values."""
        key = table_name, written.column.name
        if key not in self.called:
            page_language = self.pages.page_language
            column = page_language.columns[table_name][written.column.name]
            unit = unit_on(self.outline.spec, self.pages.key, column, written.column.unit)
            after = unit or (page_language.word("(year)") if column.kind == "year" else "")
            suffix = after if not after or after.startswith(_CLOSE_UNITS) else page_language.gap + after
            refers, is_open = column.references is not None, self.pages.homes.is_open(*key)
            label = label_on(self.outline, self.pages, table_name, column)
            attribute = PageAttribute(
                column.name, label, unit, column.kind, column.sentences, refers, is_open, is_amount=column.is_amount
            )
            self.called[key] = attribute, suffix
        return self.called[key]

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
        texts = written.texts(codes, np.where(stated, rows, -1))
        n = len(rows)
        each = [codes] * n if isinstance(codes, int) else codes.tolist()
        targets = [-1] * n if pages is None else pages.tolist()
        suffixes: Iterable[str] = repeat(suffix)
        of_one = unit_of_one(suffix) if self.pages.page_language.language == "en" else suffix
        if of_one != suffix:
            suffixes = [of_one if text == "1" else suffix for text in texts]
        cells = zip(texts, each, rows.tolist(), suffixes, targets, repeat(()), strict=False)
        values: list[Value] = list(map(tuple.__new__, repeat(Value), cells))  # a third of the time of `Value(…)`
        return values if None not in texts else [None if value.text is None else value for value in values]

    def _aliases_chosen(
        self, table_name: str, written: RenderedColumn, rows: Integers, override: ColumnOverride | None = None
    ) -> Integers | None:
        """Draw by which alias the pages call what a column names in each row (`AliasUse`); None for other columns.

        What pages say that is not so is called by its name.
        """
        column = written.column
        type_name = column.references or (table_name if column.name == "name" else "")
        by_name_alone = self.pages.layout.shared or self.pages.layout.lists_by
        if written.code not in self.outline.alias_use.first or by_name_alone:
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
