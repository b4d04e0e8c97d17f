"""Answer requests to a world's tables: records, the result of each item of a batch, or a typed error.

| error | when |
|---|---|
| `unknown_table`, `unknown_column` | there is none of that name |
| `limit_too_large` | more records, or items of a batch, than one call takes |
| `bad_filter`, `bad_order`, `bad_cursor` | a list cannot be made of what is given |
| `not_found` | no record has that id |
| `bad_value` | a column does not take that value, or no value at all |
| `bad_reference` | a record is to refer to one that is not there |
| `already_exists` | another record has the same name, or relates the same two |
| `still_referenced` | a record is to be deleted that others refer to |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import duckdb
import pyarrow as pa

from worldforge.environments.database.catalog import Catalog, RefusedError, Table
from worldforge.environments.database.cells import write_cell
from worldforge.environments.database.computed_columns import Computed, follow
from worldforge.environments.database.listing import Listing, read_listing
from worldforge.environments.database.record_changes import RecordChanges, read_record
from worldforge.environments.database.requests import (
    MOST_RECORDS,
    CreateRequest,
    DeleteRequest,
    GetRequest,
    ListRequest,
    TablesRequest,
    UpdateRequest,
)
from worldforge.environments.database.table_state import TableState
from worldforge.environments.database.views import RecordsView
from worldforge.environments.requests import SessionBackend, ToolRequest
from worldforge.environments.views import ErrorView, Failure, ToolView
from worldforge.world.stable_ids import entity_id

Item = TypeVar("Item")


class DatabaseBackend(SessionBackend):
    """One session's view of a world's tables.

    `computed` gives the computed columns; it is asked when the session first changes something.
    """

    def __init__(self, state: TableState, catalog: Catalog, computed: Callable[[], list[Computed]]) -> None:
        self._state, self._catalog, self._computed = state, catalog, computed

    @property
    def state(self) -> Any:
        """What the session has changed, by table and row; see `TableState.changes`."""
        return self._state.changes()

    def answer(self, request: ToolRequest) -> ToolView:
        """List tables, or list, get, create, update or delete records."""
        try:
            match request:
                case TablesRequest():
                    return self._tables()
                case ListRequest():
                    return self._list(request)
                case GetRequest(table, ids):
                    return self._get(self._catalog.table(table), ids)
                case CreateRequest(table, records):
                    return self._create(self._catalog.table(table), records)
                case UpdateRequest():
                    return self._update(self._catalog.table(request.table), request)
                case DeleteRequest(table, ids):
                    return self._delete(self._catalog.table(table), ids)
        except RefusedError as refusal:
            return refusal.view
        return ErrorView("unknown_tool", "This environment has tables, and no web.")

    def _tables(self) -> RecordsView:
        described = [
            {
                "table": table.name,
                "n_records": self._state.n_records(table),
                "columns": [column.description() for column in table.columns.values()],
            }
            for table in self._catalog.tables.values()
        ]
        return RecordsView("tables", "", tuple(described))

    def _list(self, request: ListRequest) -> RecordsView:
        table = self._catalog.table(request.table)
        listing = read_listing(table, request)
        query = listing.query()
        found = [row for (row,) in self._state.rows(query.sql, query.values)]
        rows, more = found[: listing.limit], len(found) > listing.limit
        shown = self._state.read(table, rows)
        return RecordsView(
            verb="list",
            table=table.name,
            records=tuple(_record(cells) for cells in shown),
            next_cursor=listing.cursor(rows[-1], shown[-1]) if more else "",
            n_total=self._count(listing) if more or request.cursor else len(shown),
        )

    def _count(self, listing: Listing) -> int:
        """Count the records that meet a list's conditions, wherever it begins."""
        if not listing.where.values and listing.where.sql == "true":
            return self._state.n_records(listing.table)
        count = listing.count()
        return int(self._state.rows(count.sql, count.values)[0][0])

    def _get(self, table: Table, ids: Sequence[str]) -> RecordsView:
        _check_size(ids)
        batch = RecordChanges(self._catalog, self._state, table)
        rows, failures = _each(dict.fromkeys(ids), batch.find, lambda _, id_: id_)
        return RecordsView("get", table.name, self._records(table, rows), failures)

    def _create(self, table: Table, records: Sequence[Any]) -> ToolView:
        _check_size(records)
        return self._change(
            "create", table, list(records), RecordChanges.create, lambda number, _: f"records[{number}]"
        )

    def _update(self, table: Table, request: UpdateRequest) -> ToolView:
        _check_size(request.ids)
        changes = read_record(table, request.changes)
        if not changes:
            raise RefusedError("bad_value", "`changes` names no column.")
        ids = list(dict.fromkeys(request.ids))
        return self._change("update", table, ids, lambda batch, id_: batch.update(id_, changes), lambda _, id_: id_)

    def _delete(self, table: Table, ids: Sequence[str]) -> ToolView:
        _check_size(ids)
        return self._change("delete", table, list(dict.fromkeys(ids)), RecordChanges.delete, lambda _, id_: id_)

    def _change(
        self,
        verb: str,
        table: Table,
        items: list[Item],
        do: Callable[[RecordChanges, Item], int],
        name: Callable[[int, Item], str],
    ) -> ToolView:
        """Change each item, then update computed columns; roll back if that fails."""
        try:
            with self._state.transaction():
                batch = RecordChanges(self._catalog, self._state, table)
                rows, failures = _each(items, lambda item: do(batch, item), name)
                follow(self._computed(), self._state, batch.touched)
        except (duckdb.Error, pa.ArrowException, OverflowError):  # numbers too large to add up, a text that is no date
            return ErrorView(
                "bad_value", "Nothing was changed: a computed column cannot be computed from these values."
            )
        if verb == "delete":
            return RecordsView(verb, table.name, tuple({"id": entity_id(table.name, row)} for row in rows), failures)
        return RecordsView(verb, table.name, self._records(table, rows), failures)

    def _records(self, table: Table, rows: Sequence[int]) -> tuple[dict[str, Any], ...]:
        return tuple(_record(cells) for cells in self._state.read(table, rows))


def _record(cells: Mapping[str, Any]) -> dict[str, Any]:
    return {name: write_cell(cell) for name, cell in cells.items()}


def _each(
    items: Any, do: Callable[[Item], int], name: Callable[[int, Item], str]
) -> tuple[list[int], tuple[Failure, ...]]:
    rows, failures = [], []
    for number, item in enumerate(items):
        try:
            rows.append(do(item))
        except RefusedError as refusal:
            failures.append(refusal.of(name(number, item)))
    return rows, tuple(failures)


def _check_size(items: Sequence[Any]) -> None:
    if len(items) > MOST_RECORDS:
        raise RefusedError("limit_too_large", f"One call takes at most {MOST_RECORDS} items, not {len(items)}.")
