"""A control plan made ready for one world: opened once a process, then a session at a time.

    controls = environment.controls(load_controls("mild"))
    session = environment.session(task, seed, controls.session(task.id, seed, place=index / n_episodes))

Gold and the wording of tasks are never touched: controls know calls and what these bring, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from worldforge.core.chance import Stream
from worldforge.environments.control import NoControls, SessionControls
from worldforge.environments.controls.call_controls import PlannedCallControls
from worldforge.environments.controls.content import ContentControls
from worldforge.environments.controls.effective_plan import EffectivePlan, effective_plan
from worldforge.environments.controls.false_values import FalseValues
from worldforge.environments.controls.faults import Attempts
from worldforge.environments.controls.plan import Control, ControlPlan
from worldforge.environments.controls.statements import Statements
from worldforge.environments.controls.substitutions import Substitutions
from worldforge.environments.requests import ToolRequest
from worldforge.models.chat import ToolCall
from worldforge.world.world import World

_STEPS = 100  # places of a run that a schedule tells apart, so that sessions may share what they show
_MOST_HELD = 4_096


class Controls:
    """The controls of one world's sessions."""

    def __init__(self, plan: ControlPlan, world: World, content: ContentControls) -> None:
        """`content` is what content controls do to calls of the environment."""
        self.plan, self._content = plan, content
        self._substitutions = Substitutions(Statements(world), FalseValues(world, plan.seed), plan.seed)
        self._at = lru_cache(_STEPS + 1)(lambda step: plan.at(step / _STEPS))
        self._effective = lru_cache(_MOST_HELD)(
            lambda step, silent, request: effective_plan(self._at(step), silent, request),
        )

    def session(self, task: str, seed: int, place: float = 0.0) -> SessionControls:
        """Return the controls of one session: of a task, under the episode's seed, at `place` of the run (0 to 1)."""
        step = round(min(1.0, max(0.0, place)) * _STEPS) if self.plan.schedule is not None else 0
        plan = self._at(step)
        acting = plan.controls()
        if not acting:
            return NoControls()
        stream = Stream(plan.seed)
        out = _outside(acting, stream.child("task", task), "tasks")
        out |= _outside(acting, stream.child("session", task, seed), "sessions")
        timed = {name: one for name, one in acting.items() if one.from_turn or one.to_turn is not None}
        return _PlannedSession(self, step, frozenset(out), timed, stream.child("faults", task, seed))

    def effective(self, step: int, silent: frozenset[str], request: type[ToolRequest] | None) -> EffectivePlan:
        """Return what holds for requests of a type at a step of the run, the controls named being silent."""
        return self._effective(step, silent, request)  # type: ignore[arg-type]

    def call(self, session: _PlannedSession, turn: int) -> PlannedCallControls:
        """Return the controls of a session's `turn`-th call."""
        silent = session.silent_at(turn)
        return PlannedCallControls(
            lambda request: self.effective(session.step, silent, request),
            self._content,
            self._substitutions,
            session.attempts,
            session.stream,
        )


class _PlannedSession:
    """The controls of one session; a `SessionControls`."""

    def __init__(
        self, controls: Controls, step: int, silent: frozenset[str], timed: Mapping[str, Control], stream: Stream
    ) -> None:
        self._controls, self._silent, self._timed = controls, silent, timed
        self.step, self.stream = step, stream
        self.attempts = Attempts()

    @property
    def instruction(self) -> str:
        """What a model that renders any call is told."""
        return self._controls.effective(self.step, self._silent, None).instruction

    @property
    def key(self) -> str:
        """What identifies the controls of content and their seed."""
        return self._controls.effective(self.step, self._silent, None).key

    def on(self, call: ToolCall, turn: int) -> PlannedCallControls:
        """Return the controls of the `turn`-th call."""
        return self._controls.call(self, turn)

    def silent_at(self, turn: int) -> frozenset[str]:
        """Return the controls that are out of scope at a turn."""
        if not self._timed:
            return self._silent
        return self._silent | {name for name, control in self._timed.items() if not control.is_due(turn)}


def _outside(acting: Mapping[str, Control], stream: Stream, share: str) -> set[str]:
    """Name the controls that a task or session is not among the share of."""
    return {
        name
        for name, control in acting.items()
        if getattr(control, share) < 1
        and stream.child(name).uniform(np.zeros(1, np.int64))[0] >= getattr(control, share)
    }
