"""Transitions gathered from the sessions of runs: read back from trajectories, played once more, chosen by a seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pydantic import ValidationError

from worldforge.core.errors import InputError
from worldforge.core.progress import Progress
from worldforge.core.run_async import run_sync
from worldforge.environments.controls.plan import ControlPlan
from worldforge.environments.environment import Environment
from worldforge.environments.registry import environment_of_run
from worldforge.models.chat import ToolCall
from worldforge.world.world import World
from worldforge.world_model.bench.replay import Diverged, Recorded, replay, snippet_limit
from worldforge.world_model.bench.transitions import Choice, Transition, held_out, transition_of

COLUMNS = ["id", "task", "seed", "messages", "observations", "sub_agents"]
"""What is read of trajectories."""


@dataclass(frozen=True, slots=True)
class Source:
    """A run to gather from: its name, its environment (`search/agentworld`), its controls as JSON text, or empty.

    `shards` are tables of trajectories with `COLUMNS` at least, in the order of the run's `n_episodes` episodes, which
    are of the world's first `n_tasks` tasks.
    """

    run: str
    environment: str
    controls: str
    n_episodes: int
    n_tasks: int
    shards: Iterable[pa.Table]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which transitions: at most `n`, of the `share` of tasks that `seed` holds out; `blind`, see `transition_of`."""

    n: int
    seed: int
    share: float
    blind: bool = False


@dataclass(frozen=True, slots=True)
class Harvest:
    """The chosen transitions, and what they were chosen from.

    `tasks` are those held out, `n_found` their transitions. Sessions of teams, whose agents share one session, are left
    out (`n_teams`), and those that came out otherwise when they were played again, from there on (`n_diverged`).
    """

    transitions: tuple[Transition, ...]
    tasks: tuple[str, ...]
    n_sessions: int
    n_found: int
    n_teams: int
    n_diverged: int


def harvest(world: World, sources: Sequence[Source], wanted: Wanted, progress: Progress) -> Harvest:
    """Gather transitions of a world's runs. Raises InputError for a run in an environment that is not ours."""
    tasks = held_out((task.id for task in world.tasks), wanted.seed, wanted.share)
    return run_sync(_Gathering(world, wanted, tasks, progress).run(sources))


class _Gathering:
    def __init__(self, world: World, wanted: Wanted, tasks: frozenset[str], progress: Progress) -> None:
        self._world, self._wanted, self._tasks, self._progress = world, wanted, tasks, progress
        self._by_id = {task.id: task for task in world.tasks}
        self._numbers = {task.id: number for number, task in enumerate(world.tasks)}
        self._choice = Choice(wanted.n, wanted.seed)
        self._environments: dict[str, Environment] = {}
        self._n_sessions = self._n_teams = self._n_diverged = 0

    async def run(self, sources: Sequence[Source]) -> Harvest:
        for source in sources:
            await self._gather(source)
        return Harvest(
            tuple(self._choice.chosen()),
            tuple(sorted(self._tasks)),
            self._n_sessions,
            self._choice.n_seen,
            self._n_teams,
            self._n_diverged,
        )

    async def _gather(self, source: Source) -> None:
        environment, plan = self._environment(source), _plan(source)
        controls = environment.controls(plan) if plan is not None else None
        self._progress.start(f"replay {source.run}", source.n_episodes)
        for recorded in self._sessions(source):
            if recorded is None:
                continue
            session = controls.session(recorded.task, recorded.seed, recorded.place) if controls else None
            characters = snippet_limit(plan, recorded.place) if plan is not None else None
            self._n_sessions += 1
            try:
                async for step in replay(recorded, environment, session, self._by_id.get(recorded.task)):
                    if self._choice.wants(recorded, step.turn):
                        made = transition_of(
                            step,
                            recorded,
                            self._world.name,
                            self._world.digest,
                            characters,
                            blind=self._wanted.blind,
                        )
                        self._choice.add(recorded, step.turn, made)
            except Diverged:
                self._n_diverged += 1

    def _sessions(self, source: Source) -> Iterator[Recorded | None]:
        """Give the sessions of held-out tasks; None for other episodes."""
        last = max(1, source.n_tasks - 1)
        for shard in source.shards:
            for row in shard.select(COLUMNS).to_batches(max_chunksize=16):
                for record in row.to_pylist():
                    yield self._session(source, record, self._numbers.get(record["task"], 0) / last)
                    self._progress.advance()

    def _session(self, source: Source, row: Mapping[str, Any], place: float) -> Recorded | None:
        if row["task"] not in self._tasks:
            return None
        if row["sub_agents"]:
            self._n_teams += 1
            return None
        return recorded_of(source.run, row, place)

    def _environment(self, source: Source) -> Environment:
        name = source.environment
        if name not in self._environments:
            try:
                environment, dialect = environment_of_run(name)
            except InputError as error:
                raise InputError(
                    f"run `{source.run}` was made in the environment `{name}`: {error.message}", error.hint
                ) from error
            self._environments[name] = environment(self._world, dialect)
        return self._environments[name]


def recorded_of(run: str, row: Mapping[str, Any], place: float) -> Recorded:
    """Read a trajectory back as a session: the calls that brought something, in order, and what they brought."""
    calls: list[ToolCall] = []
    seen: list[str] = []
    asked: dict[str, ToolCall] = {}
    for message in row["messages"]:
        for call in message["tool_calls"] or []:
            function = call["function"]
            asked[call["id"]] = ToolCall(call["id"], function["name"], function["arguments"])
        if message["role"] == "tool" and message["tool_call_id"] in asked:
            calls.append(asked[message["tool_call_id"]])
            seen.append(message["content"])
    worded = tuple(observation["source"] == "model" for observation in row["observations"])
    n = min(len(calls), len(worded))
    return Recorded(run, row["id"], row["task"], row["seed"], place, tuple(calls[:n]), tuple(seen[:n]), worded[:n])


def _plan(source: Source) -> ControlPlan | None:
    if not source.controls:
        return None
    try:
        return ControlPlan.model_validate_json(source.controls)
    except ValidationError as error:
        raise InputError(
            f"run `{source.run}`: its controls cannot be read", "it was made by another version: repeat the run"
        ) from error
