"""Plays many episodes at once in one event loop: a bounded number under way, and no barrier between them.

As many players as episodes may be under way share one queue; a player that has finished takes the next. Steps that do
not wait (a search in process) run inline; those that do (a model server) leave the loop to the others.
"""

from __future__ import annotations

import asyncio
import json
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldforge.agents.agent import Action, Agent, Limits
from worldforge.agents.episode import Turn, run_episode
from worldforge.environments.session import Observation
from worldforge.rollouts.config import RunConfig
from worldforge.rollouts.factories import AgentFactory, AgentFor, EnvironmentFactory, SessionFor
from worldforge.rollouts.journal import to_line
from worldforge.rollouts.trajectory import Outcome, Trial, trajectory_row
from worldforge.world.world import open_world

Record = Callable[[int, bytes], None]
"""Is told of each finished episode: its index, and its trajectory as a line of a journal."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Who plays, where, by which rules, and how many at once. Pickles, so that another process can open it."""

    world: Path
    agents: AgentFactory
    environment: EnvironmentFactory
    config: RunConfig
    concurrency: int


async def play(setting: Setting, trials: Sequence[Trial], record: Record) -> None:
    """Play all `trials`, at most `concurrency` at once, and `record` each as it finishes.

    An episode in which anything raises is a row with its reason; what raises outside of one ends the call.
    """
    world = open_world(setting.world)
    async with setting.agents.open(world) as agent_for, setting.environment.open(world) as session_for:
        queue = iter(trials)

        async def player() -> None:
            for trial in queue:
                record(trial.index, to_line(await _play_one(setting, trial, agent_for, session_for)))
                await asyncio.sleep(0)  # an episode that never waits would shut out the others, and an interrupt

        n_players = min(setting.concurrency, len(trials))
        await _all_of([asyncio.create_task(player()) for _ in range(n_players)])


async def _all_of(players: list[asyncio.Task[None]]) -> None:
    """Wait for all; what one of them raises is raised as it is, once the others have stopped."""
    try:
        await asyncio.gather(*players)
    finally:
        for player in players:
            player.cancel()
        await asyncio.gather(*players, return_exceptions=True)


async def _play_one(setting: Setting, trial: Trial, agent_for: AgentFor, session_for: SessionFor) -> dict[str, Any]:
    seed = trial.seed(setting.config.world_seed)
    turns: list[Turn] = []
    tools = "[]"
    try:
        session = session_for(trial.task, seed)
        tools = json.dumps(session.tools, ensure_ascii=False)
        agent = _Followed(agent_for(trial.task, seed), turns)
        episode = await run_episode(agent, session, Limits(setting.config.max_steps))
        outcome = Outcome(episode.turns, episode.answer, episode.ending, tools)
        return trajectory_row(trial, setting.config, outcome)
    except Exception as error:  # noqa: BLE001 - an episode that fails is a row with its reason
        outcome = Outcome(tuple(turns), "", "failed", tools, _reason(error))
        return trajectory_row(trial, setting.config, outcome)


class _Followed:
    """An agent, and the turns it has completed: what is left of an episode that fails."""

    def __init__(self, agent: Agent, turns: list[Turn]) -> None:
        self._agent, self._turns = agent, turns
        self._last: Action | None = None

    async def act(self, observations: Sequence[Observation]) -> Action:
        _check_text(observation.text for observation in observations)
        if self._last is not None:
            self._turns.append(Turn(self._last, tuple(observations)))
        self._last = await self._agent.act(observations)
        _check_text([self._last.content])
        _check_text(part for call in self._last.tool_calls for part in (call.id, call.name, call.arguments))
        return self._last


def _check_text(parts: Iterable[object]) -> None:
    for part in parts:
        if not isinstance(part, str):
            raise TypeError(f"words, tool calls and observations are text, not {type(part).__name__}")


def _reason(error: Exception) -> str:
    """Say what was raised, and in which line: `ValueError: no such page (browser.py:41)`."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({Path(place.filename).name}:{place.lineno})"
