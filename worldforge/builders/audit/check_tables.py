"""Checks on the tables of entities and relations: keys, references, names, constraints."""

from __future__ import annotations

from collections.abc import Mapping

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worldforge.builders.audit.check_aliases import check_called
from worldforge.builders.audit.check_row_constraints import check_between_rows
from worldforge.builders.audit.finding import MOST_SHOWN, CheckCounter, Finding
from worldforge.schema.column_paths import references_of
from worldforge.schema.expression_sql import select_sql
from worldforge.schema.expressions import compile_expression
from worldforge.schema.reference_conditions import conditions_of
from worldforge.schema.spec import WorldSpec
from worldforge.world.stable_ids import entity_ids

Tables = Mapping[str, pa.Table]


def check_keys(spec: WorldSpec, tables: Tables) -> Finding:
    """Ids count from 0, names and aliases tell entities apart, references and relation rows lead somewhere."""
    tally = CheckCounter("keys")
    for name, table in tables.items():
        tally.checked(table.num_rows)
        _check_ids(tally, name, table)
        if name in spec.types:
            check_called(tally, name, spec.types[name].name, table)
    for name, column, target in _references(spec):
        _check_reference(tally, name, tables[name], column, tables[target]["id"])
    return tally.finding()


def check_constraints(spec: WorldSpec, tables: Tables, connection: duckdb.DuckDBPyConnection) -> Finding:
    """Every constraint holds in every row, and between rows; an expression that comes out null counts as held."""
    tally = CheckCounter("constraints")
    for constraint in spec.constraints:
        if constraint.sql is None:
            check_between_rows(tally, connection, constraint, tables[constraint.on])
            continue
        _check_rows(spec, tally, tables, connection, constraint.on, constraint.sql)
    for table, column, where in conditions_of(spec):
        _check_rows(spec, tally, tables, connection, table, where, referring=column)
    return tally.finding()


def _check_rows(
    spec: WorldSpec,
    tally: CheckCounter,
    tables: Tables,
    connection: duckdb.DuckDBPyConnection,
    table: str,
    sql: str,
    referring: str = "",
) -> None:
    """Check that no row makes an expression false; with `referring`, that it is true where that column refers."""
    outputs = {"holds": compile_expression(sql, table, spec)}
    broken = "NOT holds"
    if referring:
        outputs["refers"], broken = (
            compile_expression(f'"{referring}"', table, spec),
            "holds IS NOT true AND refers IS NOT NULL",
        )
    query = f"SELECT _row FROM ({select_sql(spec, table, outputs)}) WHERE {broken} ORDER BY _row"
    rows = connection.execute(query).fetchall()
    tally.checked(tables[table].num_rows)
    ids = [tables[table]["id"][row].as_py() for (row,) in rows[:MOST_SHOWN]]
    tally.failed([f"{entity}: `{sql}` does not hold" for entity in ids], len(rows))


def _check_ids(tally: CheckCounter, name: str, table: pa.Table) -> None:
    expected = entity_ids(name, np.arange(table.num_rows, dtype=np.int64))
    wrong = pc.indices_nonzero(pc.fill_null(pc.not_equal(table["id"].combine_chunks(), expected), True))
    shown = wrong.slice(0, MOST_SHOWN).to_pylist()
    tally.failed([f"{name}: row {row} has the id {table['id'][row].as_py()}" for row in shown], len(wrong))


def _check_reference(tally: CheckCounter, name: str, table: pa.Table, column: str, ids: pa.ChunkedArray) -> None:
    values = table[column].combine_chunks()
    dangling = pc.indices_nonzero(
        pc.and_(pc.is_valid(values), pc.invert(pc.is_in(values, value_set=ids.combine_chunks())))
    )
    rows = dangling.slice(0, MOST_SHOWN).to_pylist()
    failures = [
        f"{table['id'][row].as_py()}#{column} refers to {values[row].as_py()}, which is not there" for row in rows
    ]
    tally.failed(failures, len(dangling))


def _references(spec: WorldSpec) -> list[tuple[str, str, str]]:
    """List every column that refers to a table: table, column, the table it refers to."""
    return [
        (name, column, target)
        for name in (*spec.types, *spec.relations)
        for column, target in references_of(spec, name).items()
    ]
