"""A dialect for text views, declared by arguments and request of each tool, which have the same field names.

    TextDialect("spoken", domain, {"look": (Look, LookRequest), "move": (Move, MoveRequest)})

Views are `TextView`s, shown as they are; the words of an error begin with `Error: `.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from worldforge.environments.arguments import Arguments, Schema, read_arguments, schemas
from worldforge.environments.domain import Domain
from worldforge.environments.requests import ToolRequest
from worldforge.environments.views import ErrorView, TextView, ToolView
from worldforge.models.chat import ToolCall

_ERROR = "Error: "


class TextDialect:
    """A `Dialect` for users' environments."""

    def __init__(
        self, name: str, domain: Domain, tools: Mapping[str, tuple[type[Arguments], type[ToolRequest]]]
    ) -> None:
        self.name, self.domain = name, domain
        self._arguments = {tool: arguments for tool, (arguments, _) in tools.items()}
        self._requests = {tool: request for tool, (_, request) in tools.items()}
        self.tools: list[Schema] = schemas(self._arguments)

    def read(self, call: ToolCall) -> ToolRequest | ErrorView:
        """Read a call of one of the tools."""
        asked = read_arguments(call, self._arguments)
        return asked if isinstance(asked, ErrorView) else self._requests[call.name](**asked.model_dump())

    def ask(self, request: ToolRequest) -> list[tuple[str, dict[str, Any]]]:
        """Write a request as a call of its tool. Raises ValueError where there is none."""
        for tool, type_ in self._requests.items():
            if isinstance(request, type_):
                return [(tool, asdict(request))]  # type: ignore[call-overload]
        raise ValueError(f"{self.name} has no tool for a {type(request).__name__}")

    def write(self, request: ToolRequest, view: ToolView) -> str:
        """Show the view's text. Raises ValueError for another view than a text or an error."""
        match view:
            case TextView(text):
                return text
            case ErrorView(_, message):
                return message if message.startswith(_ERROR) else f"{_ERROR}{message}"
        raise ValueError(f"{self.name} has no words for a {type(view).__name__}")

    def parse(self, request: ToolRequest, text: str) -> ToolView | None:
        """Read a text or an error; facts cannot be read back."""
        return ErrorView("", text) if text.startswith(_ERROR) else TextView(text)
