"""An episode: one agent, one session, one task's wording, from the first turn to the final answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from worldforge.agents.agent import Action, Agent
from worldforge.environments.session import Observation, Session

Ending = Literal["answered", "step_limit"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One action of the agent, and what its calls brought."""

    action: Action
    observations: tuple[Observation, ...]


@dataclass(frozen=True, slots=True)
class Episode:
    """All turns of an episode. `answer` is the text of the final turn, empty where there was none."""

    turns: tuple[Turn, ...]
    answer: str
    ending: Ending

    @property
    def n_tool_calls(self) -> int:
        """How many tool calls were made."""
        return sum(len(turn.action.tool_calls) for turn in self.turns)


async def run_episode(agent: Agent, session: Session, max_steps: int) -> Episode:
    """Let `agent` act in `session` until it answers, or has made `max_steps` tool calls."""
    turns: list[Turn] = []
    observations: tuple[Observation, ...] = ()
    n_steps = 0
    while True:
        action = await agent.act(observations)
        if not action.tool_calls:
            turns.append(Turn(action, ()))
            return Episode(tuple(turns), action.content, "answered")
        n_steps += len(action.tool_calls)
        if n_steps > max_steps:
            return Episode(tuple(turns), "", "step_limit")
        observations = tuple([await session.call(call) for call in action.tool_calls])
        turns.append(Turn(action, observations))
