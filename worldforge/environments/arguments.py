"""Tool arguments: one type a tool, which gives its OpenAI function schema and checks its calls.

The type is a request, or a pydantic record that converts itself to one. Agents read its docstring and the
descriptions of its fields.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from worldforge.environments.requests import ToolRequest
from worldforge.environments.views import ErrorView
from worldforge.models.chat import ToolCall

Schema = dict[str, Any]
_MOST_ECHOED = 200  # characters of an agent's own words that an observation repeats


@cache
def _adapter(type_: Any) -> TypeAdapter[Any]:
    return TypeAdapter(type_)


class Arguments(BaseModel):
    """The arguments of a call: unknown names are refused, types are not converted."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ToolArguments(Arguments, ABC):
    """Arguments that convert themselves to a request."""

    @abstractmethod
    def request(self) -> ToolRequest:
        """Return the request of the call."""


A = TypeVar("A")


def read_arguments(call: ToolCall, tools: Mapping[str, type[A]]) -> A | ErrorView:
    """Parse a call's arguments; return an error view for an unknown tool or malformed arguments."""
    if call.name not in tools:
        known = ", ".join(tools)
        return ErrorView("unknown_tool", f"Error: there is no tool {echo(call.name)}. The tools are {known}.")
    try:
        tool: Any = tools[call.name]
        return cast(A, _adapter(tool).validate_json(call.arguments.encode("utf-8", "replace")))
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False, include_input=False)
        reasons = "; ".join(_problem(problem["loc"], problem["msg"]) for problem in problems[:3])
        return ErrorView("malformed_request", f"Error: malformed request: {reasons}.")


def schemas(tools: Mapping[str, type]) -> list[Schema]:
    """Write tools as OpenAI function schemas."""
    return [{"type": "function", "function": _function(name, type_)} for name, type_ in tools.items()]


def echo(words: str) -> str:
    """Quote an agent's text on one line, cut to 200 characters."""
    line = one_line(words[: 2 * _MOST_ECHOED]).encode("utf-8", "replace").decode()
    shown = line if len(line) <= _MOST_ECHOED else f"{line[:_MOST_ECHOED]}…"
    return f'"{shown}"'


def one_line(text: str) -> str:
    """Return `text` on one line: runs of white space become one space if it has a line end."""
    return text if text.isprintable() else " ".join(text.split())


def _problem(place: tuple[int | str, ...], message: str) -> str:
    path = ".".join(map(str, place))[:80]
    reason = message.removeprefix("Value error, ")
    return f"`{path}`: {reason}" if path else reason


def _function(name: str, type_: type) -> dict[str, Any]:
    schema = _adapter(type_).json_schema()
    properties = {
        field: {key: value for key, value in described.items() if key not in ("title", "default")}
        for field, described in schema["properties"].items()
    }
    parameters = {
        "type": "object",
        "properties": properties,
        "required": schema.get("required", []),
        "additionalProperties": False,
    }
    description = schema.get("description") or inspect.getdoc(type_)  # older versions of pydantic leave it out
    return {"name": name, "description": description, "parameters": parameters}
