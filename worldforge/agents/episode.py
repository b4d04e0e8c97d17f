"""Play an episode: one agent in one session, from the first turn to the final answer."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from worldforge.agents.agent import Action, Agent, Ending, EpisodeLimits
from worldforge.environments.session import Observation, Session


@dataclass(frozen=True, slots=True)
class AgentTurn:
    """One action of the agent, and the observations of its calls."""

    action: Action
    observations: tuple[Observation, ...]


@dataclass(frozen=True, slots=True)
class Episode:
    """All turns of an episode. `answer` is the text of the final turn, empty where there was none."""

    turns: tuple[AgentTurn, ...]
    answer: str
    ending: Ending

    @property
    def n_tool_calls(self) -> int:
        """How many tool calls were made."""
        return sum(len(turn.action.tool_calls) for turn in self.turns)


async def run_episode(agent: Agent, session: Session, limits: EpisodeLimits) -> Episode:
    """Let `agent` act in `session` until it answers, or reaches a limit.

    Calls of one action are made together. One that goes past a limit is not made, and ends the episode without an
    answer: an agent that minds its limits answers before.
    """
    turns: list[AgentTurn] = []
    observations: tuple[Observation, ...] = ()
    n_steps = n_tokens = 0
    while True:
        action = await agent.act(observations)
        n_tokens += action.usage.completion
        if not action.tool_calls:
            turns.append(AgentTurn(action, ()))
            return Episode(tuple(turns), action.content, action.ending or "answered")
        n_steps += len(action.tool_calls)
        if n_steps > limits.max_steps:
            return Episode(tuple(turns), "", "step_limit")
        if limits.max_tokens and n_tokens >= limits.max_tokens:
            return Episode(tuple(turns), "", "token_limit")
        observations = tuple(await asyncio.gather(*(session.step(call) for call in action.tool_calls)))
        turns.append(AgentTurn(action, observations))
