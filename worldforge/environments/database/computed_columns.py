"""Update computed columns when a session changes their inputs: a new town counts among its region's towns.

The spec's own expressions are asked again, over the tables as the session has them, for those columns alone that read
something the session changed, in the order in which columns need one another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from worldforge.core.columns import ValueKind
from worldforge.environments.database.catalog import Catalog, Table
from worldforge.environments.database.table_state import TableState
from worldforge.schema.column_dependencies import column_order
from worldforge.schema.column_paths import derived_columns
from worldforge.schema.expression_sql import derived_sql
from worldforge.schema.expressions import Expression, columns_read, compile_derived, decimals_of
from worldforge.schema.spec import WorldSpec
from worldforge.world.database import quote
from worldforge.world.value_text import as_held, kind_of

_SQL_TYPES: Mapping[ValueKind, str] = {
    "integer": "BIGINT",
    "year": "INTEGER",
    "number": "DOUBLE",
    "text": "VARCHAR",
    "date": "DATE",
    "boolean": "BOOLEAN",
}


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
    """A computed column: the query for `_row` and its value, the columns it reads, whether it reads its own row only.

    `decimals` are those that its numbers keep.
    """

    table: Table
    name: str
    sql: str
    reads: frozenset[tuple[str, str]]
    own_row: bool
    decimals: int


def follow(computed: list[Computed], state: TableState, touched: Touched) -> None:
    """Recompute the columns that read changed columns. Raises duckdb.Error and pa.ArrowException."""
    for column in computed:
        if column.reads & touched.columns or (column.table.name, "id") in touched.columns:
            _compute(column, state, touched)


def computed_columns(spec: WorldSpec, catalog: Catalog) -> Iterator[Computed]:
    """Compile every computed column of a world, each after those it reads."""
    for table, name in column_order(spec):
        if name not in derived_columns(spec, table):
            continue
        compiled = compile_derived(spec, table, name)
        own_row = isinstance(compiled, Expression) and all(len(path) == 1 for path in compiled.paths)
        query = derived_sql(spec, table, name, compiled)
        yield Computed(
            catalog.tables[table], name, query, frozenset(columns_read(compiled, spec)), own_row, decimals_of(compiled)
        )


def _compute(column: Computed, state: TableState, touched: Touched) -> None:
    """Recompute a column, and store the rows whose value changed."""
    rows = sorted(touched.rows.get(column.table.name, ())) if column.own_row else None
    chosen = " AND _row IN (SELECT unnest(?::BIGINT[]))" if rows is not None else ""
    found = state.rows(f"{_comparison(column)}{chosen}", [rows] if rows is not None else [])
    if not found:
        return
    numbers, held, values = zip(*found, strict=True)
    held_type = column.table.cells.schema.field(column.name).type
    computed = as_held(pa.array(values), held_type, column.decimals).to_pylist()
    moved = {row: new for row, old, new in zip(numbers, held, computed, strict=True) if old != new}
    if moved:
        _put(column, state, moved)
        for row in moved:
            touched.add(column.table.name, {column.name}, row)


def _comparison(column: Computed) -> str:
    """Write the query for rows whose value may change: row, old value, new value.

    A number is held with six decimals: what is nearer than half of the last is the same.
    """
    name, held_type = quote(column.name), column.table.cells.schema.field(column.name).type
    held, value = f"before.{name}", f"after.{name}"
    differs = f"{held} IS DISTINCT FROM TRY_CAST({value} AS {_SQL_TYPES[kind_of(held_type)]})"
    if pa.types.is_floating(held_type):
        differs = f"({held} IS NULL) != ({value} IS NULL) OR abs({held} - {value}) > 4e-7"
    return (
        f"SELECT _row, {held}, {value} FROM {quote(column.table.name)} AS before"
        f" JOIN ({column.sql}) AS after USING (_row) WHERE ({differs})"
    )


def _put(column: Computed, state: TableState, moved: Mapping[int, Any]) -> None:
    rows = list(moved)
    records = [
        cells | {column.name: moved[row]} for row, cells in zip(rows, state.read(column.table, rows), strict=True)
    ]
    state.put(column.table, rows, pa.Table.from_pylist(records, column.table.cells.schema))
