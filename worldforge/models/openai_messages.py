"""Messages as the OpenAI chat API has them: what chat templates and servers read."""

from __future__ import annotations

import json
from typing import Any

from worldforge.models.chat import Message, ToolCall


def to_openai(message: Message, reasoning_key: str = "reasoning", *, parsed: bool = False) -> dict[str, Any]:
    """Return one message as the OpenAI chat API writes it, its reasoning under `reasoning_key`, where it has any.

    With `parsed`, arguments that are a JSON object stand as one, as many chat templates need them; servers want text.
    """
    written: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.role == "tool":
        written["tool_call_id"] = message.tool_call_id
    if message.name:
        written["name"] = message.name
    if message.reasoning:
        written[reasoning_key] = message.reasoning
    if message.tool_calls:
        written["tool_calls"] = [_call(call, parsed) for call in message.tool_calls]
    return written


def _call(call: ToolCall, parsed: bool) -> dict[str, Any]:
    arguments = _parsed(call.arguments) if parsed else call.arguments
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _parsed(arguments: str) -> Any:
    try:
        value = json.loads(arguments)
    except ValueError:
        return arguments
    return value if isinstance(value, dict) else arguments
