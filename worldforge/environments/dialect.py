"""The dialect protocol: names and arguments of tools, and the text form of views."""

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
        """The dialect's name: `agentworld`, `widesearch`, `plain`, `mcp`."""

    @property
    def domain(self) -> Domain:
        """The domain of a world model that words its observations."""

    @property
    def tools(self) -> list[Schema]:
        """The tools, as OpenAI function schemas."""

    def read(self, call: ToolCall) -> ToolRequest | ErrorView:
        """Parse a call; a malformed call or an unknown tool gives an error view."""

    def ask(self, request: ToolRequest) -> list[tuple[str, dict[str, Any]]]:
        """Return the calls for a request, as tool names and arguments.

        Raises ValueError where the dialect has no tool for it.
        """

    def write(self, request: ToolRequest, view: ToolView) -> str:
        """Write a view as text."""

    def parse(self, request: ToolRequest, text: str) -> ToolView | None:
        """Parse a text that `write` wrote; None for another form."""
