"""Computed columns follow what they are computed from: a town that is founded counts among its region's towns.

The spec's own expressions are asked again, over the tables as the session has them, for those columns alone that read
something the session changed, in the order in which columns need one another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from worldforge.environments.database.catalog import Catalog, Table
from worldforge.environments.database.state import State
from worldforge.schema.dependencies import column_order
from worldforge.schema.expressions import Aggregate, columns_read, compile_derived
from worldforge.schema.paths import derived_columns
from worldforge.schema.select import aggregate_sql, select_sql
from worldforge.schema.spec import WorldSpec
from worldforge.world.database import quote
from worldforge.world.values import as_held


@dataclass
class Touched:
    """What changed: columns, and the rows of each table."""

    columns: set[tuple[str, str]] = field(default_factory=set)
    rows: dict[str, set[int]] = field(default_factory=dict)

    def add(self, table: str, columns: set[str], row: int) -> None:
        """Note that these columns of a row changed."""
        self.columns.update((table, column) for column in columns)
        self.rows.setdefault(table, set()).add(row)


@dataclass(frozen=True, slots=True)
class Computed:
    """A computed column: the query for `_row` and its value, what it reads, whether a row's value is its own affair."""

    table: Table
    name: str
    sql: str
    reads: frozenset[tuple[str, str]]
    own_row: bool


def computed_columns(spec: WorldSpec, catalog: Catalog) -> list[Computed]:
    """Compile every computed column of a world, each after those it reads."""
    return list(_computed(spec, catalog))


def follow(computed: list[Computed], state: State, touched: Touched) -> None:
    """Compute again what reads what was touched. Raises duckdb.Error and pa.ArrowException where that cannot be."""
    for column in computed:
        if column.reads & touched.columns or (column.table.name, "id") in touched.columns:
            _compute(column, state, touched)


def _computed(spec: WorldSpec, catalog: Catalog) -> Iterator[Computed]:
    for table, name in column_order(spec):
        if name not in derived_columns(spec, table):
            continue
        compiled = compile_derived(spec, table, name)
        if isinstance(compiled, Aggregate):
            query, own_row = aggregate_sql(spec, table, {name: compiled}), False
        else:
            query, own_row = select_sql(spec, table, {name: compiled}), all(len(path) == 1 for path in compiled.paths)
        yield Computed(catalog.tables[table], name, query, frozenset(columns_read(compiled, spec)), own_row)


def _compute(column: Computed, state: State, touched: Touched) -> None:
    """Compute a column again, and put the rows in which it comes out otherwise."""
    table, name = column.table, quote(column.name)
    rows = sorted(touched.rows.get(table.name, ())) if column.own_row else None
    chosen = " WHERE _row IN (SELECT unnest(?::BIGINT[]))" if rows is not None else ""
    found = state.arrow(
        f"SELECT _row, before.{name} AS held, after.{name} AS value FROM {quote(table.name)} AS before"
        f" JOIN ({column.sql}) AS after USING (_row){chosen}",
        [rows] if rows is not None else [],
    )
    held, values = found["held"].combine_chunks(), found["value"].combine_chunks()
    values = as_held(values, held.type)
    differs = pc.or_kleene(pc.not_equal(held, values), pc.xor(held.is_null(), values.is_null()))
    moved = found.select(["_row"]).append_column("value", values).filter(differs.fill_null(False))
    if moved.num_rows:
        _put(column, state, moved)
        for row in moved["_row"].to_pylist():
            touched.add(table.name, {column.name}, row)


def _put(column: Computed, state: State, moved: pa.Table) -> None:
    rows = moved["_row"].to_pylist()
    query = f"SELECT {column.table.selected}, _row FROM {quote(column.table.name)}"
    whole = state.arrow(f"{query} WHERE _row IN (SELECT unnest(?::BIGINT[])) ORDER BY _row", [rows])
    ordered = moved.sort_by("_row")
    place = whole.column_names.index(column.name)
    changed = whole.set_column(place, column.name, ordered["value"])
    state.put(column.table, ordered["_row"].to_pylist(), changed.drop_columns(["_row"]))
