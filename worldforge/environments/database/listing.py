"""List records by SQL: conditions, a total order, and keyset cursors.

A cursor holds the place of the last record that was shown, its cell in the order and its row number, and not a count.
So a walk over cursors shows each record once that is there all the while and whose cell in the order does not change,
whatever else is created, changed or deleted in between: a record deleted before its turn is not shown, one created
behind the place is, one created before it is not.
"""

from __future__ import annotations

import base64
import json
from dataclasses import asdict
from typing import Any

from worldforge.core.files import value_digest
from worldforge.environments.database.catalog import (
    CatalogColumn,
    RefusedError,
    Table,
    read_cell,
    write_cell,
    write_record,
)
from worldforge.environments.database.requests import MOST_RECORDS, Filter, ListRequest
from worldforge.environments.database.table_state import TableState
from worldforge.environments.database.views import RecordsView
from worldforge.world.database import quote

_MOST_FILTERS = 20
_MOST_CURSOR = 100_000  # characters
_ORDERED = {"<", "<=", ">", ">="}
_Clause = tuple[str, list[Any]]
"""A condition in SQL, and the values of its parameters."""


def list_records(state: TableState, table: Table, request: ListRequest) -> RecordsView:
    """List records. Raises RefusedError."""
    if not 1 <= request.limit <= MOST_RECORDS:
        raise RefusedError("limit_too_large", f"`limit` is from 1 to {MOST_RECORDS}, not {str(request.limit)[:20]}.")
    if len(request.filters) > _MOST_FILTERS:
        raise RefusedError("bad_filter", f"A list takes at most {_MOST_FILTERS} filters.")
    tests = [_test(table.column(one.column), one) for one in request.filters]
    where, values = " AND ".join(sql for sql, _ in tests) or "true", [value for _, own in tests for value in own]
    order = table.column(request.order_by) if request.order_by else None
    if order is not None and order.kind == "texts":
        raise RefusedError("bad_order", f"`{order.name}` holds several texts: nothing is ordered by it.")
    identity = _identity(request)
    after, place = _after(request, identity, order) if request.cursor else ("true", [])
    direction = "DESC" if request.descending else "ASC"
    by = f"{quote(order.name)} {direction} NULLS LAST, _row" if order is not None else "_row"
    query = f"FROM {quote(table.name)} WHERE {where}"
    found = state.rows(f"SELECT _row {query} AND {after} ORDER BY {by} LIMIT {request.limit + 1}", [*values, *place])
    rows, more = [row for (row,) in found[: request.limit]], len(found) > request.limit
    shown = state.read(table, rows)
    last = write_cell(shown[-1][order.name]) if more and order is not None else None
    return RecordsView(
        verb="list",
        table=table.name,
        records=tuple(map(write_record, shown)),
        next_cursor=_cursor([identity, last, rows[-1]]) if more else "",
        n_total=state.rows(f"SELECT count(*) {query}", values)[0][0] if more or request.cursor else len(shown),
    )


def _test(column: CatalogColumn, wanted: Filter) -> _Clause:
    """Write one condition. A missing cell meets `= null`, and no condition with a value."""
    name = quote(column.name)
    if wanted.value is None:
        if wanted.comparison not in ("=", "!="):
            raise RefusedError(
                "bad_filter", f"null is compared with `=` and `!=` alone, not with `{wanted.comparison}`."
            )
        return f"{name} IS {'NOT ' if wanted.comparison == '!=' else ''}NULL", []
    if wanted.comparison == "contains":
        if column.kind not in ("text", "texts"):
            raise RefusedError("bad_filter", f"`contains` is for texts: `{column.name}` holds {column.kind}.")
        text = read_cell(CatalogColumn(column.name, "text"), wanted.value, "bad_filter")
        held = name if column.kind == "text" else f"array_to_string({name}, chr(10))"
        return f"contains(lower({held}), lower(?))", [text]
    if wanted.comparison in _ORDERED and column.kind in ("texts", "boolean"):
        raise RefusedError("bad_filter", f"`{column.name}` holds {column.kind}: it has no order.")
    return f"{name} {wanted.comparison} ?", [read_cell(column, wanted.value, "bad_filter")]


def _after(request: ListRequest, identity: str, order: CatalogColumn | None) -> _Clause:
    """Write the condition that a record comes after the one at the cursor; missing cells come last."""
    cell, row = _place(request.cursor, identity)
    if order is None:
        return "_row > ?", [row]
    cell, name = read_cell(order, cell, "bad_cursor"), quote(order.name)
    if cell is None:
        return f"({name} IS NULL AND _row > ?)", [row]
    beyond = "<" if request.descending else ">"
    return f"({name} {beyond} ? OR ({name} = ? AND _row > ?) OR {name} IS NULL)", [cell, cell, row]


def _identity(request: ListRequest) -> str:
    """Return a digest of the list that a cursor belongs to, without its limit and start."""
    filters = [asdict(one) for one in request.filters]
    try:
        return value_digest([request.table, filters, request.order_by, request.descending])[:16]
    except (ValueError, UnicodeEncodeError) as error:  # no number, half of a surrogate pair
        raise RefusedError("bad_filter", "A filter's value cannot be read.") from error


def _cursor(place: list[Any]) -> str:
    text = json.dumps(place, ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _place(cursor: str, identity: str) -> tuple[Any, int]:
    """Read a cursor: the last record's cell in the order, and its row number."""
    try:
        text = base64.b64decode(cursor[:_MOST_CURSOR] + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        whose, cell, row = json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise RefusedError("bad_cursor", "The cursor cannot be read: give `next_cursor` of the list before.") from error
    if whose != identity or not isinstance(row, int) or isinstance(row, bool) or not 0 <= row < 2**63:
        raise RefusedError("bad_cursor", "The cursor is of another list: filters and order must stay as they were.")
    return cell, row
