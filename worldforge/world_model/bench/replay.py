"""Sessions played once more from their calls alone, so that it is known what each call could disclose.

    for transition in replay(recorded, environment, controls): …

The engine answers as it did; what it answers is held against what the session saw, and a session that comes out
otherwise is left out from there on.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from worldforge.environments.backend import SessionBackend
from worldforge.environments.control import CallControls, Finished, NoControls, SessionControls, Shaped
from worldforge.environments.controls.plan import ControlPlan
from worldforge.environments.environment import Environment
from worldforge.environments.rendering import Rendering, Scene
from worldforge.environments.requests import ToolRequest
from worldforge.environments.views import ErrorView, ToolView
from worldforge.models.chat import ToolCall
from worldforge.world.task import Task


@dataclass(frozen=True, slots=True)
class Recorded:
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
    """One call of a session, from 1, that brought something to be put into words.

    `brought` is the world's own answer where controls changed it, else None; `names` are the controls that touched it.
    """

    turn: int
    scene: Scene
    brought: ToolView | None
    names: tuple[str, ...]


class Diverged(Exception):  # noqa: N818
    """A session came out otherwise than it was recorded: `turn` is the first call that did."""

    def __init__(self, turn: int) -> None:
        super().__init__(f"turn {turn}")
        self.turn = turn


async def replay(
    recorded: Recorded, environment: Environment, controls: SessionControls | None, task: Task | None = None
) -> AsyncIterator[ReplayedStep]:
    """Play a session once more, and give its steps. Raises Diverged at a call that brings something else."""
    watched = _Watched(controls or NoControls())
    watcher = _Watcher()
    session = environment.session(task, recorded.seed, controls=watched, renderer=watcher)
    for turn, (call, seen, worded) in enumerate(
        zip(recorded.calls, recorded.seen, recorded.worded, strict=True), start=1
    ):
        watcher.scene = None
        observation = await session.step(call)
        if observation.text != seen and not worded:
            raise Diverged(turn)
        if watcher.scene is not None:
            last = watched.last
            brought = last.brought if last is not None and last.brought != watcher.scene.view else None
            yield ReplayedStep(turn, watcher.scene, brought, observation.controls)


def snippet_limit(plan: ControlPlan, place: float) -> int | None:
    """Return how many characters a shortened snippet has at most under a plan, at `place` of a run."""
    snippets = plan.at(place).snippets
    return snippets.characters if snippets.acts else None


class _Watcher:
    """Words views as the engine does, and keeps the last scene; a `Renderer`."""

    scene: Scene | None = None

    async def render(self, scene: Scene) -> Rendering:
        self.scene = scene
        return Rendering(scene.text)


class _Watched:
    """The controls of a session, each call's kept for as long as it is the last; a `SessionControls`."""

    def __init__(self, inner: SessionControls) -> None:
        self._inner = inner
        self.last: _WatchedCall | None = None

    @property
    def instruction(self) -> str:
        return self._inner.instruction

    @property
    def key(self) -> str:
        return self._inner.key

    def on(self, call: ToolCall, turn: int) -> _WatchedCall:
        self.last = _WatchedCall(self._inner.on(call, turn))
        return self.last


class _WatchedCall:
    """The controls of a call, with what the world brought before they changed it; waits for nothing."""

    pause_s = 0.0

    def __init__(self, inner: CallControls) -> None:
        self._inner = inner
        self.brought: ToolView | None = None

    @property
    def key(self) -> str:
        return self._inner.key

    @property
    def names(self) -> tuple[str, ...]:
        return self._inner.names

    @property
    def latency_s(self) -> float:
        return self._inner.latency_s

    def admit(self, request: ToolRequest) -> ToolRequest | ErrorView:
        return self._inner.admit(request)

    def shape(self, view: ToolView, backend: SessionBackend) -> Shaped:
        self.brought = view
        return self._inner.shape(view, backend)

    def finish(self, text: str) -> Finished:
        return self._inner.finish(text)
