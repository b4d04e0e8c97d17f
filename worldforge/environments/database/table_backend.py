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
from typing import Any

import duckdb
import pyarrow as pa

from worldforge.environments.database.catalog import Catalog, RefusedError, Table
from worldforge.environments.database.cells import write_record
from worldforge.environments.database.computed_columns import Computed, follow
from worldforge.environments.database.listing import list_records
from worldforge.environments.database.record_changes import RecordChanges, read_record
from worldforge.environments.database.requests import (
    MOST_RECORDS,
    BatchRequest,
    CreateRequest,
    DeleteRequest,
    ListRequest,
    TablesRequest,
    UpdateRequest,
)
from worldforge.environments.database.table_state import TableState
from worldforge.environments.database.views import RecordsView
from worldforge.environments.requests import SessionBackend, ToolRequest
from worldforge.environments.views import ErrorView, Failure, ToolView
from worldforge.world.stable_ids import entity_id


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
            if isinstance(request, TablesRequest):
                return self._tables()
            if isinstance(request, ListRequest):
                return list_records(self._state, self._catalog.table(request.table), request)
            if isinstance(request, BatchRequest):
                return self._batch(request)
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

    def _batch(self, request: BatchRequest) -> ToolView:
        items = dict(zip(request.items, getattr(request, request.batch), strict=True))
        if len(request.items) > MOST_RECORDS:
            message = f"One call takes at most {MOST_RECORDS} items, not {len(request.items)}."
            raise RefusedError("limit_too_large", message)
        batch = RecordChanges(self._catalog, self._state, self._catalog.table(request.table))
        match request:
            case CreateRequest():
                return self._change(request, batch, items, batch.create)
            case UpdateRequest():
                changes = read_record(batch.table, request.changes)
                if not changes:
                    raise RefusedError("bad_value", "`changes` names no column.")
                return self._change(request, batch, items, lambda id_: batch.update(id_, changes))
            case DeleteRequest():
                return self._change(request, batch, items, batch.delete)
        rows, failures = _each(items, batch.find)
        return RecordsView(request.kind, request.table, self._records(batch.table, rows), failures)

    def _change(
        self, request: BatchRequest, batch: RecordChanges, items: Mapping[str, Any], do: Callable[[Any], int]
    ) -> ToolView:
        """Change each item, then update computed columns; roll back if that fails."""
        try:
            with self._state.transaction():
                rows, failures = _each(items, do)
                follow(self._computed(), self._state, batch.touched)
        except (duckdb.Error, pa.ArrowException, OverflowError):  # numbers too large to add up, a text that is no date
            message = "Nothing was changed: a computed column cannot be computed from these values."
            return ErrorView("bad_value", message)
        gone = tuple({"id": entity_id(request.table, row)} for row in rows)
        records = gone if isinstance(request, DeleteRequest) else self._records(batch.table, rows)
        return RecordsView(request.kind, request.table, records, failures)

    def _records(self, table: Table, rows: Sequence[int]) -> tuple[dict[str, Any], ...]:
        return tuple(map(write_record, self._state.read(table, rows)))


def _each(items: Mapping[str, Any], do: Callable[[Any], int]) -> tuple[list[int], tuple[Failure, ...]]:
    """Do each item, by its name; return the rows of those that were done, and the failures of the others."""
    rows, failures = [], []
    for name, item in items.items():
        try:
            rows.append(do(item))
        except RefusedError as refusal:
            failures.append(refusal.of(name))
    return rows, tuple(failures)
