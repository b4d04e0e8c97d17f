"""An agent: given what it has observed, it says what to do next. Knows the task's wording, and nothing of its gold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from worldforge.environments.session import Observation, ToolCall


@dataclass(frozen=True, slots=True)
class Action:
    """What an agent does in one turn: words, and tool calls. Without tool calls its words are the final answer."""

    content: str
    tool_calls: tuple[ToolCall, ...] = ()


class Agent(Protocol):
    """Decides, turn by turn. One agent serves one episode."""

    async def act(self, observations: Sequence[Observation]) -> Action:
        """Return the next action, given the observations that the last action's calls brought, in their order.

        The first call brings none.
        """
