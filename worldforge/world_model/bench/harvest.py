"""Gathers transitions from the sessions of runs: read back from trajectories, played once more, chosen by a seed.

A session is played again from its calls alone, so that it is known what each call could disclose. The engine answers as
it did; a session that comes out otherwise than it was recorded is left out from there on.
"""

from __future__ import annotations

import heapq
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
from worldforge.environments.session import Rendering, Scene
from worldforge.models.chat import ToolCall
from worldforge.world.task import Task
from worldforge.world.world import World
from worldforge.world_model.bench.transitions import (
    AppliedControls,
    RecordedCall,
    Row,
    Transition,
    Truth,
    draw,
    held_out,
)
from worldforge.world_model.prompt import system_of, system_prompt, unaided, write_action, write_observation

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
    """A session as it was. `seed` and `place` (how far through its run) are what its controls were drawn from.

    `turns` are its calls in the order in which they were made, what each brought, and whether a model worded that: then
    another text is no other answer.
    """

    run: str
    trajectory: str
    task: str
    seed: int
    place: float
    turns: tuple[tuple[ToolCall, str, bool], ...]


@dataclass(frozen=True, slots=True)
class ReplayedStep:
    """One call of a session, from 1, that brought something to be put into words; `controls` touched it."""

    turn: int
    scene: Scene
    controls: tuple[str, ...]


Candidate = tuple[ReplayedStep, RecordedSession, int | None]
"""A step that may be chosen, its session, and how many characters a shortened snippet has at most there."""


async def replay(
    recorded: RecordedSession, environment: Environment, controls: SessionControls | None, task: Task | None = None
) -> tuple[list[ReplayedStep], bool]:
    """Play a session once more; return its steps until a call brings something else, and whether one did."""
    watcher = _SceneWatcher()
    session = environment.session(task, recorded.seed, controls=controls, renderer=watcher)
    steps: list[ReplayedStep] = []
    for turn, (call, seen, worded) in enumerate(recorded.turns, start=1):
        watcher.scene = None
        observation = await session.step(call)
        if observation.text != seen and not worded:
            return steps, True
        if watcher.scene is not None:
            steps.append(ReplayedStep(turn, watcher.scene, observation.controls))
    return steps, False


class _SceneWatcher:
    """Words views as the engine does, and keeps the last scene; a `Renderer`."""

    scene: Scene | None = None

    async def render(self, scene: Scene) -> Rendering:
        self.scene = scene
        return Rendering(scene.text)


def harvest(world: World, sources: Sequence[RunSource], sample: TransitionSample, progress: Progress) -> Harvest:
    """Gather transitions of a world's runs, chosen by a draw for each that depends on the seed and its place alone.

    Raises InputError for a run in an environment that is not ours.
    """
    tasks = held_out((task.id for task in world.tasks), sample.seed, sample.share)
    stream = Stream(sample.seed, "bench").child("transitions")
    count, environments = Counter[str](), dict[str, Environment]()

    def candidates() -> Iterator[Candidate]:
        for source in sources:
            environment = environments.get(source.environment) or _environment(world, source)
            environments[source.environment] = environment
            progress.start(f"replay {source.run}", source.n_episodes)
            yield from _candidates(world, source, environment, _sessions(world, source, tasks, count, progress), count)

    def drawn(one: Candidate) -> float:
        step, recorded, _ = one
        return draw(stream.child(recorded.run, recorded.trajectory, step.turn))

    chosen = heapq.nsmallest(sample.n, candidates(), key=drawn)
    chosen.sort(key=lambda one: (f"{one[1].run} {one[1].trajectory}", one[0].turn))
    transitions = tuple(
        transition_of(step, recorded, world, characters, blind=sample.blind) for step, recorded, characters in chosen
    )
    return Harvest(transitions, tuple(sorted(tasks)), count["found"], count["teams"], count["diverged"])


def _candidates(
    world: World,
    source: RunSource,
    environment: Environment,
    sessions: Iterable[RecordedSession],
    count: Counter[str],
) -> Iterator[Candidate]:
    plan, by_id = _plan(source), {task.id: task for task in world.tasks}
    controls = environment.controls(plan) if plan is not None else None
    for recorded in sessions:
        session = controls.session(recorded.task, recorded.seed, recorded.place) if controls else None
        characters = snippet_limit(plan, recorded.place) if plan is not None else None
        steps, diverged = run_sync(replay(recorded, environment, session, by_id.get(recorded.task)))
        count.update(found=len(steps), diverged=diverged)
        yield from ((step, recorded, characters) for step in steps)


def _sessions(
    world: World, source: RunSource, tasks: Collection[str], count: Counter[str], progress: Progress
) -> Iterator[RecordedSession]:
    """Give a run's sessions of the held-out `tasks`."""
    numbers = {task.id: number for number, task in enumerate(world.tasks)}
    for shard in source.shards:
        for batch in shard.select(COLUMNS).to_batches(max_chunksize=16):
            for row in batch.to_pylist():
                progress.advance()
                if row["task"] in tasks and row["sub_agents"]:
                    count["teams"] += 1
                elif row["task"] in tasks:
                    yield read_session(source.run, row, numbers.get(row["task"], 0) / max(1, source.n_tasks - 1))


def _environment(world: World, source: RunSource) -> Environment:
    try:
        environment, dialect = environment_of_run(source.environment)
    except InputError as error:
        raise InputError(
            f"run `{source.run}` was made in the environment `{source.environment}`: {error.message}", error.hint
        ) from error
    return environment(world, dialect)


def transition_of(
    step: ReplayedStep, recorded: RecordedSession, world: World, characters: int | None, *, blind: bool
) -> Transition:
    """Write a step as a transition. `blind`: the model is not told what the call discloses."""
    scene, place = step.scene, step.turn - 1
    domain = scene.dialect.domain
    system = system_prompt(unaided(domain), scene.tools, scene.instruction) if blind else system_of(scene)
    action = write_action(step.turn, scene.call, "" if blind else scene.text)
    prompts = [write_action(turn, call) for turn, (call, _, _) in enumerate(recorded.turns, 1)]
    responses = [write_observation(text) for _, text, _ in recorded.turns]
    identity = value_digest([world.digest, recorded.run, recorded.trajectory, step.turn])
    truth = Truth(
        id=int(identity[:_ID_DIGITS], 16),
        world=world.name,
        world_digest=world.digest,
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
        prompt=(*prompts[:place], action, *prompts[step.turn :]),
        response=(*responses[:place], write_observation(scene.text), *responses[step.turn :]),
        current_prompt=action,
        system_str=system,
        turn_idx=step.turn,
        total_turns=len(recorded.turns),
    )
    return Transition(row, truth)


def read_session(run: str, row: Mapping[str, Any], place: float) -> RecordedSession:
    """Read a trajectory back as a session: the calls that brought something, in order, and what they brought."""
    calls: dict[str, ToolCall] = {}
    brought: list[tuple[ToolCall, str]] = []
    for message in row["messages"]:
        for call in message["tool_calls"] or []:
            function = call["function"]
            calls[call["id"]] = ToolCall(call["id"], function["name"], function["arguments"])
        if message["role"] == "tool" and message["tool_call_id"] in calls:
            brought.append((calls[message["tool_call_id"]], message["content"]))
    worded = [observation["source"] == "model" for observation in row["observations"]]
    turns = tuple((*one, by_model) for one, by_model in zip(brought, worded, strict=False))
    return RecordedSession(run, row["id"], row["task"], row["seed"], place, turns)


def _plan(source: RunSource) -> ControlPlan | None:
    """Read the plan of a run's controls; nobody waits: latency is written down, and not real."""
    if not source.controls:
        return None

    def without_waits(section: dict[str, Any]) -> dict[str, Any]:
        return section | {"real": False} if "real" in section else section

    try:
        return ControlPlan.model_validate_json(json.dumps(json.loads(source.controls, object_hook=without_waits)))
    except ValidationError as error:
        raise InputError(
            f"run `{source.run}`: its controls cannot be read", "it was made by another version: repeat the run"
        ) from error


def snippet_limit(plan: ControlPlan, place: float) -> int | None:
    """Return how many characters a shortened snippet has at most under a plan, at `place` of a run."""
    snippets = plan.at(place).snippets
    return snippets.characters if snippets.acts else None
