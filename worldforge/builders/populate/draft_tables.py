"""Hold the unfinished tables of a world, and evaluate expressions over the columns that exist so far.

draft.put("town", "chartered", values)
draft.evaluate("club", {"low": compile_expression("town.chartered + 10", "club", spec)})   {"low": a value a row}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import ARROW_TYPES
from worldforge.core.errors import InputError
from worldforge.schema.column_paths import drawn_columns, follow
from worldforge.schema.expression_sql import connect_to_nothing, derived_sql, select_sql
from worldforge.schema.expressions import Aggregate, Expression, Ranking, columns_read, compile_expression
from worldforge.schema.spec import WorldSpec
from worldforge.schema.table_columns import ColumnInfo, columns_of
from worldforge.world.stable_ids import entity_ids

Flags = npt.NDArray[np.bool_]
_PAIRS, _CHOSEN = "_pairs", "_chosen"  # no table of a spec begins so


@dataclass
class DraftTables:
    """Unfinished tables, by type and relation. Columns are as on disk: references hold ids."""

    spec: WorldSpec
    code_from: Path | None = None
    _columns: dict[str, dict[str, pa.Array]] = field(default_factory=dict)
    _database: duckdb.DuckDBPyConnection = field(default_factory=connect_to_nothing)
    _kinds: dict[str, dict[str, ColumnInfo]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.spec.types:
            self.open(name, self.spec.n_entities(name))

    def open(self, table: str, n_rows: int) -> None:
        """Begin a table of `n_rows` rows: nothing but ids."""
        self._columns[table] = {"id": entity_ids(table, np.arange(n_rows, dtype=np.int64))}

    def rows(self, table: str) -> Rows:
        """Return the row numbers of a table."""
        return np.arange(len(self._columns[table]["id"]), dtype=np.int64)

    def ids(self, table: str) -> pa.Array:
        """Return the ids of a table."""
        return self._columns[table]["id"]

    def stream(self, table: str, column: str) -> Stream:
        """Return the stream of chance that a column is drawn from; names have one for each `naming`."""
        stream = Stream(self.spec.seed).child(table, column)
        return stream.child("naming", self.spec.naming) if self.spec.naming and self._names(table, column) else stream

    def _names(self, table: str, column: str) -> bool:
        drawn = drawn_columns(self.spec, table).get(column)
        return column == "name" if drawn is None else (drawn.generator or "").startswith("names.")

    def kind(self, table: str, column: str) -> pa.DataType:
        """Return the Arrow type of a column."""
        if table not in self._kinds:
            self._kinds[table] = columns_of(self.spec, table, self.code_from)
        return ARROW_TYPES[self._kinds[table][column].kind]

    def has(self, table: str, column: str) -> bool:
        """Say whether a column is there already."""
        return column in self._columns[table]

    def column(self, table: str, column: str) -> pa.Array:
        """Return a column as it stands."""
        return self._columns[table][column]

    def put(self, table: str, column: str, values: pa.Array) -> None:
        """Put a column into a table, or in the place of the one of that name."""
        self._columns[table][column] = values

    def table(self, table: str) -> pa.Table:
        """Return a table as it stands: its columns, and their row numbers as `_row`."""
        return pa.table({**self._columns[table], "_row": self.rows(table)})

    def evaluate(self, table: str, outputs: Mapping[str, Expression], rows: Rows | None = None) -> dict[str, pa.Array]:
        """Evaluate expressions, by name, over the rows of a table, or over `rows` (ascending) of it alone.

        Raises InputError where DuckDB cannot: a cast that fails, a number out of range.
        """
        if not outputs:
            return {}
        paths = [path for one in outputs.values() for path in one.paths]
        self._register({table, *(one for path in paths for one, _ in follow(self.spec, table, path).columns)})
        if rows is not None:
            chosen = self.table(table).select([*dict.fromkeys(path[0] for path in paths), "_row"]).take(pa.array(rows))
            self._database.register(_CHOSEN, chosen)
        query = select_sql(self.spec, table, outputs, rows_in="" if rows is None else _CHOSEN)
        found = self._query(query, table)
        return {name: found[name].combine_chunks() for name in outputs}

    def _register(self, tables: Iterable[str]) -> None:
        """Let the database read tables as they stand."""
        for table in sorted(tables):
            self._database.register(table, self.table(table))

    def compute(self, type_name: str, column: str, item: Aggregate | Ranking) -> pa.Array:
        """Compute an aggregate or a rank for every entity of a type. Raises InputError as `evaluate` does."""
        self._register({type_name, *(table for table, _ in columns_read(item, self.spec))})
        found = self._query(derived_sql(self.spec, type_name, column, item), type_name)
        return found[column].combine_chunks()

    def evaluate_pairs(self, parts: Sequence[Expression], columns: Mapping[str, pa.Array]) -> Flags:
        """Say for which rows of `columns`, named as the paths of `parts`, all of those are true: null is not."""
        self._database.register(_PAIRS, pa.table(dict(columns)))
        holds = " AND ".join(f"({part.tree.sql('duckdb', comments=False)})" for part in parts)
        result = self._query(f"SELECT coalesce({holds}, false) AS holds FROM {_PAIRS}", parts[0].table)
        found: Flags = result["holds"].to_numpy()
        return found

    def finished(self, table: str, columns: Iterable[str]) -> pa.Table:
        """Return a finished table: `id`, then `columns` in that order."""
        return pa.table({name: self._columns[table][name] for name in ("id", *columns)})

    def _query(self, query: str, table: str) -> pa.Table:
        try:
            return self._database.sql(query).to_arrow_table()
        except duckdb.Error as error:
            reason = str(error).splitlines()[0]
            raise InputError(f"an expression on `{table}` cannot be computed: {reason}") from error


def flags_of(values: pa.Array, null: bool = False) -> Flags:
    """Return a column of booleans as an array, with `null` for nulls."""
    flags: Flags = pc.fill_null(values.cast("bool"), null).to_numpy(zero_copy_only=False)
    return flags


_SHOWN = 5


def describe_rows(
    draft: DraftTables, table: str, rows: Rows, paths: Sequence[tuple[str, ...]], notes: Sequence[str] = ()
) -> str:
    """Describe the first of `rows`, a line each: `  club/0031: founded = 1903, town.chartered = 1911`.

    `notes` stand at the ends of the lines, one a row.
    """
    first = rows[:_SHOWN]
    names = list(dict.fromkeys(".".join(path) for path in paths))
    values = draft.evaluate(table, {name: compile_expression(name, table, draft.spec) for name in names}, first)
    lines = []
    for place, row in enumerate(draft.ids(table).take(pa.array(first)).to_pylist()):
        held = ", ".join(f"{name} = {_written(values[name][place])}" for name in names)
        note = notes[place] if notes else ""
        lines.append(f"  {row}: {held}{note}" if held else f"  {row}{note}")
    return "\n".join([*lines, "  …"] if len(rows) > _SHOWN else lines)


def _written(value: pa.Scalar) -> str:
    return "missing" if not value.is_valid else str(value.as_py())
