"""The database tools: what each takes, as agents are told and as calls are checked; as MCP servers list them."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from worldforge.environments.arguments import Arguments, schemas
from worldforge.environments.database.requests import MOST_RECORDS, Comparison

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
_Ids = Annotated[list[str], Field(min_length=1), WithJsonSchema(_IDS)]


class FilterArgument(Arguments):
    """One condition."""

    column: str
    comparison: Comparison
    value: str | bool | int | float | None


class ListTables(Arguments):
    """List the tables: how many records each has, its columns, what they hold and which table they refer to."""


class ListRecords(Arguments):
    """List records of a table that meet all filters, in a fixed order, some at a time."""

    table: str = Field(description=_TABLE)
    filters: Annotated[list[FilterArgument], WithJsonSchema(_FILTERS)] = Field(
        default_factory=list,
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
    records: Annotated[list[dict[str, Any]], Field(min_length=1), WithJsonSchema(_RECORDS)] = Field(
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


TOOLS: dict[str, type[Arguments]] = {
    "list_tables": ListTables,
    "list_records": ListRecords,
    "get_records": GetRecords,
    "create_records": CreateRecords,
    "update_records": UpdateRecords,
    "delete_records": DeleteRecords,
}
_READING = {"list_tables", "list_records", "get_records"}
SCHEMAS = schemas(TOOLS)


def tool_definitions() -> list[dict[str, Any]]:
    """Return the tools as a server lists them: MCP `Tool` objects as JSON."""
    return [
        {
            "name": tool["function"]["name"],
            "description": tool["function"]["description"],
            "inputSchema": tool["function"]["parameters"],
            "annotations": {
                "readOnlyHint": tool["function"]["name"] in _READING,
                "destructiveHint": tool["function"]["name"] in ("update_records", "delete_records"),
                "openWorldHint": False,
            },
        }
        for tool in SCHEMAS
    ]
