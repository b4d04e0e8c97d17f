"""Years and days after the world's `as_of`, in columns that tell of the past by their label, or far beyond it."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.audit.finding import Finding
from worldforge.schema.checks.spec_warnings import FAR_YEARS, is_past_event
from worldforge.schema.column_paths import derived_columns, drawn_columns
from worldforge.schema.spec import Phrasing, WorldSpec
from worldforge.world.value_text import kind_of

CHECK = "future"


def check_future(spec: WorldSpec, tables: Mapping[str, pa.Table]) -> Finding:
    """Count the values of each such column: the note has a line a column. None is a failure, a spec may mean them."""
    n_checked, lines = 0, []
    for table in (*spec.types, *spec.relations):
        columns: dict[str, Phrasing] = {**drawn_columns(spec, table), **derived_columns(spec, table)}
        for name, phrasing in columns.items():
            values = tables[table][name].combine_chunks()
            if kind_of(values.type) not in ("year", "date"):
                continue
            n_checked += len(values)
            years = pc.year(values) if pa.types.is_date(values.type) else values
            last = int(spec.as_of[:4]) + FAR_YEARS
            late, said = pc.greater(years, last), f"the year {last}"
            if is_past_event(name, phrasing.label):
                late, said = _after(values, spec.as_of), f"the world's today, {spec.as_of}"
            n_late = pc.sum(late).as_py() or 0
            if n_late:
                latest = pc.max(values).as_py()
                lines.append(f"{table}.{name}: {n_late} of {len(values)} after {said}; the latest is {latest}")
    return Finding(CHECK, n_checked, 0, (), note="\n".join(lines))


def _after(values: pa.Array, as_of: str) -> pa.Array:
    """Say which years or days come after today."""
    if pa.types.is_date(values.type):
        return pc.greater(values, pa.scalar(as_of).cast(values.type))
    return pc.greater(values, int(as_of[:4]))
