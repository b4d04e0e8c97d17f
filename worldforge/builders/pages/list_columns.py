"""Which columns the lists of a type can be by: places, years and kinds that sort its entities, and figures to rank by.

Lists by a value are of drawn columns that never change. A ranking has a date, so it may be of any figure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, zip_longest

import numpy as np
import pyarrow.compute as pc

from worldforge.builders.pages.rendered_values import RenderedColumn, RenderedTables
from worldforge.core.chance import Draws
from worldforge.schema.column_paths import built_in_columns, drawn_columns
from worldforge.schema.spec import WorldSpec
from worldforge.world.page_inputs import ListsBy

_MOST_VALUES = 40  # of a kind that lists are by
_LEAST_EACH = 2  # entities of each kind, in the mean
_MOST_LISTS: Mapping[ListsBy, int] = {"values": 3, "figures": 3}


@dataclass(frozen=True, slots=True)
class ListableColumns:
    """The columns of a type that lists can be by, in the order of the spec."""

    places: tuple[str, ...] = ()
    """References."""
    years: tuple[str, ...] = ()
    """Years and dates."""
    kinds: tuple[str, ...] = ()
    """Texts of which there are few."""
    figures: tuple[str, ...] = ()

    def one_of_each(self, draws: Draws) -> list[str]:
        """Draw a column of each sort that has values to list by, in an order that is drawn too."""
        found = [draws.pick(sort) for sort in (self.places, self.years, self.kinds) if sort]
        return draws.shuffled(found)

    def chosen(self, lists_by: ListsBy, stated: frozenset[str], closed: frozenset[str]) -> tuple[str, ...]:
        """Choose what a kind of page has lists by, of what it may state: values, or figures.

        Values that stand in prose alone make no lists. One ranking states its figures; others are of figures that stand
        in prose alone, and give the order.
        """
        if lists_by == "values":
            in_turn = chain.from_iterable(zip_longest(self.places, self.years, self.kinds))
            found = [key for key in in_turn if key in stated - closed]
        else:
            found = [key for key in self.figures if key in stated - closed][:1]
            found += [key for key in self.figures if key in stated & closed]
        return tuple(found[: _MOST_LISTS[lists_by]])


def listable_columns(spec: WorldSpec, written: RenderedTables, name: str) -> ListableColumns:
    """Sort the columns of a type by what lists they make."""
    found: dict[str, list[str]] = {"places": [], "years": [], "kinds": [], "figures": []}
    drawn, built_in, table = drawn_columns(spec, name), built_in_columns(spec, name), written.tables[name]
    for key, column in table.columns.items():
        if key == "name" or key in built_in:
            continue
        if column.column.kind in ("integer", "number"):
            found["figures"] += [key] if column.column.is_amount else []
        elif key in drawn and not drawn[key].varies and (sort := _sort_of(written, column, table.n_rows)):
            found[sort].append(key)
    return ListableColumns(**{sort: tuple(keys) for sort, keys in found.items()})


def _sort_of(written: RenderedTables, column: RenderedColumn, n_rows: int) -> str:
    if column.column.references is not None:
        return "places"
    if column.column.kind in ("year", "date"):
        return "years"
    n_values = pc.count_distinct(written.values(column.code, np.arange(n_rows))).as_py()
    few = 2 <= n_values <= min(_MOST_VALUES, n_rows // _LEAST_EACH)
    return "kinds" if few and column.column.kind == "text" else ""
