"""List records by SQL: conditions, a total order, and keyset cursors.

A cursor holds the place of the last record that was shown, its cell in the order and its row number, and not a count.
So a walk over cursors shows each record once that is there all the while and whose cell in the order does not change,
whatever else is created, changed or deleted in between: a record deleted before its turn is not shown, one created
behind the place is, one created before it is not.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from worldforge.core.files import value_digest
from worldforge.environments.database.catalog import CatalogColumn, RefusedError, Table
from worldforge.environments.database.cells import read_cell, write_cell
from worldforge.environments.database.requests import MOST_RECORDS, Filter, ListRequest
from worldforge.world.database import quote

_MOST_FILTERS = 20
_MOST_CURSOR = 100_000  # characters
_ORDERED = {"<", "<=", ">", ">="}


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of SQL and the values of its parameters."""

    sql: str
    values: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """A checked list request: conditions, order, start, limit."""

    table: Table
    where: Clause
    order_by: str
    descending: bool
    after: Clause
    limit: int
    identity: str

    def query(self) -> Clause:
        """Write the query for the row numbers of the records to show and of one more."""
        direction = "DESC" if self.descending else "ASC"
        order = f"{quote(self.order_by)} {direction} NULLS LAST, _row" if self.order_by else "_row"
        where = f"{self.where.sql} AND {self.after.sql}"
        sql = f"SELECT _row FROM {quote(self.table.name)} WHERE {where} ORDER BY {order}"
        return Clause(f"{sql} LIMIT {self.limit + 1}", (*self.where.values, *self.after.values))

    def count(self) -> Clause:
        """Write the query for how many records meet the conditions, wherever the list begins."""
        return Clause(f"SELECT count(*) FROM {quote(self.table.name)} WHERE {self.where.sql}", self.where.values)

    def cursor(self, row: int, cells: Mapping[str, Any]) -> str:
        """Return the cursor that goes on after a record: its row number, and its cells by column."""
        state = [self.identity, write_cell(cells[self.order_by]) if self.order_by else None, row]
        text = json.dumps(state, ensure_ascii=False, separators=(",", ":"))
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_listing(table: Table, request: ListRequest) -> Listing:
    """Check a request for a list. Raises RefusedError."""
    if not 1 <= request.limit <= MOST_RECORDS:
        raise RefusedError("limit_too_large", f"`limit` is from 1 to {MOST_RECORDS}, not {str(request.limit)[:20]}.")
    if len(request.filters) > _MOST_FILTERS:
        raise RefusedError("bad_filter", f"A list takes at most {_MOST_FILTERS} filters.")
    tests = [_test(table.column(one.column), one) for one in request.filters]
    order = table.column(request.order_by) if request.order_by else None
    if order is not None and order.kind == "texts":
        raise RefusedError("bad_order", f"`{order.name}` holds several texts: nothing is ordered by it.")
    where = Clause(
        " AND ".join(test.sql for test in tests) or "true", tuple(value for test in tests for value in test.values)
    )
    identity = _identity(request)
    after = _after(order, request.descending, _place(request.cursor, identity, order)) if request.cursor else None
    return Listing(
        table=table,
        where=where,
        order_by=request.order_by,
        descending=request.descending,
        after=after or Clause("true"),
        limit=request.limit,
        identity=identity,
    )


def _test(column: CatalogColumn, asked: Filter) -> Clause:
    """Write one condition. A missing cell meets `= null`, and no condition with a value."""
    name = quote(column.name)
    if asked.value is None:
        if asked.comparison not in ("=", "!="):
            raise RefusedError(
                "bad_filter", f"null is compared with `=` and `!=` alone, not with `{asked.comparison}`."
            )
        return Clause(f"{name} IS {'NOT ' if asked.comparison == '!=' else ''}NULL")
    if asked.comparison == "contains":
        if column.kind not in ("text", "texts"):
            raise RefusedError("bad_filter", f"`contains` is for texts: `{column.name}` holds {column.kind}.")
        text = read_cell(CatalogColumn(column.name, "text"), asked.value, "bad_filter")
        held = name if column.kind == "text" else f"array_to_string({name}, chr(10))"
        return Clause(f"contains(lower({held}), lower(?))", (text,))
    if asked.comparison in _ORDERED and column.kind in ("texts", "boolean"):
        raise RefusedError("bad_filter", f"`{column.name}` holds {column.kind}: it has no order.")
    return Clause(f"{name} {asked.comparison} ?", (read_cell(column, asked.value, "bad_filter"),))


def _after(order: CatalogColumn | None, descending: bool, place: tuple[Any, int]) -> Clause:
    """Write the condition that a record comes after the one at `place`; missing cells come last."""
    cell, row = place
    if order is None:
        return Clause("_row > ?", (row,))
    name = quote(order.name)
    if cell is None:
        return Clause(f"({name} IS NULL AND _row > ?)", (row,))
    beyond = "<" if descending else ">"
    return Clause(f"({name} {beyond} ? OR ({name} = ? AND _row > ?) OR {name} IS NULL)", (cell, cell, row))


def _identity(request: ListRequest) -> str:
    """Return a digest of the list that a cursor belongs to, without its limit and start."""
    filters = [asdict(one) for one in request.filters]
    try:
        return value_digest([request.table, filters, request.order_by, request.descending])[:16]
    except (ValueError, UnicodeEncodeError) as error:  # no number, half of a surrogate pair
        raise RefusedError("bad_filter", "A filter's value cannot be read.") from error


def _place(cursor: str, identity: str, order: CatalogColumn | None) -> tuple[Any, int]:
    try:
        text = base64.b64decode(cursor[:_MOST_CURSOR] + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        whose, cell, row = json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise RefusedError("bad_cursor", "The cursor cannot be read: give `next_cursor` of the list before.") from error
    if whose != identity or not isinstance(row, int) or isinstance(row, bool) or not 0 <= row < 2**63:
        raise RefusedError("bad_cursor", "The cursor is of another list: filters and order must stay as they were.")
    return (read_cell(order, cell, "bad_cursor") if order is not None else None), row
