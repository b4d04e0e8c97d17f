"""Apply a control plan to the sessions and calls of one world.

    controls = environment.controls(load_controls("mild"))
    session = environment.session(task, seed, controls=controls.session(task.id, seed, place=index / n_episodes))

Gold and the wording of tasks are never touched: controls know calls and what these bring, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from worldforge.core.chance import Stream
from worldforge.core.files import value_digest
from worldforge.environments.backend import SessionBackend
from worldforge.environments.call_controls import CallControls, Finished, Shaped
from worldforge.environments.controls.content_controls import ContentControls, ControlledCall
from worldforge.environments.controls.control_plan import CONTROLS, Control, ControlPlan, FaultControl, Latency
from worldforge.environments.controls.false_values import FalseValues
from worldforge.environments.controls.faults import Attempts, Faults, broken_json, cut_off, error_view, failures_of
from worldforge.environments.controls.statements import Statements
from worldforge.environments.controls.substitutions import Substitutions
from worldforge.environments.requests import ToolRequest
from worldforge.environments.views import ErrorView, Failure, ToolView
from worldforge.world.world import World

_STEPS = 100  # places of a run that a schedule tells apart, so that sessions may share what they show
_MOST_HELD = 4_096
_SCOPE = {"tools", "from_turn", "to_turn", "tasks", "sessions"}


@dataclass(frozen=True)
class EffectivePlan:
    """The part of a plan that acts on calls of one kind; other controls are reset."""

    plan: ControlPlan

    @cached_property
    def instruction(self) -> str:
        """Instructions for a model that words observations; empty without content controls."""
        said = list(_sentences(self.plan))
        errors = ["Errors, delays and cut answers are made elsewhere: never write one of your own."] if said else []
        return " ".join([*said, *errors])

    @cached_property
    def key(self) -> str:
        """Identifies the content controls and their seed; empty where there are none."""
        content = {
            name: one for name, one in self.plan.controls().items() if not isinstance(one, FaultControl | Latency)
        }
        if not content:
            return ""
        said = {name: control.model_dump(mode="json", exclude=_SCOPE) for name, control in content.items()}
        return value_digest({"seed": self.plan.seed, **said})[:16]

    @cached_property
    def shapes(self) -> bool:
        """Whether it changes the world's answers."""
        return bool(self.key)

    @cached_property
    def fails(self) -> bool:
        """Whether it has faults or latency."""
        return any(isinstance(control, FaultControl | Latency) for control in self.plan.controls().values())


class Controls:
    """Makes the controls of one world's sessions; `content` are the environment's content controls."""

    def __init__(self, plan: ControlPlan, world: World, content: ContentControls) -> None:
        self.plan, self.content = plan, content
        self.substitutions = Substitutions(Statements(world), FalseValues(world, plan.seed), plan.seed)
        self._at = lru_cache(_STEPS + 1)(lambda step: plan.at(step / _STEPS))
        self.effective = lru_cache(_MOST_HELD)(self._effective)

    def session(self, task: str, seed: int, place: float = 0.0) -> SessionControls | None:
        """Return the controls of a session: of a task, under the episode's seed, at `place` of the run (0 to 1).

        None where there are none.
        """
        step = round(min(1.0, max(0.0, place)) * _STEPS) if self.plan.schedule is not None else 0
        plan = self._at(step)
        acting = plan.controls()
        if not acting:
            return None
        stream = Stream(plan.seed)
        out = _outside(acting, stream.child("task", task), "tasks")
        out |= _outside(acting, stream.child("session", task, seed), "sessions")
        timed = {name: one for name, one in acting.items() if one.from_turn or one.to_turn is not None}
        return SessionControls(self, step, frozenset(out), timed, stream.child("faults", task, seed))

    def _effective(self, step: int, silent: frozenset[str], request: type[ToolRequest] | None) -> EffectivePlan:
        """Reset the `silent` controls, and those that do not apply to a type of request (None: any)."""
        plan = self._at(step)
        quiet = silent | {n for n in CONTROLS if request is not None and not getattr(plan, n).reaches(request)}
        return EffectivePlan(plan.model_copy(update={name: type(getattr(plan, name))() for name in quiet}))


class SessionControls:
    """The controls of one session: those named `silent` are out of its scope, those `timed` act at some turns only."""

    def __init__(
        self, controls: Controls, step: int, silent: frozenset[str], timed: Mapping[str, Control], stream: Stream
    ) -> None:
        self.controls, self._step, self._silent, self._timed = controls, step, silent, timed
        self.stream = stream
        self.attempts = Attempts()

    @property
    def instruction(self) -> str:
        """Instructions for a model that words the session's observations."""
        return self.controls.effective(self._step, self._silent, None).instruction

    def on(self, turn: int) -> PlannedCallControls:
        """Return the controls of the `turn`-th call, from 0."""
        return PlannedCallControls(self, turn)

    def effective(self, turn: int, request: type[ToolRequest]) -> EffectivePlan:
        """Return the plan in effect at a turn for requests of a type."""
        late = {name for name, control in self._timed.items() if not control.is_due(turn)}
        return self.controls.effective(self._step, self._silent | late, request)  # type: ignore[arg-type]


class PlannedCallControls(CallControls):
    """The controls of one call of a session, at its `turn`-th call."""

    _effective: EffectivePlan
    _request: ToolRequest  # before it was resized

    def __init__(self, session: SessionControls, turn: int) -> None:
        self._session, self._turn = session, turn
        self._content, self._substitutions = session.controls.content, session.controls.substitutions
        self._faults = Faults()
        self._failures: tuple[Failure, ...] = ()
        self._is_whole = True  # what was brought is nothing to cut or garble

    def admit(self, request: ToolRequest) -> ToolRequest | ErrorView:
        """Fail the call, or return the request: smaller, without the failing items of a batch."""
        self._effective = self._session.effective(self._turn, type(request))
        plan, self.key = self._effective.plan, self._effective.key
        if self._effective.fails:
            self._faults = self._session.attempts.draw(
                plan, self._session.stream, repr(request), max(1, len(request.items))
            )
            self.latency_s = self._faults.latency_s or 0.0
            self.pause_s = self.latency_s if plan.latency.real else 0.0
            self._touch(["latency"] if self._faults.latency_s is not None and self._faults.error != "timeout" else [])
        if self._faults.error is not None:
            self._touch(["errors"])
            return error_view(self._faults.error)
        request = self._content.translate(request, plan, self._substitutions)
        self._failures = failures_of(request, self._faults.failing)
        self._request = request = request.without(self._faults.failing)
        if not self._effective.shapes:
            return request
        resized, names = self._content.resize(request, plan)
        self._touch(names)
        return resized

    def shape(self, view: ToolView, backend: SessionBackend) -> Shaped:
        """Change the world's answer."""
        shaped = Shaped(view)
        if not view.is_worded:
            return shaped
        self._is_whole = False
        if self._effective.shapes or self._faults.stale_days is not None:
            call = ControlledCall(
                self._effective.plan, self._substitutions, self._request, backend, self._faults.stale_days
            )
            shaped, names = self._content.shape(view, call)
            self._touch(names)
            self.key += f"+stale {self._faults.stale_days}" if "stale" in names else ""
        return shaped._replace(view=self._with_faults(shaped.view))

    def finish(self, text: str) -> Finished:
        """Cut the text, garble it, or relabel its fields."""
        if self._is_whole:
            return Finished(text, len(text))
        if self._effective.plan.fields.acts:
            other = self._content.relabel(text, self._request, self._effective.plan)
            self._touch(["fields"] if other != text else [])
            text = other
        if self._faults.malformed is not None:
            self._touch(["malformed"])
            return broken_json(text, self._faults.malformed)
        if self._faults.truncated is not None:
            self._touch(["truncation"])
            return cut_off(text, self._faults.truncated)
        error = "partial_results" if "partial" in self.names else ""
        return Finished(text, len(text), error)

    def _with_faults(self, view: ToolView) -> ToolView:
        if self._faults.partial is not None and (fewer := view.first_items(self._faults.partial)) != view:
            view = fewer
            self._touch(["partial"])
            self.key += f"+first {self._faults.partial:.6f}"
        if not self._faults.failing:
            return view
        self._touch(["batch"])
        self.key += f"+without {self._faults.failing}"
        return view.with_failures(self._faults.failing, self._failures)

    def _touch(self, names: Iterable[str]) -> None:
        self.names = tuple(dict.fromkeys([*self.names, *names]))


def _outside(acting: Mapping[str, Control], stream: Stream, share: str) -> set[str]:
    """Return the controls whose share of tasks or sessions leaves out this one."""
    return {
        name
        for name, control in acting.items()
        if getattr(control, share) < 1
        and stream.child(name).uniform(np.zeros(1, np.int64))[0] >= getattr(control, share)
    }


def _sentences(plan: ControlPlan) -> Iterator[str]:
    if plan.snippets.acts:
        yield "Snippets hint at what a page says and do not answer: add nothing to the snippet that is given."
        if plan.snippets.characters is not None:
            yield f"Where one was shortened, it has {plan.snippets.characters} characters at most; write no more."
    if plan.withheld.acts:
        yield "Where `…` stands, or a link or a column is missing, something is withheld on purpose: leave it out."
    if plan.relevance.acts or plan.distractors.acts:
        yield "Some results are about something else than the query: keep them, in their places, and do not mark them."
    if plan.pagination.acts:
        yield "Pages of results may be short: write as many items as are given."
    if plan.fields.acts:
        yield "Fields may have other names than tools describe, or another order: write them as they are given."
    if plan.wrong_facts.acts:
        yield "Write every value exactly as it is given, also where you believe that another is right."
