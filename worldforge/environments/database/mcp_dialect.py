"""Database tools as the Model Context Protocol has them: JSON arguments in, a result's structured content as JSON out.

    list_records {"table": "club", "filters": [{"column": "founded", "comparison": ">", "value": 1990}], "limit": 2}
    {"table":"club","records":[{"id":"club/0004","name":"…",…},…],"n_total":31,"next_cursor":"WyJh…"}
    {"isError":true,"code":"unknown_table","message":"There is no table \\"clubs\\". …"}

A batch of which no item could be done is an error too, and keeps its `failures`. JSON is written without blanks, its
keys in a fixed order. What is read back may be a model's draft: it must have exactly this form.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from worldforge.environments.database.requests import (
    MOST_RECORDS,
    BatchRequest,
    CreateRequest,
    DeleteRequest,
    GetRequest,
    ListRequest,
    TablesRequest,
    UpdateRequest,
)
from worldforge.environments.database.views import RecordsView
from worldforge.environments.dialect import ERROR, Dialect, Domain, Example
from worldforge.environments.extra_tools import ExtraTool
from worldforge.environments.requests import ToolRequest
from worldforge.environments.views import ErrorView, Failure, ToolView
from worldforge.models.chat import ToolCall

TOOLS: Mapping[str, type[ToolRequest]] = {
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


class McpDialect(Dialect):
    """The dialect of database tools."""

    def read(self, call: ToolCall) -> ToolRequest | ErrorView:
        """Read a call; an error's message is the whole text of an MCP error."""
        read = super().read(call)
        if isinstance(read, ErrorView):
            return ErrorView(read.error, _error(read.error, read.message.removeprefix(ERROR)))
        return read

    def ask(self, request: ToolRequest) -> list[tuple[str, dict[str, Any]]]:
        """Ask for records, at most MOST_RECORDS a call."""
        if not isinstance(request, BatchRequest):
            return super().ask(request)
        items = getattr(request, request.batch)
        parts = [items[first : first + MOST_RECORDS] for first in range(0, len(items), MOST_RECORDS)]
        calls = []
        for part in parts:
            calls += super().ask(replace(request, **{request.batch: part}))  # type: ignore[type-var]
        return calls

    def write(self, request: ToolRequest, view: ToolView) -> str:
        """Write a result's structured content, or an error."""
        match view:
            case RecordsView():
                return _written(view)
            case ErrorView(error, message):
                return _error(error, message)
        return super().write(request, view)

    def parse(self, request: ToolRequest, text: str) -> ToolView | None:
        """Read a result or an error back."""
        try:
            content = _CONTENT.validate_json(text.encode("utf-8", "replace"))
        except ValidationError:
            return request.parse(text) if isinstance(request, ExtraTool) else None
        match content:
            case _Error():
                return ErrorView(content.code, content.message)
            case _Tables() if request.kind == "tables":
                return RecordsView("tables", "", tuple(content.tables))
            case _Records() if request.kind in ("list", "get", "create", "update", "delete"):
                return content.view(request.kind)
        return None


class _Content(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Tables(_Content):
    tables: list[dict[str, Any]]


class _Failure(_Content):
    item: str
    code: str
    message: str


class _Records(_Content):
    is_error: Annotated[Literal[True] | None, Field(alias="isError")] = None
    table: str
    records: list[dict[str, Any]]
    renamed: dict[str, str] = Field(default_factory=dict)
    failures: list[_Failure] = Field(default_factory=list)
    n_total: int | None = None
    next_cursor: str | None = None

    def view(self, verb: str) -> RecordsView:
        return RecordsView(
            verb=verb,
            table=self.table,
            records=tuple(self.records),
            failures=tuple(Failure(one.item, one.code, one.message) for one in self.failures),
            next_cursor=self.next_cursor or "",
            n_total=self.n_total,
            renamed=self.renamed,
        )


class _Error(_Content):
    is_error: Annotated[Literal[True], Field(alias="isError")]
    code: str
    message: str


_CONTENT: TypeAdapter[_Tables | _Records | _Error] = TypeAdapter(_Tables | _Records | _Error)


def _written(view: RecordsView) -> str:
    if view.verb == "tables":
        return _json({"tables": [dict(record) for record in view.records]})
    content: dict[str, Any] = {"isError": True} if view.failures and not view.records else {}
    content |= {"table": view.table, "records": [dict(record) for record in view.records]}
    if view.renamed:
        content["renamed"] = dict(view.renamed)
    if view.failures:
        content["failures"] = [{"item": one.item, "code": one.error, "message": one.message} for one in view.failures]
    if view.n_total is not None:
        content["n_total"] = view.n_total
    if view.verb == "list":
        content["next_cursor"] = view.next_cursor or None
    return _json(content)


def _error(error: str, message: str) -> str:
    return _json({"isError": True, "code": error, "message": message})


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


MCP = McpDialect("mcp", MCP_DOMAIN, TOOLS)
