"""A world's tables as pages write them: every column as text, every reference as the name of what it refers to.

Each column has a code, by which the marks in a passage name it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.core.columns import ValueKind
from worldforge.schema.columns import Column, columns_of
from worldforge.schema.spec import WorldSpec
from worldforge.world.ids import rows_of
from worldforge.world.passages import Positions
from worldforge.world.values import as_written


@dataclass(frozen=True, slots=True)
class WrittenColumn:
    """One column: its code, its text a row (null where missing), and for a reference the rows referred to (or -1)."""

    column: Column
    code: int
    text: pa.Array
    targets: Positions | None = None


@dataclass(frozen=True, slots=True)
class WrittenTable:
    """One table of entities or of a relation: its ids, its columns by name, its rows in order of time."""

    ids: pa.Array
    columns: dict[str, WrittenColumn]
    by_time: Positions
    """All rows, by the first column that holds a year or a date; as they are where there is none."""

    @property
    def names(self) -> WrittenColumn:
        """The column of names, which every type has."""
        return self.columns["name"]


def write_tables(
    spec: WorldSpec, tables: Mapping[str, pa.Table], code_from: Path | None = None
) -> dict[str, WrittenTable]:
    """Write out every table of types and relations, by name. `tables` are as populated: references hold ids."""
    names = {name: _whole(tables[name], "name") for name in spec.types}
    written: dict[str, WrittenTable] = {}
    code = 0
    for table_name in (*spec.types, *spec.relations):
        table = tables[table_name]
        columns = {}
        for name, column in columns_of(spec, table_name, code_from).items():
            columns[name] = _write_column(_labelled(spec, table_name, column), code, _whole(table, name), names)
            code += 1
        written[table_name] = WrittenTable(_whole(table, "id"), columns, _by_time(table, columns))
    return written


def n_codes(written: Mapping[str, WrittenTable]) -> int:
    """Return how many columns have a code; codes count from 0."""
    return sum(len(table.columns) for table in written.values())


def _write_column(column: Column, code: int, values: pa.Array, names: Mapping[str, pa.Array]) -> WrittenColumn:
    if column.references is None:
        return WrittenColumn(column, code, _text(values, column.kind))
    targets = rows_of(values)
    return WrittenColumn(column, code, names[column.references].take(_or_null(targets)), targets)


def _text(values: pa.Array, kind: ValueKind) -> pa.Array:
    """Write values, each distinct one once."""
    if kind == "text":
        return values
    encoded = values.dictionary_encode()
    return as_written(encoded.dictionary, kind).take(encoded.indices)


def _by_time(table: pa.Table, columns: Mapping[str, WrittenColumn]) -> Positions:
    times = [name for name, written in columns.items() if written.column.kind in ("year", "date")]
    if not times:
        return np.arange(table.num_rows)
    order = pc.sort_indices(_whole(table, times[0]).cast(pa.int32()))
    return order.to_numpy().astype(np.int64)  # type: ignore[no-any-return]


def _or_null(rows: Positions) -> pa.Array:
    return pa.array(rows, mask=rows < 0)


def _labelled(spec: WorldSpec, table: str, column: Column) -> Column:
    """Call a relation's ends what their types are called."""
    if table in spec.relations and column.name in ("source", "target") and column.references is not None:
        return replace(column, label=label_of(spec, column.references))
    return column


def label_of(spec: WorldSpec, type_name: str) -> str:
    """Return what one entity of a type is called."""
    return spec.types[type_name].label or type_name.replace("_", " ")


def plural_of(spec: WorldSpec, type_name: str) -> str:
    """Return what several entities of a type are called."""
    return spec.types[type_name].plural or f"{label_of(spec, type_name)}s"


def _whole(table: pa.Table, column: str) -> pa.Array:
    return table[column].combine_chunks()
