"""Choose the facts that pages state relative to another entity's: `three years after Velmar Rovers`.

Such a fact stands nowhere else: a reader has to find the other one as well. The seed chooses a share of the facts that
prose states, that never change and that no page disputes; tables leave them out. Figures differ by a number, years by
years, dates by days; of other facts both have the same value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.pages.fact_homes import FactHomes
from worldforge.builders.pages.outline import Outline, RelativeColumn
from worldforge.builders.pages.rendered_values import ColumnVersion, RenderedColumn
from worldforge.core.arrays import Integers
from worldforge.core.chance import Stream
from worldforge.schema.column_paths import derived_columns, drawn_columns
from worldforge.world.page_inputs import Layout
from worldforge.world.table_files import RELATIVE
from worldforge.world.value_formats import decimals_of

_SHARE, _OPEN_SHARE = 0.8, 0.4  # of the facts of a column: of those that stand in prose alone, and of others
_FIGURES = ("integer", "number")
_MOST_APART: Mapping[str, int] = {"year": 30, "date": 400}  # years, or days, between the two
_LATEST = 730  # days before today: what happened later is too new for most pages to tell
_DRAWS = 4  # of another entity, until one is known early enough
_YEAR_1 = 719_162  # days from there to 1970-01-01
_SHORT = Layout()
Differences = npt.NDArray[np.int64] | npt.NDArray[np.float64]


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


@dataclass(frozen=True, slots=True)
class _Facts:
    """The facts of a column: values as whole numbers, -1 for none, and since when each is known.

    `scale` is how many make one of what the column counts, `drawn` says which are to be stated relative to others, and
    `candidates` which others may be those.
    """

    kind: str
    values: Integers
    scale: int
    since: Integers
    drawn: npt.NDArray[np.bool_]
    candidates: npt.NDArray[np.bool_]


def _chosen(
    outline: Outline, tables: Mapping[str, pa.Table], name: str, today: int
) -> Iterator[tuple[str, Integers, Differences | None]]:
    """Yield the columns of a type with the row that each of its facts is stated relative to (-1 for none)."""
    own = {*drawn_columns(outline.spec, name), *derived_columns(outline.spec, name)}
    homes = next((kind.homes for kind in outline.kinds), FactHomes())
    names = tables[name]["name"].combine_chunks()
    counts = pc.value_counts(names)
    shared = counts.field("values").filter(pc.greater(counts.field("counts"), 1))
    one_of_a_name = pc.invert(pc.is_in(names, shared)).to_numpy(zero_copy_only=False)
    for key, since in outline.asides.get(name, {}).items():
        column = outline.written.tables[name].columns[key]
        if key not in own or key not in homes.told.get(name, ()):
            continue
        if column.column.kind in _FIGURES and not column.column.is_amount:
            continue
        stream = Stream(outline.spec.seed).child("pages", "relative", name, key)
        rows = np.arange(len(names))
        values, scale = _values(tables[name], column)
        free = (values >= 0) & (since <= today)
        drawn = free & (stream.uniform(rows) < (_OPEN_SHARE if homes.is_open(name, key) else _SHARE))
        kept = homes.stated(_SHORT, name, key, rows)
        candidates = free & ~drawn & one_of_a_name & (True if kept is None else kept)
        known = np.maximum(since, today - _LATEST)
        facts = _Facts(column.column.kind, values, scale, known, drawn, candidates)
        if facts.kind in _FIGURES or facts.kind in _MOST_APART:
            others = _near(facts, stream)
            differences = np.where(others >= 0, values - values[others], 0)
            yield key, others, differences if scale == 1 else differences / scale
        else:
            yield key, _alike(facts, stream), None


def _values(table: pa.Table, column: RenderedColumn) -> tuple[Integers, int]:
    """Return a column as whole numbers, alike where its values are, and how many make one; -1 where missing.

    Numbers are counted in the last of their decimals, dates in days since the year 1.
    """
    values, kind = table[column.column.name].combine_chunks(), column.column.kind
    if kind in ("year", "integer"):
        return pc.fill_null(values.cast(pa.int64()), -1).to_numpy(), 1
    if kind == "date":
        return pc.fill_null(pc.add(values.cast(pa.int32()).cast(pa.int64()), _YEAR_1), -1).to_numpy(), 1
    if kind == "number":
        scale = 10 ** decimals_of(values)
        return np.rint(pc.fill_null(pc.multiply(values, float(scale)), -1.0).to_numpy()).astype(np.int64), scale
    if column.targets is not None:
        return column.targets, 1
    if kind == "text":
        return pc.fill_null(values.dictionary_encode().indices.cast(pa.int64()), -1).to_numpy(), 1
    return np.full(len(values), -1), 1


def _alike(facts: _Facts, stream: Stream) -> Integers:
    """Pick for each drawn row another one that has the same value; -1 where none has."""
    own = facts.values[facts.drawn]
    return _picked(facts, own, own + 1, stream.child("other"))


def _near(facts: _Facts, stream: Stream) -> Integers:
    """Pick for each drawn row another one whose value is near: of a figure by 2 up to half of it.

    Where there are both smaller and larger ones, chance says which.
    """
    own = facts.values[facts.drawn]
    most = _MOST_APART.get(facts.kind)
    low, high, by = (own // 2, own * 2, 2) if most is None else (own - most, own + most, 1)
    before = _picked(facts, low, own - by + 1, stream.child("other"))
    after = _picked(facts, own + by, high + 1, stream.child("other"))
    later = stream.child("later").uniform(np.arange(len(before))) < 0.5
    return np.where((before < 0) | (later & (after >= 0)), after, before)


def _picked(facts: _Facts, low: Integers, high: Integers, stream: Stream) -> Integers:
    """Pick for each drawn row another one whose value is from `low` up to `high` (not included); -1 for none.

    The other is known when the row's own fact is, or long ago.
    """
    rows, others = np.flatnonzero(facts.drawn), np.flatnonzero(facts.candidates)
    others = others[np.argsort(facts.values[others], kind="stable")]
    first, last = (np.searchsorted(facts.values[others], bound) for bound in (low, high))
    found = np.full(len(facts.values), -1)
    for number in range(_DRAWS if len(others) else 0):
        drawn = stream.child(str(number)).uniform(rows)
        place = first + (drawn * np.maximum(last - first, 0)).astype(np.int64)
        picks = others[np.minimum(place, len(others) - 1)]
        fits = (found[rows] < 0) & (last > first) & (facts.since[picks] <= facts.since[rows])
        found[rows[fits]] = picks[fits]
    return found
