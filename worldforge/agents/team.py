"""Agent teams as in WideSearch: the main agent may start sub-agents in parallel, each with its own prompt.

    session = TeamSession(inner, start, limits)
    await session.step(ToolCall("1", "create_sub_agents", '{"sub_agents": [{"index": 1, "prompt": "…"}]}'))

What comes back are their final answers. A sub-agent knows the prompt that the main agent wrote, and nothing else of the
task; it has the tools of the inner session, and so cannot start others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from worldforge.agents.agent import Agent, EpisodeLimits
from worldforge.agents.episode import AgentTurn, Episode, run_episode
from worldforge.environments.arguments import read_arguments
from worldforge.environments.goals import Goal, Outcome, SessionState
from worldforge.environments.session import Observation, Session
from worldforge.environments.team_tool import (
    TEAM_TOOLS,
    TOOLS,
    CreateSubAgents,
    SubAgentOrder,
    join_reports,
    write_failure,
    write_report,
    write_silence,
)
from worldforge.environments.views import ErrorView
from worldforge.models.chat import ToolCall
from worldforge.models.model import ModelUnavailableError

AT_ONCE = 4  # under way in one session, as in the benchmark

StartAgent = Callable[[str, int, EpisodeLimits], Agent]
"""Makes a sub-agent: from its prompt, its number in the session (from 1), and what it may take."""


@dataclass(frozen=True, slots=True)
class SubEpisode:
    """A sub-agent's episode: the call that started it, its index, its prompts. `episode` is None where it failed."""

    call_id: str
    index: int
    system_prompt: str
    prompt: str
    episode: Episode | None
    error: str = ""

    @property
    def turns(self) -> tuple[AgentTurn, ...]:
        """Its turns; none where it failed."""
        return self.episode.turns if self.episode is not None else ()

    @property
    def ending(self) -> str:
        """How it ended."""
        return self.episode.ending if self.episode is not None else "failed"

    @property
    def report(self) -> str:
        """The text that the main agent reads."""
        if self.episode is None:
            return write_failure(self.index, self.error)
        if not self.episode.answer:
            return write_silence(self.index, self.episode.ending)
        return write_report(self.index, self.episode.answer)


class TeamSession:
    """A session whose agent may start others on it; an `environments.session.Session`.

    `start` makes the sub-agents, whose `system_prompt` is kept for the record. `limits` are each sub-agent's, but for
    its tokens, which all of them share.
    """

    def __init__(self, inner: Session, start: StartAgent, limits: EpisodeLimits, system_prompt: str = "") -> None:
        self._inner, self._start, self._limits, self._system_prompt = inner, start, limits, system_prompt
        self._at_once = asyncio.Semaphore(AT_ONCE)
        self._n_started, self._n_tokens_left = 0, limits.max_tokens
        self.sub_episodes: list[SubEpisode] = []

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The inner session's tools, and the one that starts sub-agents."""
        return [*self._inner.tools, *TEAM_TOOLS]

    @property
    def goal(self) -> Goal | None:
        """The inner session's goal."""
        return self._inner.goal

    @property
    def state(self) -> SessionState:
        """The inner session's state, which all agents share."""
        return self._inner.state

    def check(self, goal: Goal) -> Outcome:
        """Check a goal on that state."""
        return self._inner.check(goal)

    async def step(self, call: ToolCall) -> Observation:
        """Start sub-agents and wait for their answers, or pass the call on to the inner session."""
        if call.name not in TOOLS:
            return await self._inner.step(call)
        arguments = read_arguments(call, TOOLS)
        if isinstance(arguments, ErrorView):
            return Observation(arguments.message, arguments.error)
        assert isinstance(arguments, CreateSubAgents)
        orders = arguments.sub_agents
        each = replace(self._limits, max_tokens=self._n_tokens_left // len(orders))
        if self._limits.max_tokens and not each.max_tokens:
            return Observation("Error: the sub-agents have used up their tokens.", "token_limit")
        self._n_tokens_left -= each.max_tokens * len(orders)
        first = self._n_started + 1
        self._n_started += len(orders)
        runs = [self._run(call.id, order, number, each) for number, order in enumerate(orders, first)]
        done = await asyncio.gather(*runs)
        self.sub_episodes += done
        return Observation(join_reports([sub.report for sub in done]))

    async def _run(self, call_id: str, order: SubAgentOrder, number: int, limits: EpisodeLimits) -> SubEpisode:
        """Play one sub-agent; a failure becomes its answer, and its share of tokens is spent."""
        async with self._at_once:
            try:
                episode = await run_episode(self._start(order.prompt, number, limits), self._inner, limits)
            except ModelUnavailableError:
                raise  # no other sub-agent would get an answer either
            except Exception as error:  # noqa: BLE001 - a sub-agent that fails is an answer with its reason
                reason = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
                return SubEpisode(call_id, order.index, self._system_prompt, order.prompt, None, reason)
        written = sum(turn.action.usage.completion for turn in episode.turns)
        self._n_tokens_left += max(0, limits.max_tokens - written)
        return SubEpisode(call_id, order.index, self._system_prompt, order.prompt, episode)
