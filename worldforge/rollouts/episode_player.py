"""Play single episodes: open agents, environment and models once, then turn each trial into a trajectory.

async with open_player(setup, mentions, note, meter) as play_trial:
    played = await play_trial(trial)
"""

from __future__ import annotations

import json
import logging
import time
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from worldforge.agents.agent import Action, Agent, EpisodeLimits
from worldforge.agents.episode import AgentTurn, run_episode
from worldforge.core.events import emit
from worldforge.core.store import StoreError
from worldforge.environments.call_budget import LEAST_STEPS
from worldforge.environments.coverage import ShownTo
from worldforge.environments.session import Observation, outcome_of
from worldforge.models.embedding import NoEmbedderError
from worldforge.models.model import Model, ModelUnavailableError
from worldforge.models.model_pool import ModelPool
from worldforge.models.request_meter import RequestMeter
from worldforge.rollouts.config import BY_TASK, RunConfig
from worldforge.rollouts.environments import EnvironmentSettings, OpenSession
from worldforge.rollouts.factories import AgentFactory, MakeAgent, TaskMentions
from worldforge.rollouts.journal import to_line
from worldforge.rollouts.run_monitor import EpisodeUsage
from worldforge.rollouts.scores import gold_table
from worldforge.rollouts.trajectory import EpisodeResult, trajectory_row
from worldforge.rollouts.trials import Trial
from worldforge.world.world import World


@dataclass(frozen=True, slots=True)
class RolloutSetup:
    """World, agents and environment of a run, its configuration, and `concurrency` episodes at once a worker. Pickles.

    `opened` are models that the caller has opened, by name; they cannot travel to another process. `n_workers` workers
    share what may be asked of a server at once.
    """

    world: World
    agents: AgentFactory
    environment: EnvironmentSettings
    config: RunConfig
    concurrency: int
    opened: Mapping[str, Model] = field(default_factory=dict)
    n_workers: int = 1

    @property
    def addresses(self) -> dict[str, Any]:
        """What it takes to repeat the run, beside its configuration."""
        return {"agent": self.agents.model, "world_model": self.environment.model, "concurrency": self.concurrency}

    @property
    def limits(self) -> EpisodeLimits:
        """What one episode may take, at a task `limits.at(task)`."""
        by_task = self.config.max_steps == BY_TASK
        steps = LEAST_STEPS if self.config.max_steps == BY_TASK else self.config.max_steps
        return EpisodeLimits(steps, self.config.max_tokens, self.config.context_tokens, by_task)


@dataclass(frozen=True, slots=True)
class PlayedEpisode:
    """A finished episode: its trajectory as a journal line, what it took, and the model error that ended it, if any."""

    line: bytes
    usage: EpisodeUsage
    outage: ModelUnavailableError | None = None


PlayTrial = Callable[[Trial], Awaitable[PlayedEpisode]]


@asynccontextmanager
async def open_player(
    setup: RolloutSetup, mentions: TaskMentions, note: Callable[[str], None], meter: RequestMeter
) -> AsyncIterator[PlayTrial]:
    """Open agents, environment and models; give the function that plays one trial of a task of `mentions`.

    An episode in which anything raises is a row with its reason; what raises outside of one is raised.
    """
    async with (
        ModelPool(setup.opened, meter, note, setup.n_workers) as models,
        setup.agents.open(setup.world, models, setup.limits, mentions) as make_agent,
        setup.environment.open(setup.world, models) as open_session,
    ):
        shown_to = setup.environment.environment.readers(mentions)
        yield lambda trial: _play_one(setup, trial, make_agent, open_session, shown_to)


async def _play_one(
    setup: RolloutSetup, trial: Trial, make_agent: MakeAgent, open_session: OpenSession, shown_to: ShownTo
) -> PlayedEpisode:
    seed = trial.seed(setup.config.world_seed, setup.config.seed)
    turns: list[AgentTurn] = []
    usage = EpisodeUsage(n_episodes=1, began=time.time())
    began = time.perf_counter()
    tools = "[]"
    try:
        session = open_session(trial, seed)
        player = make_agent(trial, seed, session)
        tools = json.dumps(player.session.tools, ensure_ascii=False)
        episode = await run_episode(_RecordingAgent(player.agent, turns), player.session, setup.limits.at(trial.task))
        outcome = outcome_of(session)
        result = EpisodeResult(
            episode.turns, episode.answer, episode.ending, tools, "", tuple(player.sub_agents), outcome
        )
        outage = None
    except (NoEmbedderError, StoreError):  # no episode could go on
        raise
    except Exception as error:  # noqa: BLE001 - an episode that fails is a row with its reason
        result = EpisodeResult(tuple(turns), "", "failed", tools, _reason(error))
        usage.n_failed = 1
        emit("episode_failed", logging.WARNING, episode=trial.id, reason=result.error)
        outage = error if isinstance(error, ModelUnavailableError) else None
    usage.endings[result.ending] += 1
    usage.seconds, usage.ended = time.perf_counter() - began, time.time()
    for turn in result.all_turns:
        usage.count_turn(turn)
    row = trajectory_row(trial, setup.config, result, shown_to(trial.task), gold_table(setup.world, trial.task))
    return PlayedEpisode(to_line(row), usage, outage)


class _RecordingAgent:
    """An agent whose completed turns are added to a list: what is left of an episode that fails."""

    def __init__(self, agent: Agent, turns: list[AgentTurn]) -> None:
        self._agent, self._turns = agent, turns
        self._last: Action | None = None

    async def act(self, observations: Sequence[Observation]) -> Action:
        _check_text(observation.text for observation in observations)
        if self._last is not None:
            self._turns.append(AgentTurn(self._last, tuple(observations)))
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
