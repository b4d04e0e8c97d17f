"""The form a reply is to have, as vLLM's chat API is asked for it: tools, a structure, bounds. Imports no vLLM."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from worldforge.core.errors import InputError
from worldforge.models.chat import ReplyStructure, Request, ToolCall

_WHITESPACE = 1  # blanks in a row between the parts of JSON: without a bound, some models write nothing else
_RANDOM_IDENTITY = "chatcmpl-tool-"  # of vLLM's own making, where a model's format has no ids


class ParsedCall(Protocol):
    """A tool call as vLLM's parsers return it."""

    id: str | None
    name: str
    arguments: str


def format_key(request: Request) -> tuple[object, ...]:
    """Return what requests of one form have in common."""
    return json.dumps(request.tools), request.tool_choice, _key(request.structure), request.thinking


def _key(structure: ReplyStructure | None) -> tuple[str, str] | None:
    return None if structure is None else (structure.kind, json.dumps(structure.form, default=dict))


def template_arguments(request: Request) -> dict[str, Any]:
    """Return what a chat template is told besides the messages."""
    words: dict[str, Any] = {"add_generation_prompt": True, "tokenize": False, "tools": list(request.tools) or None}
    return words if request.thinking is None else words | {"enable_thinking": request.thinking}


def read_template(path: str | None) -> str | None:
    """Read a chat template of one's own. Raises InputError where it cannot be read."""
    if path is None:
        return None
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: the chat template cannot be read: {error}") from error


def strict_tools(request: Request) -> list[dict[str, Any]] | None:
    """Return the tools; where one must be called, its arguments must be as its schema says."""
    tools = [dict(tool) for tool in request.tools]
    if request.tool_choice == "required":
        tools = [tool | {"function": {"strict": True} | tool["function"]} for tool in tools]
    return tools or None


def structure_arguments(structure: ReplyStructure | None) -> dict[str, str] | None:
    """Return a structure by vLLM's name for it."""
    if structure is None:
        return None
    if structure.kind == "json_schema":
        tag = {"type": "structural_tag", "format": {"type": "json_schema", "json_schema": dict(structure.form)}}  # type: ignore[arg-type]
        return {"structural_tag": bound_whitespace(json.dumps(tag))}
    return {structure.kind: str(structure.form)}


def bound_whitespace(structural_tag: str) -> str:
    """Return a structural tag (JSON) in which no JSON may run on in blanks."""
    return json.dumps(_bounded(json.loads(structural_tag)))


def _bounded(part: Any) -> Any:
    if isinstance(part, list):
        return [_bounded(one) for one in part]
    if not isinstance(part, dict):
        return part
    if part.get("type") == "json_schema" and "json_schema" in part:
        return part | {"max_whitespace_cnt": _WHITESPACE}
    return {name: _bounded(one) for name, one in part.items()}


def with_call_ids(calls: Sequence[ParsedCall], request: Request) -> tuple[ToolCall, ...]:
    """Give each call an id of its own in the conversation, unless the model's format has ids."""
    before = sum(len(message.tool_calls) for message in request.messages)
    return tuple(
        ToolCall(_identity(call.id, number), call.name, call.arguments) for number, call in enumerate(calls, before)
    )


def _identity(given: str | None, number: int) -> str:
    return f"call_{number}" if given is None or given.startswith(_RANDOM_IDENTITY) else given
