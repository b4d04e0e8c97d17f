"""A dialect: one family's names for the tools, the arguments they take, and how what they bring is written down."""

from __future__ import annotations

from typing import Any, Protocol

from worldforge.environments.arguments import Schema
from worldforge.environments.domain import Domain
from worldforge.environments.requests import ToolRequest
from worldforge.environments.views import ErrorView, ToolView
from worldforge.models.chat import ToolCall


class Dialect(Protocol):
    """Reads calls, writes views. Holds no state: one object serves all sessions."""

    @property
    def name(self) -> str:
        """What the dialect is called: `agentworld`, `widesearch`, `plain`, `mcp`."""

    @property
    def domain(self) -> Domain:
        """What a world model plays that words its observations."""

    @property
    def tools(self) -> list[Schema]:
        """The tools, as OpenAI function schemas."""

    def read(self, call: ToolCall) -> ToolRequest | ErrorView:
        """Say what a call asks for; a malformed one, or one of an unknown tool, gets a real tool's error."""

    def ask(self, request: ToolRequest) -> list[tuple[str, dict[str, Any]]]:
        """Say how a request is asked for: tool names and arguments, several where one call cannot hold it.

        Raises ValueError where the dialect has no tool for it.
        """

    def write(self, request: ToolRequest, view: ToolView) -> str:
        """Put a view into words."""

    def parse(self, request: ToolRequest, text: str) -> ToolView | None:
        """Read back what `write` wrote, as far as text tells; None where it is not in this dialect's form."""
