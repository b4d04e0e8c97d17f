"""An episode as the messages that chat models expect.

System, user, then by turns an assistant with tool calls and one tool message for each call, last the assistant's
answer; between them what an agent was told on the way (that few calls are left). `content` is never null.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from worldforge.agents.episode import AgentTurn
from worldforge.models.chat import ToolCall

_FUNCTION = pa.struct([("name", pa.string()), ("arguments", pa.string())])
_TOOL_CALL = pa.struct([("id", pa.string()), ("type", pa.string()), ("function", _FUNCTION)])
MESSAGE = pa.struct(
    [
        ("role", pa.string()),
        ("content", pa.string()),
        ("reasoning_content", pa.string()),
        ("tool_calls", pa.list_(_TOOL_CALL)),
        ("tool_call_id", pa.string()),
        ("name", pa.string()),
    ]
)
"""One message. Null are `reasoning_content` but where an assistant reasoned, `tool_calls` but where one calls,
`tool_call_id` and `name` but for a tool."""


def messages(system_prompt: str, wording: str, turns: Sequence[AgentTurn]) -> list[dict[str, Any]]:
    """Write an episode as chat messages, each a row of `MESSAGE`."""
    chat = [_message("system", system_prompt), _message("user", wording)]
    for turn in turns:
        action = turn.action
        chat += [_message(m.role, m.content, reasoning=m.reasoning or None) for m in action.before]
        calls = [_tool_call(call) for call in action.tool_calls]
        chat.append(_message("assistant", action.content, reasoning=action.reasoning or None, tool_calls=calls or None))
        for call, observation in zip(action.tool_calls, turn.observations, strict=True):
            chat.append(_message("tool", observation.text, tool_call_id=call.id, name=call.name))
    return chat


def _message(
    role: str,
    content: str,
    *,
    reasoning: str | None = None,
    tool_calls: list[dict[str, Any]] | None = None,
    tool_call_id: str | None = None,
    name: str | None = None,
) -> dict[str, Any]:
    return {
        "role": role,
        "content": content,
        "reasoning_content": reasoning,
        "tool_calls": tool_calls,
        "tool_call_id": tool_call_id,
        "name": name,
    }


def _tool_call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
