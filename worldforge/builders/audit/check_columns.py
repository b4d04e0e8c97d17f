"""Checks on columns: derived ones hold what the tables give; years and days of the past do not lie in the future."""

from __future__ import annotations

from collections.abc import Mapping

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.audit.finding import Finding
from worldforge.schema.checks.spec_warnings import FAR_YEARS, is_past_event
from worldforge.schema.column_paths import derived_columns, drawn_columns
from worldforge.schema.expression_sql import derived_sql
from worldforge.schema.expressions import compile_derived, decimals_of
from worldforge.schema.spec import Phrasing, WorldSpec
from worldforge.world.database import quote
from worldforge.world.value_text import as_held, kind_of

FUTURE = "future"
_TOLERANCE = 2e-6  # of a computed number: what six decimals can tell


def check_derived(spec: WorldSpec, tables: Mapping[str, pa.Table], connection: duckdb.DuckDBPyConnection) -> Finding:
    """Check that every derived column holds what its expression, aggregate or rank gives over the finished tables."""
    finding = Finding("derived")
    for type_name, entity_type in spec.types.items():
        for name in entity_type.derived:
            held = tables[type_name][name].combine_chunks()
            compiled = compile_derived(spec, type_name, name)
            found = connection.sql(derived_sql(spec, type_name, name, compiled)).to_arrow_table()
            computed = as_held(found[name].combine_chunks(), held.type, decimals_of(compiled))
            finding.n_checked += len(held)
            wrong = pc.indices_nonzero(pc.invert(_alike(held, computed)))
            ids = tables[type_name]["id"]
            shown = (
                f"{ids[row].as_py()}#{name} is {held[row].as_py()}, where {computed[row].as_py()} is computed"
                for row in wrong.to_pylist()
            )
            finding.fail(shown, len(wrong))
    return finding


def _alike(held: pa.Array, computed: pa.Array) -> pa.Array:
    if pa.types.is_floating(held.type):
        near = pc.less_equal(pc.abs(pc.subtract(held, computed)), pc.add(_TOLERANCE, pc.multiply(pc.abs(held), 1e-9)))
    else:
        near = pc.equal(held, computed)
    return pc.or_(pc.fill_null(near, False), pc.and_(held.is_null(), computed.is_null()))


def check_future(spec: WorldSpec, tables: Mapping[str, pa.Table], connection: duckdb.DuckDBPyConnection) -> Finding:
    """Count years and days after `as_of` in columns that tell of the past, and far beyond it in others.

    The note has a line a column. None is a failure: a spec may mean them.
    """
    n_checked, lines = 0, []
    last = int(spec.as_of[:4]) + FAR_YEARS
    for table in (*spec.types, *spec.relations):
        columns: dict[str, Phrasing] = {**drawn_columns(spec, table), **derived_columns(spec, table)}
        for name, phrasing in columns.items():
            kind = kind_of(tables[table].schema.field(name).type)
            if kind not in ("year", "date"):
                continue
            n_checked += tables[table].num_rows
            column = quote(name)
            late, limit = f"{column if kind == 'year' else f'year({column})'} > {last}", f"the year {last}"
            if is_past_event(name, phrasing.label):
                today = spec.as_of[:4] if kind == "year" else f"DATE '{spec.as_of}'"
                late, limit = f"{column} > {today}", f"the world's today, {spec.as_of}"
            query = f"SELECT count(*) FILTER ({late}), max({column}), count(*) FROM {quote(table)}"
            n_late, latest, n = connection.execute(query).fetchall()[0]
            if n_late:
                lines.append(f"{table}.{name}: {n_late} of {n} after {limit}; the latest is {latest}")
    return Finding(FUTURE, n_checked, note="\n".join(lines))
