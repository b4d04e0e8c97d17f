"""Backends answer requests from a world's index, its tables or a state. They decide content, not wording."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from worldforge.environments.requests import ToolRequest
from worldforge.environments.views import ToolView


class SessionBackend(ABC):
    """One session's view of the world, with the session's own changes."""

    async def ready(self, request: ToolRequest) -> None:
        """Fetch what `answer` will need, such as embeddings; nothing by default."""
        return

    @abstractmethod
    def answer(self, request: ToolRequest) -> ToolView:
        """Answer a request. Never raises for an agent's input."""

    @property
    def state(self) -> Any:
        """The session's changes as a JSON value, a copy; equal changes give equal values."""
        return {}
