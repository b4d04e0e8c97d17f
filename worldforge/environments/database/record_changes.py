"""Apply a call's changes, each item checked against the tables after those before it; then update computed columns.

A new town counts among its region's towns: the spec's own expressions are evaluated again, over the tables as the
session has them, for those columns alone that read something the session changed, in the order in which columns need
one another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from worldforge.environments.arguments import echo
from worldforge.environments.database.catalog import Catalog, RefusedError, Table, read_cell
from worldforge.environments.database.table_state import TableState
from worldforge.schema.column_dependencies import column_order
from worldforge.schema.column_paths import derived_columns
from worldforge.schema.expression_sql import SQL_TYPES, derived_sql
from worldforge.schema.expressions import Expression, columns_read, compile_derived, decimals_of
from worldforge.schema.spec import WorldSpec
from worldforge.world.database import quote
from worldforge.world.stable_ids import entity_id
from worldforge.world.value_text import as_held, kind_of


@dataclass
class Touched:
    """What changed: columns, and the rows of each table."""

    columns: set[tuple[str, str]] = field(default_factory=set)
    rows: dict[str, set[int]] = field(default_factory=dict)

    def add(self, table: str, columns: set[str], row: int) -> None:
        """Note that these columns of a row changed."""
        self.columns.update((table, column) for column in columns)
        self.rows.setdefault(table, set()).add(row)


class RecordChanges:
    """Changes to one table. Each method does one item, wholly or, raising RefusedError, not at all."""

    def __init__(self, catalog: Catalog, state: TableState, table: Table) -> None:
        self._catalog, self._state, self.table = catalog, state, table
        self.touched = Touched()

    def create(self, record: Mapping[str, Any]) -> int:
        """Create a record under the table's next id; what is not given is missing. Return its row number."""
        table, row = self.table, self._state.n_rows(self.table)
        given = read_record(table, record)
        missing = [name for name, column in table.columns.items() if column.required and given.get(name) is None]
        if missing:
            raise RefusedError("bad_value", f"`{missing[0]}` is missing: every {table.name} has one.")
        texts: dict[str, Any] = {name: [] for name, column in table.columns.items() if column.kind == "texts"}
        self._put(row, {**texts, **given, "id": entity_id(table.name, row)}, set(table.columns))
        return row

    def update(self, id_: str, changes: Mapping[str, Any]) -> int:
        """Change some columns of a record, checked by `read_record`. Return its row number."""
        row = self.find(id_)
        (held,) = self._state.read(self.table, [row])
        self._put(row, {**held, **changes}, set(changes))
        return row

    def delete(self, id_: str) -> int:
        """Delete a record that no other refers to. Return its row number."""
        row = self.find(id_)
        self._check_unreferenced(id_)
        self._state.delete(self.table, row)
        self.touched.add(self.table.name, set(self.table.columns) - {"id"}, row)
        return row

    def find(self, id_: str) -> int:
        """Return the row number of a record. Raises RefusedError where there is none of that id."""
        row = self.table.row(id_)
        if row is None or not self._state.holds(self.table, row):
            raise RefusedError("not_found", f"{self.table.name} has no record {echo(id_)}.")
        return row

    def _put(self, row: int, cells: Mapping[str, Any], changed: set[str]) -> None:
        for name in changed:
            self._check_reference(name, cells.get(name))
        if changed & set(self.table.unique):
            self._check_unique(row, cells)
        self._state.put(self.table, [row], pa.Table.from_pylist([dict(cells)], self.table.cells.schema))
        self.touched.add(self.table.name, changed, row)

    def _check_reference(self, name: str, id_: str | None) -> None:
        target = self.table.columns[name].references
        if target is None or id_ is None:
            return
        referred = self._catalog.tables[target]
        if not self._state.holds(referred, referred.row(id_)):
            raise RefusedError("bad_reference", f"`{name}` refers to {target}, which has no record {echo(id_)}.")

    def _check_unique(self, row: int, cells: Mapping[str, Any]) -> None:
        unique = self.table.unique
        tests = " AND ".join(f"{quote(name)} = ?" for name in unique)
        query = f"SELECT id FROM {quote(self.table.name)} WHERE {tests} AND _row != ? ORDER BY _row LIMIT 1"
        found = self._state.rows(query, [*(cells[name] for name in unique), row])
        if found:
            raise RefusedError(
                "already_exists", f"{found[0][0]} has the same {' and '.join(f'`{name}`' for name in unique)}."
            )

    def _check_unreferenced(self, id_: str) -> None:
        counts = {}
        for table, column in self._catalog.referrers[self.table.name]:
            query = f"SELECT count(*) FROM {quote(table)} WHERE {quote(column)} = ? AND id != ?"
            n_referring = self._state.rows(query, [id_, id_])[0][0]
            if n_referring:
                counts[f"{table}.{column}"] = n_referring
        if counts:
            n_all, places = sum(counts.values()), ", ".join(f"{n} by {place}" for place, n in counts.items())
            records = "1 record refers" if n_all == 1 else f"{n_all} records refer"
            raise RefusedError("still_referenced", f"{records} to {id_}: {places}. Change or delete them first.")


def read_record(table: Table, given: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a record's JSON values to table values. Raises RefusedError for what cannot be set."""
    cells = {}
    for name, value in given.items():
        column = table.column(name)
        if column.read_only:
            why = "computed from others" if column.computed else "given"
            raise RefusedError("bad_value", f"`{name}` cannot be set: it is {why}.")
        cells[name] = read_cell(column, value)
        if cells[name] is None and column.kind == "texts":
            cells[name] = []
        if column.required and cells[name] in (None, ""):
            raise RefusedError("bad_value", f"`{name}` cannot be empty: every {table.name} has one.")
    return cells


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
    differs = f"{held} IS DISTINCT FROM TRY_CAST({value} AS {SQL_TYPES[kind_of(held_type)]})"
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
