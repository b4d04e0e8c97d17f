"""The database environment: a world's tables behind MCP tools.

    environment = DatabaseEnvironment(open_world("output/mine"))
    session = environment.session()
    await session.step(ToolCall("1", "get_records", '{"table": "club", "ids": ["club/0031"]}'))

One environment serves any number of sessions. What a session changes is its own: later calls of it see that, no other
session does, and the world stays as it is. Tasks and their gold are no tables: no call reaches them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import duckdb
import pyarrow as pa

from worldforge.environments.controls.content_controls import ContentControls
from worldforge.environments.coverage import Readers
from worldforge.environments.database.catalog import Catalog, RefusedError, Table, read_catalog, write_record
from worldforge.environments.database.listing import list_records
from worldforge.environments.database.mcp_dialect import MCP
from worldforge.environments.database.oracle import DatabaseOracle
from worldforge.environments.database.record_changes import (
    Computed,
    RecordChanges,
    computed_columns,
    follow,
    read_record,
)
from worldforge.environments.database.record_controls import RecordControls
from worldforge.environments.database.record_coverage import readers_of_records
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
from worldforge.environments.dialect import Dialect
from worldforge.environments.environment import Environment, Plan
from worldforge.environments.requests import SessionBackend, ToolRequest
from worldforge.environments.views import ErrorView, Failure, ToolView
from worldforge.world.database import connect
from worldforge.world.stable_ids import entity_id
from worldforge.world.task import Task
from worldforge.world.world import World


class DatabaseBackend(SessionBackend):
    """One session's view of a world's tables.

    `computed` gives the computed columns; it is called when the session first changes something.
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
        rows, failures = _apply_each(items, batch.find)
        return RecordsView(request.kind, request.table, self._records(batch.table, rows), failures)

    def _change(
        self, request: BatchRequest, batch: RecordChanges, items: Mapping[str, Any], do: Callable[[Any], int]
    ) -> ToolView:
        """Change each item, then update computed columns; roll back if that fails."""
        try:
            with self._state.transaction():
                rows, failures = _apply_each(items, do)
                follow(self._computed(), self._state, batch.touched)
        except (duckdb.Error, pa.ArrowException, OverflowError):  # numbers too large to add up, a text that is no date
            message = "Nothing was changed: a computed column cannot be computed from these values."
            return ErrorView("bad_value", message)
        gone = tuple({"id": entity_id(request.table, row)} for row in rows)
        records = gone if isinstance(request, DeleteRequest) else self._records(batch.table, rows)
        return RecordsView(request.kind, request.table, records, failures)

    def _records(self, table: Table, rows: Sequence[int]) -> tuple[dict[str, Any], ...]:
        return tuple(map(write_record, self._state.read(table, rows)))


def _apply_each(items: Mapping[str, Any], do: Callable[[Any], int]) -> tuple[list[int], tuple[Failure, ...]]:
    """Do each item, by its name; return the rows of those that were done, and the failures of the others."""
    rows, failures = [], []
    for name, item in items.items():
        try:
            rows.append(do(item))
        except RefusedError as refusal:
            failures.append(refusal.of(name))
    return rows, tuple(failures)


class DatabaseEnvironment(Environment):
    """A world's tables, open to agents. Sessions share them, and change nothing in them."""

    name = "database"
    dialects: ClassVar[Mapping[str, Dialect]] = {MCP.name: MCP}
    content_controls: ClassVar[ContentControls] = RecordControls()
    states_facts_on_pages = False
    readers: ClassVar[Readers] = staticmethod(readers_of_records)

    def __init__(self, world: World, dialect: Dialect | None = None) -> None:
        super().__init__(world, dialect)
        tables = world.tables()
        self._catalog = read_catalog(world.spec, tables)
        self._connection = connect(tables)

    @classmethod
    def plan(cls, task: Task, dialect: Dialect) -> Plan:
        """Look up the cells of the task's answer."""
        return DatabaseOracle(task, dialect).play()

    def backend(self, task: Task | None = None, seed: int = 0) -> DatabaseBackend:
        """Return the world's tables, unchanged."""
        return DatabaseBackend(TableState(self._connection, self._catalog), self._catalog, lambda: self._computed)

    @cached_property
    def _computed(self) -> list[Computed]:
        return list(computed_columns(self.world.spec, self._catalog))
