"""Plays many episodes at once in one event loop: a bounded number under way, and no barrier between them.

    async with open_player(setting, tasks) as play_one:
        played = await play_one(trial)

Steps that do not wait (a search in process) run inline; those that do (a model) leave the loop to the others.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
import time
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from worldforge.agents.agent import Action, Agent, EpisodeLimits
from worldforge.agents.episode import AgentTurn, run_episode
from worldforge.core.events import emit
from worldforge.core.run_async import gather_or_cancel
from worldforge.core.store import StoreError
from worldforge.environments.call_budget import LEAST_STEPS
from worldforge.environments.coverage import ShownTo
from worldforge.environments.goals import Outcome
from worldforge.environments.session import Observation, Session
from worldforge.models.embedding import NoEmbedderError
from worldforge.models.model import Model, ModelUnavailableError
from worldforge.models.model_pool import ModelPool
from worldforge.models.request_meter import RequestMeter, repeating
from worldforge.rollouts.allowance import Allowance
from worldforge.rollouts.config import BY_TASK, RunConfig
from worldforge.rollouts.environments import readers_for
from worldforge.rollouts.factories import AgentFactory, EnvironmentFactory, MakeAgent, OpenSession
from worldforge.rollouts.journal import to_line
from worldforge.rollouts.scores import gold_table
from worldforge.rollouts.spent import Loads, Spent
from worldforge.rollouts.task_mentions import TaskMentions
from worldforge.rollouts.trajectory import EpisodeResult, trajectory_row
from worldforge.rollouts.trials import Trial
from worldforge.world.task import Task
from worldforge.world.world import World

_OUTAGE = 16  # episodes in a row for which a model was unavailable: the rest would only fail too


class Watch(Protocol):
    """Is told how a sitting goes, and says when it is to end."""

    def finished(self, index: int, line: bytes, spent: Spent) -> None:
        """Take a finished episode: its index, its trajectory as a line of a journal, and what it took."""

    def going(self, loads: Loads) -> None:
        """Take what models have done until now, while episodes are under way."""

    def note(self, words: str) -> None:
        """Take in a few words what is being made ready."""

    def stopping(self) -> bool:
        """Say whether no further episode is to begin."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Who plays, where, by which rules, and how many at once. Pickles, so that another process can open it.

    `given` are models that the caller has opened, by name; they cannot travel to another process. `n_workers` processes
    share what may be asked of a server at once.
    """

    world: World
    agents: AgentFactory
    environment: EnvironmentFactory
    config: RunConfig
    concurrency: int
    given: Mapping[str, Model] = field(default_factory=dict)
    n_workers: int = 1

    @property
    def asked(self) -> dict[str, Any]:
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
    spent: Spent
    outage: ModelUnavailableError | None = None


@asynccontextmanager
async def open_player(
    setting: Setting,
    tasks: Iterable[Task],
    note: Callable[[str], None],
    meter: RequestMeter | None = None,
    kept: Path | None = None,
) -> AsyncIterator[Callable[[Trial], Awaitable[PlayedEpisode]]]:
    """Open agents, environment and models; give the function that plays one trial of one of `tasks`.

    `kept` is a folder with what pages state of the tasks, where another process has read it. An episode in which
    anything raises is a row with its reason; what raises outside of one is raised.
    """
    world, meter, process = setting.world, meter or RequestMeter(), process_name()
    stated = TaskMentions(world, tasks, kept)
    async with (
        ModelPool(setting.given, meter, note, setting.n_workers) as models,
        setting.agents.open(world, models, setting.limits, stated) as make_agent,
        setting.environment.open(world, models) as open_session,
    ):
        shown_to = readers_for(setting.config.environment)(stated)

        async def play_one(trial: Trial) -> PlayedEpisode:
            played = await _play_one(setting, world, trial, make_agent, open_session, shown_to)
            played.spent.loads[process] = meter.load
            return played

        yield play_one


async def play(setting: Setting, trials: Sequence[Trial], watch: Watch, tokens: int | None = None) -> None:
    """Play `trials`, at most `setting.concurrency` at once, until all are done or `watch` says stop.

    As many players share one queue; a player that has finished takes the next trial. `tokens` are what all may take,
    as far as can be told when one begins: see `Allowance`. Episodes that a model ended by being unavailable are not
    recorded: see `Recorder`.
    """
    meter, record = RequestMeter(), Recorder(watch)
    queue, allowance = iter(trials), Allowance(tokens, watch.stopping)
    async with open_player(setting, [trial.task for trial in trials], watch.note, meter) as play_one:

        async def player() -> None:
            for trial in queue:
                if not await allowance.begin():
                    return
                played = await play_one(trial)
                allowance.end(played.spent.tokens)
                record.take(trial, played)
                await asyncio.sleep(0)  # an episode that never waits would shut out the others, and an interrupt
                if watch.stopping():
                    return

        n_players = min(setting.concurrency, len(trials))
        async with repeating(lambda: watch.going(Loads({process_name(): meter.load}))):
            await gather_or_cancel([asyncio.create_task(player()) for _ in range(n_players)])
        record.close()


def process_name() -> str:
    """Name this process among those of a cluster."""
    return f"{socket.gethostname()}:{os.getpid()}"


class Recorder:
    """Passes finished episodes on to a watch, and drops those that ended because a model was unavailable.

    A later call plays these. After `_OUTAGE` of them in a row, and at the end where there are some, the model's error
    is raised.
    """

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._n_dropped = self._in_a_row = 0
        self._outage: ModelUnavailableError | None = None

    def take(self, trial: Trial, played: PlayedEpisode) -> None:
        """Record an episode. Raises ModelUnavailableError where too many have been dropped in a row."""
        if played.outage is None:
            self._in_a_row = 0
            self._watch.finished(trial.index, played.line, played.spent)
            return
        self._outage = played.outage
        self._n_dropped, self._in_a_row = self._n_dropped + 1, self._in_a_row + 1
        if self._in_a_row >= _OUTAGE:
            self.close()

    def close(self) -> None:
        """Raise ModelUnavailableError where episodes were dropped."""
        if self._outage is not None:
            raise ModelUnavailableError(
                f"{self._outage.message}\n{self._n_dropped:,} episodes were given up for it, and are not recorded",
                " ".join(filter(None, [self._outage.hint, "the same command goes on once the model answers"])),
            ) from self._outage


async def _play_one(
    setting: Setting, world: World, trial: Trial, make_agent: MakeAgent, open_session: OpenSession, shown_to: ShownTo
) -> PlayedEpisode:
    seed = trial.seed(setting.config.world_seed, setting.config.seed)
    turns: list[AgentTurn] = []
    spent = Spent(n_episodes=1)
    began = time.perf_counter()
    tools = "[]"
    try:
        session = open_session(trial, seed)
        seat = make_agent(trial, seed, session)
        tools = json.dumps(seat.session.tools, ensure_ascii=False)
        episode = await run_episode(_Followed(seat.agent, turns), seat.session, setting.limits.at(trial.task))
        reached = outcome_of(session)
        result = EpisodeResult(episode.turns, episode.answer, episode.ending, tools, "", seat.sub_agents(), reached)
        outage = None
    except (NoEmbedderError, StoreError):  # no episode could go on
        raise
    except Exception as error:  # noqa: BLE001 - an episode that fails is a row with its reason
        result = EpisodeResult(tuple(turns), "", "failed", tools, _reason(error))
        spent.n_failed = 1
        emit("episode_failed", logging.WARNING, episode=trial.id, reason=result.error)
        outage = error if isinstance(error, ModelUnavailableError) else None
    spent.endings[result.ending] += 1
    spent.seconds = time.perf_counter() - began
    for turn in result.all_turns:
        spent.acted(turn.action)
        for seen in turn.observations:
            spent.observed(seen)
    gold = gold_table(world, trial.task)
    row = trajectory_row(trial, setting.config, result, shown_to(trial.task), gold)
    return PlayedEpisode(to_line(row), spent, outage)


def outcome_of(session: Session) -> Outcome | None:
    """Check the goal of a session, where it has one: those of factories of one's own need know of none."""
    goal = getattr(session, "goal", None)
    return session.check(goal) if goal is not None else None


class _Followed:
    """An agent, and the turns it has completed: what is left of an episode that fails."""

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
