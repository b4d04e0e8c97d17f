"""The agent protocol: observations in, the next action out. An agent knows the task's wording, not its gold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from worldforge.environments.call_budget import LEAST_STEPS, agent_steps
from worldforge.environments.session import Observation
from worldforge.models.chat import Message, ToolCall, Usage
from worldforge.world.task import Task

Ending = Literal["answered", "step_limit", "token_limit"]


@dataclass(frozen=True, slots=True)
class EpisodeLimits:
    """Limits of an episode: tool calls, tokens written by the agent (0: no limit), tokens of its context.

    `context_tokens` of 0 is as many as the agent's model takes. With `by_task` each task has a number
    of tool calls of its own.
    """

    max_steps: int = LEAST_STEPS
    max_tokens: int = 0
    context_tokens: int = 0
    by_task: bool = False

    def at(self, task: Task) -> EpisodeLimits:
        """Return the limits of an episode at `task`."""
        return replace(self, max_steps=agent_steps(task), by_task=False) if self.by_task else self


@dataclass(frozen=True, slots=True)
class Action:
    """One turn of an agent: text and tool calls. Without tool calls the text is the final answer.

    `reasoning` is what a model thought before, `usage` its tokens, `ending` why this answer had to be the last
    (`step_limit`, `token_limit`), None where the agent came to it by itself. `before` are messages that came between
    the last observations and these words: what the agent was told (to answer now), and what it had said to that point.
    """

    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    usage: Usage = field(default_factory=Usage)
    ending: Ending | None = None
    before: tuple[Message, ...] = ()


class Agent(Protocol):
    """Decides, turn by turn. One agent serves one episode."""

    async def act(self, observations: Sequence[Observation]) -> Action:
        """Return the next action, given the observations of the last action's calls, in order.

        The first call brings none.
        """
