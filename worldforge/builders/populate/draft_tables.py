"""The tables of a world while they are made: columns come one by one, expressions are answered over those there are.

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

from worldforge.core.chance import Rows, Stream
from worldforge.core.columns import ARROW_TYPES
from worldforge.core.errors import InputError
from worldforge.schema.column_paths import PREVIOUS, drawn_columns, follow
from worldforge.schema.expression_sql import derived_sql, select_sql
from worldforge.schema.expression_values import connect_to_nothing
from worldforge.schema.expressions import Aggregate, Expression, Ranking, columns_read
from worldforge.schema.spec import WorldSpec
from worldforge.schema.table_columns import ColumnInfo, columns_of
from worldforge.world.stable_ids import entity_ids, rows_of

_PAIRS = "_pairs"  # no table of a spec begins so


@dataclass
class DraftTables:
    """Unfinished tables, by type and relation. Columns are as on disk: references hold ids."""

    spec: WorldSpec
    code_from: Path | None = None
    _columns: dict[str, dict[str, pa.Array]] = field(default_factory=dict)
    _database: duckdb.DuckDBPyConnection = field(default_factory=connect_to_nothing)
    _offered: set[str] = field(default_factory=set)
    _kinds: dict[str, dict[str, ColumnInfo]] = field(default_factory=dict)
    _queries: dict[tuple[str, tuple[tuple[str, Expression], ...]], str] = field(default_factory=dict)

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

    def column(self, table: str, column: str) -> pa.Array | None:
        """Return a column as it stands; None before it is there."""
        return self._columns[table].get(column)

    def put(self, table: str, column: str, values: pa.Array) -> None:
        """Put a column into a table, or in the place of the one of that name."""
        self._columns[table][column] = values
        self._offered.discard(table)

    def table(self, table: str) -> pa.Table:
        """Return a table as it stands: its columns, and their row numbers as `_row`."""
        return pa.table({**self._columns[table], "_row": self.rows(table)})

    def evaluate(self, table: str, outputs: Mapping[str, Expression], rows: Rows | None = None) -> dict[str, pa.Array]:
        """Evaluate expressions, by name, over the rows of a table, or over `rows` (ascending) of it alone.

        Raises InputError where DuckDB cannot: a cast that fails, a number out of range.
        """
        found = {name: self._followed(one, rows) for name, one in outputs.items() if one.is_path}
        found |= self._evaluated(table, {name: one for name, one in outputs.items() if not one.is_path}, rows)
        return {name: found[name] for name in outputs}

    def _followed(self, path: Expression, rows: Rows | None) -> pa.Array:
        """Return what a path leads to, of every row of its table or of `rows` of it."""
        route = follow(self.spec, path.table, path.paths[0])
        reached = self.rows(path.table) if rows is None else rows
        for hop in route.hops:
            reached = rows_of(self._taken(hop.table, hop.column, reached))
        return self._taken(route.table, route.column, reached)

    def _taken(self, table: str, column: str, rows: Rows) -> pa.Array:
        """Return the values of a column in `rows`, null for row -1."""
        return self._columns[table][column].take(pa.array(rows, mask=rows < 0))

    def _evaluated(self, table: str, outputs: Mapping[str, Expression], rows: Rows | None) -> dict[str, pa.Array]:
        if not outputs:
            return {}
        routes = [follow(self.spec, table, path) for one in outputs.values() for path in one.paths]
        n_back = max((sum(hop.target == table for hop in route.hops) for route in routes), default=0)
        looked_at = None if rows is None else self._looked_at(table, rows, n_back)
        for name in sorted({table, *(hop.target for route in routes for hop in route.hops)}):
            self._offer(name, looked_at if name == table else None)
        found = self._ask(self._query(table, outputs), table)
        if rows is not None:
            found = found.take(pa.array(rows if looked_at is None else np.searchsorted(looked_at, rows)))
        return {name: found[name].combine_chunks() for name in outputs}

    def _offer(self, table: str, rows: Rows | None = None) -> None:
        """Let the database read a table as it stands, or `rows` of it alone."""
        if rows is not None:
            self._database.register(table, self.table(table).take(pa.array(rows)))
            self._offered.discard(table)
        elif table not in self._offered:
            self._database.register(table, self.table(table))
            self._offered.add(table)

    def compute(self, type_name: str, column: str, item: Aggregate | Ranking) -> pa.Array:
        """Compute an aggregate or a rank for every entity of a type. Raises InputError as `evaluate` does."""
        for name in sorted({type_name, *(table for table, _ in columns_read(item, self.spec))}):
            self._offer(name)
        found = self._ask(derived_sql(self.spec, type_name, column, item), type_name)
        return found[column].combine_chunks()

    def ask_pairs(self, parts: Sequence[Expression], columns: Mapping[str, pa.Array]) -> npt.NDArray[np.bool_]:
        """Say for which rows of `columns`, named as the paths of `parts`, all of those are true: null is not."""
        self._database.register(_PAIRS, pa.table(dict(columns)))
        holds = " AND ".join(f"({part.tree.sql('duckdb', comments=False)})" for part in parts)
        asked = self._ask(f"SELECT coalesce({holds}, false) AS holds FROM {_PAIRS}", parts[0].table)
        found: npt.NDArray[np.bool_] = asked["holds"].to_numpy()
        return found

    def finished(self, table: str, columns: Iterable[str]) -> pa.Table:
        """Return a finished table: `id`, then `columns` in that order."""
        return pa.table({name: self._columns[table][name] for name in ("id", *columns)})

    def _query(self, table: str, outputs: Mapping[str, Expression]) -> str:
        """Write a query, once: what is drawn again, or position by position, asks the same again and again."""
        key = (table, tuple(outputs.items()))
        if key not in self._queries:
            self._queries[key] = select_sql(self.spec, table, outputs)
        return self._queries[key]

    def _looked_at(self, table: str, rows: Rows, n_back: int) -> Rows | None:
        """Return `rows` and those that so many steps back lead to, ascending; None for the whole table."""
        if len(rows) == len(self.ids(table)) or (n_back and table in self.spec.types):
            return None
        looked_at = rows
        for _ in range(n_back):
            before = rows_of(self._columns[table][PREVIOUS].take(pa.array(looked_at)))
            looked_at = np.union1d(looked_at, before[before >= 0])
        return looked_at

    def _ask(self, query: str, table: str) -> pa.Table:
        try:
            return self._database.sql(query).to_arrow_table()
        except duckdb.Error as error:
            said = str(error).splitlines()[0]
            raise InputError(f"an expression on `{table}` cannot be computed: {said}") from error
