"""Choose the facts that pages state relative to another entity's: `three years after Velmar Rovers`.

Such a fact stands nowhere else: a reader has to find the other one as well. The seed chooses a share of the facts that
prose states, that never change and that no page disputes; tables leave them out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.pages.fact_homes import FactHomes
from worldforge.builders.pages.outline import Outline, RelativeColumn
from worldforge.builders.pages.rendered_values import ColumnVersion, RenderedColumn
from worldforge.core.arrays import Integers
from worldforge.core.chance import Stream
from worldforge.schema.column_paths import drawn_columns
from worldforge.world.page_inputs import Layout
from worldforge.world.table_files import RELATIVE

_SHARE = 0.8  # of the facts of a column
_MOST_YEARS = 30  # between the two
_COUNTED = ("year", "integer")
_LATEST = 730  # days before today: what happened later is too new for most pages to tell
_SHORT = Layout()


def with_relative_facts(outline: Outline, tables: Mapping[str, pa.Table], today: int) -> Outline:
    """Choose which facts pages state relative to others; `outline` has its asides, `today` counts from 1970-01-01."""
    versions: list[ColumnVersion] = []
    chosen: dict[str, dict[str, RelativeColumn]] = {}
    for name in outline.spec.types:
        for key, others, differences in _chosen(outline, tables, name, today):
            column = outline.written.tables[name].columns[key]
            names = outline.written.names(name, others)
            versions.append(ColumnVersion(column.code, names, RELATIVE))
            code = outline.written.n_codes + len(versions) - 1
            chosen.setdefault(name, {})[key] = RelativeColumn(code, others, differences)
    if not versions:
        return outline
    return replace(outline, written=outline.written.with_versions(versions), relative=chosen)


def _chosen(
    outline: Outline, tables: Mapping[str, pa.Table], name: str, today: int
) -> Iterator[tuple[str, Integers, Integers | None]]:
    """Yield the columns of a type with the row that each of its facts is stated relative to (-1 for none)."""
    own = drawn_columns(outline.spec, name)
    homes = next((kind.homes for kind in outline.kinds), FactHomes())
    names = tables[name]["name"].combine_chunks()
    counts = pc.value_counts(names)
    shared = counts.field("values").filter(pc.greater(counts.field("counts"), 1))
    one_of_a_name = pc.invert(pc.is_in(names, shared)).to_numpy(zero_copy_only=False)
    for key, since in outline.asides.get(name, {}).items():
        column = outline.written.tables[name].columns[key]
        if key not in own or key not in homes.told.get(name, ()):
            continue
        if column.column.kind == "integer" and not column.column.is_amount:
            continue
        stream = Stream(outline.spec.seed).child("pages", "relative", name, key)
        rows = np.arange(len(names))
        values = _values(tables[name], column)
        free = (values >= 0) & (since <= today)
        drawn = free & (stream.uniform(rows) < _SHARE)
        kept = homes.stated(_SHORT, name, key, rows)
        candidates = free & ~drawn & one_of_a_name & (since <= today - _LATEST) & (True if kept is None else kept)
        picks = stream.child("other").uniform(rows)
        if column.column.kind in _COUNTED:
            later = stream.child("later").uniform(rows) < 0.5
            others = _near(values, drawn, candidates, picks, later, years=column.column.kind == "year")
            yield key, others, np.where(others >= 0, values - values[others], 0)
        else:
            yield key, _alike(values, drawn, candidates, picks), None


def _values(table: pa.Table, column: RenderedColumn) -> Integers:
    """Return a column as whole numbers, alike where its values are; years and counts as they are, -1 where missing."""
    values = table[column.column.name].combine_chunks()
    if column.column.kind in _COUNTED:
        return pc.fill_null(values.cast(pa.int64()), -1).to_numpy()
    if column.targets is not None:
        return column.targets
    if column.column.kind == "text":
        return pc.fill_null(values.dictionary_encode().indices.cast(pa.int64()), -1).to_numpy()
    return np.full(len(values), -1)


def _alike(
    values: Integers, drawn: npt.NDArray[np.bool_], candidates: npt.NDArray[np.bool_], picks: npt.NDArray[np.float64]
) -> Integers:
    """Pick for each drawn row one of those `candidates` that has the same value; -1 where none has."""
    return _picked(values, candidates, np.flatnonzero(drawn), values[drawn], values[drawn] + 1, picks)


def _near(
    values: Integers,
    drawn: npt.NDArray[np.bool_],
    candidates: npt.NDArray[np.bool_],
    picks: npt.NDArray[np.float64],
    later: npt.NDArray[np.bool_],
    *,
    years: bool,
) -> Integers:
    """Pick for each drawn row one of those `candidates` whose value is near: by few years, or by 2 up to half of it.

    Where there are both, `later` says which rows get one with a larger value.
    """
    rows, own = np.flatnonzero(drawn), values[drawn]
    least, most, by = (own - _MOST_YEARS, own + _MOST_YEARS, 1) if years else (own // 2, own * 2, 2)
    before = _picked(values, candidates, rows, least, own - by + 1, picks)
    after = _picked(values, candidates, rows, own + by, most + 1, picks)
    return np.where((before < 0) | (later & (after >= 0)), after, before)


def _picked(
    values: Integers,
    candidates: npt.NDArray[np.bool_],
    rows: Integers,
    low: Integers,
    high: Integers,
    picks: npt.NDArray[np.float64],
) -> Integers:
    """Pick for each of `rows` one of those `candidates` whose value is from `low` up to `high` (not included)."""
    others = np.flatnonzero(candidates)
    others = others[np.argsort(values[others], kind="stable")]
    first, last = (np.searchsorted(values[others], bound) for bound in (low, high))
    place = first + (picks[rows] * (last - first)).astype(np.int64)
    found = np.full(len(values), -1)
    some = last > first
    found[rows[some]] = others[place[some]]
    return found
