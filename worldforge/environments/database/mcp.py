"""Database tools as the Model Context Protocol has them: JSON arguments in, a result's structured content as JSON out.

    list_records {"table": "club", "filters": [{"column": "founded", "comparison": ">", "value": 1990}], "limit": 2}
    {"table":"club","records":[{"id":"club/0004","name":"…",…},…],"n_total":31,"next_cursor":"WyJh…"}
    {"isError":true,"code":"unknown_table","message":"There is no table \\"clubs\\". …"}

A batch of which no item could be done is an error too, and keeps its `failures`.
"""

from __future__ import annotations

from typing import Any

from worldforge.environments.arguments import Schema, read_arguments
from worldforge.environments.database.domain import MCP_DOMAIN
from worldforge.environments.database.mcp_results import parse_result, write_error, write_records
from worldforge.environments.database.mcp_tools import (
    SCHEMAS,
    TOOLS,
    CreateRecords,
    DeleteRecords,
    GetRecords,
    ListRecords,
    ListTables,
    UpdateRecords,
)
from worldforge.environments.database.requests import (
    MOST_RECORDS,
    CreateRequest,
    DeleteRequest,
    Filter,
    GetRequest,
    ListRequest,
    TablesRequest,
    UpdateRequest,
)
from worldforge.environments.database.views import RecordsView
from worldforge.environments.requests import ToolRequest
from worldforge.environments.views import ErrorView, ToolView
from worldforge.models.chat import ToolCall


class Mcp:
    """The dialect; a `Dialect`."""

    name = "mcp"
    domain = MCP_DOMAIN
    tools: list[Schema] = SCHEMAS

    def read(self, call: ToolCall) -> ToolRequest | ErrorView:
        """Read a call of one of the six tools; an error's message is the whole text of an MCP error."""
        match read_arguments(call, TOOLS):
            case ListTables():
                return TablesRequest()
            case ListRecords() as asked:
                filters = tuple(Filter(one.column, one.comparison, one.value) for one in asked.filters)
                return ListRequest(asked.table, filters, asked.order_by, asked.descending, asked.limit, asked.cursor)
            case GetRecords(table=table, ids=ids):
                return GetRequest(table, tuple(ids))
            case CreateRecords(table=table, records=records):
                return CreateRequest(table, tuple(records))
            case UpdateRecords(table=table, ids=ids, changes=changes):
                return UpdateRequest(table, tuple(ids), changes)
            case DeleteRecords(table=table, ids=ids):
                return DeleteRequest(table, tuple(ids))
            case ErrorView(error, message):
                return ErrorView(error, write_error(error, message.removeprefix("Error: ")))
        raise AssertionError("a tool without a request")

    def ask(self, request: ToolRequest) -> list[tuple[str, dict[str, Any]]]:
        """Ask for records, at most MOST_RECORDS a call; what goes without saying is left out."""
        match request:
            case TablesRequest():
                return [("list_tables", {})]
            case ListRequest():
                return [("list_records", _list_arguments(request))]
            case GetRequest(table, ids):
                return [("get_records", {"table": table, "ids": part}) for part in _parts(ids)]
            case CreateRequest(table, records):
                return [("create_records", {"table": table, "records": part}) for part in _parts(records)]
            case UpdateRequest(table, ids, changes):
                given = {"changes": dict(changes)}
                return [("update_records", {"table": table, "ids": part, **given}) for part in _parts(ids)]
            case DeleteRequest(table, ids):
                return [("delete_records", {"table": table, "ids": part}) for part in _parts(ids)]
        raise ValueError(f"{self.name} has no tool for a {type(request).__name__}")

    def write(self, request: ToolRequest, view: ToolView) -> str:
        """Write a result's structured content, or an error."""
        match view:
            case RecordsView():
                return write_records(view)
            case ErrorView(error, message):
                return write_error(error, message)
        raise ValueError(f"{self.name} has no words for a {type(view).__name__}")

    def parse(self, request: ToolRequest, text: str) -> ToolView | None:
        """Read a result or an error back."""
        return parse_result(request.kind, text)


MCP = Mcp()


def _list_arguments(request: ListRequest) -> dict[str, Any]:
    filters = [{"column": one.column, "comparison": one.comparison, "value": one.value} for one in request.filters]
    said = {
        "filters": filters,
        "order_by": request.order_by,
        "descending": request.descending,
        "cursor": request.cursor,
    }
    return {
        "table": request.table,
        **{name: value for name, value in said.items() if value},
        "limit": request.limit,
    }


def _parts(items: tuple[Any, ...]) -> list[list[Any]]:
    return [list(items[first : first + MOST_RECORDS]) for first in range(0, len(items), MOST_RECORDS)]
