"""Database tools as the Model Context Protocol has them: JSON arguments in, a result's structured content as JSON out.

    list_records {"table": "club", "filters": [{"column": "founded", "comparison": ">", "value": 1990}], "limit": 2}
    {"table":"club","records":[{"id":"club/0004","name":"…",…},…],"n_total":31,"next_cursor":"WyJh…"}
    {"isError":true,"code":"unknown_table","message":"There is no table \\"clubs\\". …"}

A batch of which no item could be done is an error too, and keeps its `failures`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from worldforge.environments.arguments import Arguments, Schema, read_arguments, schemas
from worldforge.environments.database.mcp_results import parse_result, write_error, write_records
from worldforge.environments.database.requests import (
    MOST_RECORDS,
    BatchRequest,
    CreateRequest,
    DeleteRequest,
    Filter,
    GetRequest,
    ListRequest,
    TablesRequest,
    UpdateRequest,
)
from worldforge.environments.database.views import RecordsView
from worldforge.environments.domain import Domain, Example
from worldforge.environments.requests import ToolRequest
from worldforge.environments.views import ErrorView, ToolView
from worldforge.models.chat import ToolCall

_TABLE = "The table's name, as `list_tables` gives it."
_CELL = {"type": ["string", "number", "boolean", "null"]}
_FILTERS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "column": {"type": "string"},
            "comparison": {"type": "string", "enum": ["=", "!=", "<", "<=", ">", ">=", "contains"]},
            "value": _CELL,
        },
        "required": ["column", "comparison", "value"],
        "additionalProperties": False,
    },
}
_IDS = {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": MOST_RECORDS}
_RECORDS = {"type": "array", "items": {"type": "object"}, "minItems": 1, "maxItems": MOST_RECORDS}
_Ids = Annotated[tuple[str, ...], Field(min_length=1), WithJsonSchema(_IDS)]


class ListTables(Arguments):
    """List the tables: how many records each has, its columns, what they hold and which table they refer to."""


class ListRecords(Arguments):
    """List records of a table that meet all filters, in a fixed order, some at a time."""

    table: str = Field(description=_TABLE)
    filters: Annotated[tuple[Filter, ...], WithJsonSchema(_FILTERS)] = Field(
        default=(),
        description="Conditions that all hold. `contains` looks for a text, whatever its case; "
        "`= null` finds records that lack a value. Dates are written as 2031-06-30, references as ids.",
    )
    order_by: str = Field("", description="The column to order by; else records come in the order of their ids.")
    descending: bool = Field(False, description="Whether the order is from high to low.")
    limit: Annotated[int, WithJsonSchema({"type": "integer", "minimum": 1, "maximum": MOST_RECORDS})] = Field(
        20, description="How many records to show, 20 unless given."
    )
    cursor: str = Field("", description="`next_cursor` of the list before, to go on from there; all else unchanged.")


class GetRecords(Arguments):
    """Get records by id."""

    table: str = Field(description=_TABLE)
    ids: _Ids = Field(description="The records' ids.")


class CreateRecords(Arguments):
    """Create records. Ids are given; columns that are not named stay empty."""

    table: str = Field(description=_TABLE)
    records: Annotated[tuple[dict[str, Any], ...], Field(min_length=1), WithJsonSchema(_RECORDS)] = Field(
        description="One object a record: columns and their values."
    )


class UpdateRecords(Arguments):
    """Change columns of records."""

    table: str = Field(description=_TABLE)
    ids: _Ids = Field(description="The records' ids.")
    changes: Annotated[dict[str, Any], WithJsonSchema({"type": "object"})] = Field(
        description="Columns and their new values, the same for all these records."
    )


class DeleteRecords(Arguments):
    """Delete records by id. A record that others refer to is kept."""

    table: str = Field(description=_TABLE)
    ids: _Ids = Field(description="The records' ids.")


TOOLS: Mapping[str, type[Arguments]] = {
    "list_tables": ListTables,
    "list_records": ListRecords,
    "get_records": GetRecords,
    "create_records": CreateRecords,
    "update_records": UpdateRecords,
    "delete_records": DeleteRecords,
}
_REQUESTS: Mapping[str, type[ToolRequest]] = {
    "list_tables": TablesRequest,
    "list_records": ListRequest,
    "get_records": GetRequest,
    "create_records": CreateRequest,
    "update_records": UpdateRequest,
    "delete_records": DeleteRequest,
}
_RECORD = '{"table":"ship","records":[{"id":"ship/0007","name":"Grey Heron","built":1903}]}'

MCP_DOMAIN = Domain(
    name="mcp",
    grounded=True,
    role=(
        "You are a server that speaks the Model Context Protocol and keeps the records of a fictional world. An agent "
        "calls its tools; you write what they return."
    ),
    observations=(
        "A call is answered with data, which is no prose: copy all of it, key for key and value for value, in the "
        "same order."
    ),
    data="A call is answered with JSON: records, tables, what was changed, or what went wrong.",
    examples=(Example(ToolCall("1", "get_records", '{"table": "ship", "ids": ["ship/0007"]}'), _RECORD, _RECORD),),
)


class Mcp:
    """The dialect; a `Dialect`."""

    name = "mcp"
    domain = MCP_DOMAIN
    tools: list[Schema] = schemas(TOOLS)

    def read(self, call: ToolCall) -> ToolRequest | ErrorView:
        """Read a call of one of the six tools; an error's message is the whole text of an MCP error."""
        asked = read_arguments(call, TOOLS)
        if isinstance(asked, ErrorView):
            return ErrorView(asked.error, write_error(asked.error, asked.message.removeprefix("Error: ")))
        return _REQUESTS[call.name](**dict(asked))

    def ask(self, request: ToolRequest) -> list[tuple[str, dict[str, Any]]]:
        """Ask for records, at most MOST_RECORDS a call; what goes without saying is left out."""
        tool = next((name for name, type_ in _REQUESTS.items() if type(request) is type_), None)
        if tool is None:
            raise ValueError(f"{self.name} has no tool for a {type(request).__name__}")
        return [(tool, _arguments(part)) for part in _parts(request)]

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


def _parts(request: ToolRequest) -> list[ToolRequest]:
    """Split a batch into calls of at most MOST_RECORDS items."""
    if not isinstance(request, BatchRequest):
        return [request]
    items = getattr(request, request.batch)
    parts = [items[first : first + MOST_RECORDS] for first in range(0, len(items), MOST_RECORDS)]
    return [replace(request, **{request.batch: part}) for part in parts]  # type: ignore[type-var]


def _arguments(request: Any) -> dict[str, Any]:
    """Write a request's fields as JSON values, without those that have their defaults."""
    defaults = {field.name: field.default for field in fields(request)}
    given = {name: value for name, value in asdict(request).items() if value != defaults[name]}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}
