"""Held-out transitions: a session until a call, the call, and what it truly brings.

A world's tasks are put in an order drawn from a seed, and the first share of them is held out: all sessions of a task
are, or none, so that nobody who trains on the others has seen one. Of their transitions as many are drawn as wanted.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from worldforge.core.chance import Stream
from worldforge.core.files import value_digest
from worldforge.environments.domain import Domain
from worldforge.environments.rendering import Scene
from worldforge.world_model.bench.replay import Recorded, ReplayedStep
from worldforge.world_model.bench.rows import Row
from worldforge.world_model.bench.scenes import RecordedCall, Touch, Truth, kept
from worldforge.world_model.prompt import system_of, system_prompt, unaided
from worldforge.world_model.turns import write_action, write_observation

HELD_OUT, SEED = 0.2, 0
"""The share of tasks that is held out where nobody says otherwise, and the seed of which they are."""
_ID_DIGITS = 12  # hexadecimal, of a digest: ids of the benchmark are whole numbers of that size


@dataclass(frozen=True, slots=True)
class Transition:
    """One transition: its line in the benchmark's form, and its truth."""

    row: Row
    truth: Truth


def held_out(tasks: Iterable[str], seed: int, share: float = HELD_OUT) -> frozenset[str]:
    """Return which tasks, by id, are held out under a seed: `share` of them, rounded up."""
    stream = Stream(seed, "bench").child("tasks")
    ordered = sorted(set(tasks), key=lambda task: (_draw(stream.child(task)), task))
    return frozenset(ordered[: math.ceil(share * len(ordered))])


class Choice:
    """Chooses `n` transitions of any number, by a draw for each that depends on nothing but the seed and its place."""

    def __init__(self, n: int, seed: int) -> None:
        self._n, self._stream = n, Stream(seed, "bench").child("transitions")
        self._kept: list[tuple[float, str, int, Transition]] = []  # a heap: the highest draw first
        self.n_seen = 0

    def wants(self, recorded: Recorded, turn: int) -> bool:
        """Say whether a transition would be among the chosen until now, and count it."""
        self.n_seen += 1
        return len(self._kept) < self._n or -self._place(recorded, turn) > self._kept[0][0]

    def add(self, recorded: Recorded, turn: int, transition: Transition) -> None:
        """Keep a transition, in the place of the last of those kept where there are enough."""
        entry = (-self._place(recorded, turn), f"{recorded.run} {recorded.trajectory}", turn, transition)
        if len(self._kept) < self._n:
            heapq.heappush(self._kept, entry)
        else:
            heapq.heappushpop(self._kept, entry)

    def chosen(self) -> list[Transition]:
        """Return the chosen, session by session, turn by turn."""
        return [entry[3] for entry in sorted(self._kept, key=lambda entry: entry[1:3])]

    def _place(self, recorded: Recorded, turn: int) -> float:
        return _draw(self._stream.child(recorded.run, recorded.trajectory, turn))


def transition_of(
    step: ReplayedStep, recorded: Recorded, world: str, digest: str, characters: int | None, *, blind: bool
) -> Transition:
    """Write a step as a transition. `blind`: the model is not told what the call discloses, and is to know it."""
    scene, place = step.scene, step.turn - 1
    system = blind_system(scene) if blind else system_of(scene)
    asked = write_action(step.turn, scene.call, "" if blind else scene.text)
    prompts = [write_action(turn, call) for turn, call in enumerate(recorded.calls, 1)]
    responses = [write_observation(text) for text in recorded.seen]
    truth = Truth.model_validate(
        {
            "id": _identity(digest, recorded, step.turn),
            "world": world,
            "world_digest": digest,
            "run": recorded.run,
            "trajectory": recorded.trajectory,
            "task": recorded.task,
            "turn": step.turn,
            "dialect": scene.dialect.name,
            "call": RecordedCall(name=scene.call.name, arguments=scene.call.arguments),
            "view": kept(scene.view),
            "brought": kept(step.brought) if step.brought is not None else None,
            "controls": Touch(names=step.names, instruction=scene.instruction, characters=characters),
        }
    )
    row = Row(
        task=domain_of(scene).name,
        id=truth.id,
        prompt=(*prompts[:place], asked, *prompts[step.turn :]),
        response=(*responses[:place], write_observation(scene.text), *responses[step.turn :]),
        current_prompt=asked,
        system_str=system,
        turn_idx=step.turn,
        total_turns=len(recorded.calls),
    )
    return Transition(row, truth)


def domain_of(scene: Scene) -> Domain:
    """Return the domain that a scene is of."""
    return scene.dialect.domain


def blind_system(scene: Scene) -> str:
    """Write the system prompt for a model that is not told what a call discloses: it makes it up, or knows it."""
    return system_prompt(unaided(domain_of(scene)), scene.tools, scene.instruction)


def by_domain(transitions: Sequence[Transition]) -> Iterator[tuple[str, list[Transition]]]:
    """Give the transitions of each domain, by its name."""
    for name in sorted({one.row.task for one in transitions}):
        yield name, [one for one in transitions if one.row.task == name]


def _identity(digest: str, recorded: Recorded, turn: int) -> int:
    return int(value_digest([digest, recorded.run, recorded.trajectory, turn])[:_ID_DIGITS], 16)


def _draw(stream: Stream) -> float:
    return float(stream.uniform(np.zeros(1, np.int64))[0])
