"""Where answers come from: a world's index, its tables, a state. Decides what a call brings, never how it is worded."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from worldforge.environments.requests import ToolRequest
from worldforge.environments.views import ToolView


class SessionBackend(ABC):
    """The world as one session meets it; it holds what the session has changed."""

    async def ready(self, request: ToolRequest) -> None:
        """Fetch what answering needs from elsewhere, so that `answer` need not wait for it; by default nothing."""
        return

    @abstractmethod
    def answer(self, request: ToolRequest) -> ToolView:
        """Decide what a request brings. Never raises for what an agent sends."""

    @property
    def state(self) -> Any:
        """What the session has changed, as a JSON value that later calls do not alter; equal where it is the same."""
        return {}
