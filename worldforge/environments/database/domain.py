"""MCP: a world's tables behind database tools. Grounded."""

from __future__ import annotations

from worldforge.environments.domain import Domain, Example
from worldforge.models.chat import ToolCall

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
