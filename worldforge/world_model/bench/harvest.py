"""Gathers transitions from the sessions of runs: read back from trajectories, played once more, chosen by a seed.

A session is played again from its calls alone, so that it is known what each call could disclose. The engine answers as
it did; a session that comes out otherwise than it was recorded is left out from there on.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa
from pydantic import ValidationError

from worldforge.core.chance import Stream
from worldforge.core.errors import InputError
from worldforge.core.files import value_digest
from worldforge.core.progress import Progress
from worldforge.core.run_async import run_sync
from worldforge.environments.controls.control_plan import ControlPlan
from worldforge.environments.controls.session_controls import SessionControls
from worldforge.environments.environment import Environment
from worldforge.environments.registry import environment_of_run
from worldforge.environments.rendering import Rendering, Scene
from worldforge.models.chat import ToolCall
from worldforge.world.task import Task
from worldforge.world.world import World
from worldforge.world_model.bench.rows import Row
from worldforge.world_model.bench.transitions import (
    AppliedControls,
    RecordedCall,
    Transition,
    Truth,
    draw,
    held_out,
)
from worldforge.world_model.prompt import system_of, system_prompt, unaided
from worldforge.world_model.turns import write_action, write_observation

COLUMNS = ["id", "task", "seed", "messages", "observations", "sub_agents"]
"""What is read of trajectories."""
_ID_DIGITS = 12  # hexadecimal, of a digest: ids of the benchmark are whole numbers of that size


@dataclass(frozen=True, slots=True)
class RunSource:
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
class TransitionSample:
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
    n_found: int
    n_teams: int
    n_diverged: int


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """A session as it was: its calls in the order in which they were made, and what each brought.

    `worded` says of each whether a model worded it: then another text is no other answer. `seed` and `place` (how far
    through its run) are what its controls were drawn from.
    """

    run: str
    trajectory: str
    task: str
    seed: int
    place: float
    calls: tuple[ToolCall, ...]
    seen: tuple[str, ...]
    worded: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class ReplayedStep:
    """One call of a session, from 1, that brought something to be put into words; `controls` touched it."""

    turn: int
    scene: Scene
    controls: tuple[str, ...]


class Diverged(Exception):  # noqa: N818
    """A session came out otherwise than it was recorded."""


async def replay(
    recorded: RecordedSession, environment: Environment, controls: SessionControls | None, task: Task | None = None
) -> AsyncIterator[ReplayedStep]:
    """Play a session once more, and give its steps. Raises Diverged at a call that brings something else."""
    watcher = _SceneWatcher()
    session = environment.session(task, recorded.seed, controls=controls, renderer=watcher)
    for turn, (call, seen, worded) in enumerate(
        zip(recorded.calls, recorded.seen, recorded.worded, strict=True), start=1
    ):
        watcher.scene = None
        observation = await session.step(call)
        if observation.text != seen and not worded:
            raise Diverged
        if watcher.scene is not None:
            yield ReplayedStep(turn, watcher.scene, observation.controls)


class _SceneWatcher:
    """Words views as the engine does, and keeps the last scene; a `Renderer`."""

    scene: Scene | None = None

    async def render(self, scene: Scene) -> Rendering:
        self.scene = scene
        return Rendering(scene.text)


def harvest(world: World, sources: Sequence[RunSource], wanted: TransitionSample, progress: Progress) -> Harvest:
    """Gather transitions of a world's runs. Raises InputError for a run in an environment that is not ours."""
    tasks = held_out((task.id for task in world.tasks), wanted.seed, wanted.share)
    return run_sync(_Harvester(world, wanted, tasks, progress).run(sources))


class _Harvester:
    def __init__(self, world: World, wanted: TransitionSample, tasks: frozenset[str], progress: Progress) -> None:
        self._world, self._wanted, self._tasks, self._progress = world, wanted, tasks, progress
        self._by_id = {task.id: task for task in world.tasks}
        self._numbers = {task.id: number for number, task in enumerate(world.tasks)}
        self._choice = _Choice(wanted.n, wanted.seed)
        self._environments: dict[str, Environment] = {}
        self._n_teams = self._n_diverged = 0

    async def run(self, sources: Sequence[RunSource]) -> Harvest:
        for source in sources:
            await self._gather(source)
        return Harvest(
            tuple(self._choice.chosen()),
            tuple(sorted(self._tasks)),
            self._choice.n_seen,
            self._n_teams,
            self._n_diverged,
        )

    async def _gather(self, source: RunSource) -> None:
        environment, plan = self._environment(source), _plan(source)
        controls = environment.controls(plan) if plan is not None else None
        self._progress.start(f"replay {source.run}", source.n_episodes)
        for recorded in self._sessions(source):
            if recorded is None:
                continue
            session = controls.session(recorded.task, recorded.seed, recorded.place) if controls else None
            characters = snippet_limit(plan, recorded.place) if plan is not None else None
            try:
                async for step in replay(recorded, environment, session, self._by_id.get(recorded.task)):
                    self._choice.offer(recorded, step, partial(self._transition, step, recorded, characters))
            except Diverged:
                self._n_diverged += 1

    def _transition(self, step: ReplayedStep, recorded: RecordedSession, characters: int | None) -> Transition:
        world = self._world
        return transition_of(step, recorded, world.name, world.digest, characters, blind=self._wanted.blind)

    def _sessions(self, source: RunSource) -> Iterator[RecordedSession | None]:
        """Give the sessions of held-out tasks; None for other episodes."""
        last = max(1, source.n_tasks - 1)
        for shard in source.shards:
            for row in shard.select(COLUMNS).to_batches(max_chunksize=16):
                for record in row.to_pylist():
                    yield self._session(source, record, self._numbers.get(record["task"], 0) / last)
                    self._progress.advance()

    def _session(self, source: RunSource, row: Mapping[str, Any], place: float) -> RecordedSession | None:
        if row["task"] not in self._tasks:
            return None
        if row["sub_agents"]:
            self._n_teams += 1
            return None
        return recorded_of(source.run, row, place)

    def _environment(self, source: RunSource) -> Environment:
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


class _Choice:
    """Chooses `n` transitions of any number, by a draw for each that depends on nothing but the seed and its place."""

    def __init__(self, n: int, seed: int) -> None:
        self._n, self._stream = n, Stream(seed, "bench").child("transitions")
        self._kept: list[tuple[float, str, int, Transition]] = []  # a heap: the highest draw first
        self.n_seen = 0

    def offer(self, recorded: RecordedSession, step: ReplayedStep, make: Callable[[], Transition]) -> None:
        """Count a transition; make and keep it where it is among the chosen until now."""
        self.n_seen += 1
        drawn = -draw(self._stream.child(recorded.run, recorded.trajectory, step.turn))
        if len(self._kept) == self._n and drawn <= self._kept[0][0]:
            return
        if len(self._kept) == self._n:
            heapq.heappop(self._kept)
        heapq.heappush(self._kept, (drawn, f"{recorded.run} {recorded.trajectory}", step.turn, make()))

    def chosen(self) -> list[Transition]:
        """Return the chosen, session by session, turn by turn."""
        return [entry[3] for entry in sorted(self._kept, key=lambda entry: entry[1:3])]


def transition_of(
    step: ReplayedStep, recorded: RecordedSession, world: str, digest: str, characters: int | None, *, blind: bool
) -> Transition:
    """Write a step as a transition. `blind`: the model is not told what the call discloses."""
    scene, place = step.scene, step.turn - 1
    domain = scene.dialect.domain
    system = system_prompt(unaided(domain), scene.tools, scene.instruction) if blind else system_of(scene)
    asked = write_action(step.turn, scene.call, "" if blind else scene.text)
    prompts = [write_action(turn, call) for turn, call in enumerate(recorded.calls, 1)]
    responses = [write_observation(text) for text in recorded.seen]
    identity = value_digest([digest, recorded.run, recorded.trajectory, step.turn])
    truth = Truth(
        id=int(identity[:_ID_DIGITS], 16),
        world=world,
        world_digest=digest,
        run=recorded.run,
        trajectory=recorded.trajectory,
        task=recorded.task,
        turn=step.turn,
        dialect=scene.dialect.name,
        call=RecordedCall(name=scene.call.name, arguments=scene.call.arguments),
        view=scene.view,
        brought=scene.brought if scene.brought != scene.view else None,
        controls=AppliedControls(names=step.controls, instruction=scene.instruction, characters=characters),
    )
    row = Row(
        task=domain.name,
        id=truth.id,
        prompt=(*prompts[:place], asked, *prompts[step.turn :]),
        response=(*responses[:place], write_observation(scene.text), *responses[step.turn :]),
        current_prompt=asked,
        system_str=system,
        turn_idx=step.turn,
        total_turns=len(recorded.calls),
    )
    return Transition(row, truth)


def recorded_of(run: str, row: Mapping[str, Any], place: float) -> RecordedSession:
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
    return RecordedSession(
        run, row["id"], row["task"], row["seed"], place, tuple(calls[:n]), tuple(seen[:n]), worded[:n]
    )


def _plan(source: RunSource) -> ControlPlan | None:
    if not source.controls:
        return None
    try:
        return ControlPlan.model_validate_json(json.dumps(json.loads(source.controls, object_hook=_without_waits)))
    except ValidationError as error:
        raise InputError(
            f"run `{source.run}`: its controls cannot be read", "it was made by another version: repeat the run"
        ) from error


def _without_waits(section: dict[str, Any]) -> dict[str, Any]:
    """Return a section of a plan that lets nobody wait: latency is written down, and not real."""
    return section | {"real": False} if "real" in section else section


def snippet_limit(plan: ControlPlan, place: float) -> int | None:
    """Return how many characters a shortened snippet has at most under a plan, at `place` of a run."""
    snippets = plan.at(place).snippets
    return snippets.characters if snippets.acts else None
