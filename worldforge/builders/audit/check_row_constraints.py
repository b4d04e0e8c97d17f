"""Checks of what holds between rows, asked of DuckDB and by walking: another way than that by which it was built."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import duckdb
import pyarrow as pa

from worldforge.builders.audit.finding import MOST_SHOWN, CheckCounter
from worldforge.schema.cross_row_constraints import constraint_text
from worldforge.schema.spec import Constraint, Exclusive
from worldforge.world.database import quote
from worldforge.world.stable_ids import rows_of


def check_between_rows(
    tally: CheckCounter, connection: duckdb.DuckDBPyConnection, constraint: Constraint, table: pa.Table
) -> None:
    """Check one constraint between the rows of `table`, which the connection knows by its name."""
    tally.checked(table.num_rows)
    if constraint.acyclic is not None:
        circles = list(_circles(rows_of(table[constraint.acyclic]).tolist()))
        shown = [" -> ".join(_ids(table, [*circle, circle[0]])) for circle in circles[:MOST_SHOWN]]
        tally.failed([f"{way}: `{constraint_text(constraint)}` does not hold" for way in shown], len(circles))
        return
    query = _sharing(constraint) if constraint.unique is not None else _overlapping(constraint)
    broken = connection.execute(query).fetchall()
    shown = [" and ".join(_ids(table, [row for row in rows if row is not None])) for rows in broken[:MOST_SHOWN]]
    tally.failed([f"{rows}: `{constraint_text(constraint)}` does not hold" for rows in shown], len(broken))


def _sharing(constraint: Constraint) -> str:
    """Ask for pairs of rows: the first that holds some values, and another that holds the same."""
    choices = [[one] if isinstance(one, str) else one for one in constraint.unique or ()]
    keys = [f"_{place}" for place in range(len(choices))]
    parts = []
    for columns in itertools.product(*choices):
        listed = ", ".join(f"{quote(column)} AS {key}" for column, key in zip(columns, keys, strict=True))
        filled = " AND ".join(f"{quote(column)} IS NOT NULL" for column in columns)
        parts.append(f"SELECT _row, {listed} FROM {quote(constraint.on)} WHERE {filled}")
    together = ", ".join(keys)
    return f"""
        WITH _held AS ({" UNION ".join(parts)}),
        _firsts AS (SELECT {together}, min(_row) AS first FROM _held GROUP BY {together} HAVING count(*) > 1)
        SELECT DISTINCT first, _row FROM _held JOIN _firsts USING ({together}) WHERE _row > first ORDER BY ALL
    """


def _overlapping(constraint: Constraint) -> str:
    """Ask for rows whose period ends before it begins, or begins before one of their owner's has ended: beside it."""
    period = constraint.exclusive or Exclusive(per="")
    return f"""
        WITH _periods AS (
            SELECT _row, {quote(period.per)} AS _owner, {quote(period.begin)} AS _start, {quote(period.end)} AS _stop
            FROM {quote(constraint.on)} WHERE _owner IS NOT NULL AND _start IS NOT NULL
        ),
        _placed AS (
            SELECT *, max(_stop) OVER before AS reach, arg_max(_row, _stop) OVER before AS reaching,
                max(_row) FILTER (WHERE _stop IS NULL) OVER before AS still_open
            FROM _periods
            WINDOW before AS (
                PARTITION BY _owner ORDER BY _start, _stop NULLS LAST, _row
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            )
        )
        SELECT CASE WHEN still_open IS NOT NULL THEN still_open WHEN _start < reach THEN reaching END, _row FROM _placed
        WHERE _stop < _start OR _start < reach OR still_open IS NOT NULL ORDER BY _row
    """


def _circles(references: Sequence[int]) -> Iterator[list[int]]:
    """Walk from every row to the row it refers to (-1 for none), and give each way that comes back to where it was."""
    walked = [-1] * len(references)  # the row that each was first reached from
    for start in range(len(references)):
        row, way = start, []
        while row >= 0 and walked[row] < 0:
            walked[row] = start
            way.append(row)
            row = references[row]
        if row >= 0 and walked[row] == start:
            yield way[way.index(row) :]


def _ids(table: pa.Table, rows: Sequence[int]) -> list[str]:
    found: list[str] = table["id"].take(pa.array(rows, pa.int64())).to_pylist()
    return found
