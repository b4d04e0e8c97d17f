"""MCP: a world's tables behind database tools. Grounded."""

from __future__ import annotations

from worldforge.models.chat import ToolCall
from worldforge.world_model.domains.domain import Domain, Example

_RECORD = '{"table":"ship","records":[{"id":"ship/0007","name":"Grey Heron","built":1903}]}'

MCP = Domain(
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
    examples=(Example(ToolCall("1", "get_records", '{"table": "ship", "ids": ["ship/0007"]}'), _RECORD, _RECORD),),
)
