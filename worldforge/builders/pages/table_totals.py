"""Total rows of tables: the sum of a column of counts over all rows of a list, which states no fact by itself.

A total is marked with every fact that it is of, under a version of the column with the stance `total`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pyarrow as pa

from worldforge.builders.pages.kind_outline import KindOutline
from worldforge.builders.pages.outline import Outline
from worldforge.builders.pages.rendered_values import ColumnVersion, RenderedColumn
from worldforge.core.english import is_plural
from worldforge.world.page_inputs import Subject, Value
from worldforge.world.table_files import TOTAL
from worldforge.world.value_formats import style_of
from worldforge.world.value_text import read_value

_NUMBER_OF = "number of "
_CHINESE_COUNTS = ("数", "人口")
_LEAST_ROWS = 3


def with_totals(outline: Outline) -> Outline:
    """Add versions for the totals of columns of counts, where tables of lists state them."""
    versions: list[ColumnVersion] = []
    found: dict[int, int] = {}
    for pages in outline.kinds:
        for column in _summed(outline, pages):
            if column.code not in found:
                nothing = pa.nulls(outline.written.tables[pages.kind.about].n_rows, pa.string())
                found[column.code] = outline.written.n_codes + len(versions)
                versions.append(ColumnVersion(column.code, nothing, TOTAL))
    if not versions:
        return outline
    return replace(outline, written=outline.written.with_versions(versions), totals=found)


def _summed(outline: Outline, pages: KindOutline) -> Iterator[RenderedColumn]:
    if pages.lists is None or not pages.layout.tabular or pages.layout.lists_by or pages.layout.shared:
        return
    table, states = outline.written.tables[pages.kind.about], pages.kind.states
    for key, column in table.columns.items():
        if (states == "all" or key in states) and _counts(column) and pages.homes.is_open(pages.kind.about, key):
            yield column


def _counts(column: RenderedColumn) -> bool:
    """Say whether a column counts something, so that a sum of its values is a count too."""
    label, info = column.column.label, column.column
    plural = label.startswith(_NUMBER_OF) or is_plural(label) or label.endswith(_CHINESE_COUNTS)
    return info.kind == "integer" and not info.rank and not info.unit and plural


def totals_of(outline: Outline, pages: KindOutline, items: Sequence[Subject]) -> list[Value | None]:
    """Return the total of each column of a whole list; None where it has none.

    A column has one where all rows state it as the table has it.
    """
    if len(items) < _LEAST_ROWS:
        return []
    about = pages.kind.about
    totals: list[Value | None] = []
    for place, attribute in enumerate(items[0].attributes):
        column = outline.written.tables[about].columns[attribute.key]
        code = outline.totals.get(column.code)
        values = [value for item in items if (value := item.values[place]) is not None]
        styled = (style_of(outline.spec, pages.key), column.code) in outline.written.styled
        if code is None or styled or len(values) < len(items) or any(one.code != column.code for one in values):
            totals.append(None)
            continue
        whole = sum(int(str(read_value(value.text, "integer"))) for value in values)
        first, *others = [(code, value.row) for value in values]
        totals.append(Value(f"{whole:,}", *first, also=tuple(others)))
    return totals
