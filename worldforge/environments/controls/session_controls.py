"""Apply a control plan to the sessions and calls of one world.

    controls = environment.controls(load_controls("mild"))
    session = environment.session(task, seed, controls=controls.session(task.id, seed, place=index / n_episodes))

Gold and the wording of tasks are never touched: controls know calls and what these bring, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from worldforge.core.chance import Stream
from worldforge.core.files import value_digest
from worldforge.environments.controls.content_controls import ContentControls, ControlledCall
from worldforge.environments.controls.control_plan import CONTROLS, Control, ControlPlan, FaultControl, Latency
from worldforge.environments.controls.faults import (
    Attempts,
    Faults,
    Finished,
    broken_json,
    cut_off,
    error_view,
    failures_of,
)
from worldforge.environments.controls.substitutions import Substitutions
from worldforge.environments.disclosure import Shaped
from worldforge.environments.requests import SessionBackend, ToolRequest
from worldforge.environments.views import ErrorView, ToolView
from worldforge.world.world import World

_STEPS = 100  # places of a run that a schedule tells apart, so that sessions may share what they show
_MOST_HELD = 4_096
_NO_ERRORS = "Errors, delays and cut answers are made elsewhere: never write one of your own."
_SCOPE = {"tools", "from_turn", "to_turn", "tasks", "sessions"}


@dataclass(frozen=True, slots=True)
class EffectivePlan:
    """The part of a plan that acts on calls of one kind; other controls are reset.

    `key` identifies the content controls and their seed; empty where there are none. `fails` says whether it has faults
    or latency, `instruction` what a model that words observations is told of the content controls.
    """

    plan: ControlPlan
    key: str
    fails: bool
    instruction: str


class Controls:
    """Makes the controls of one world's sessions; `content` are the environment's content controls.

    Without a world there are none: `UNCONTROLLED`.
    """

    def __init__(self, plan: ControlPlan, world: World | None, content: ContentControls) -> None:
        self.plan, self.content, self._world = plan, content, world
        self._at = lru_cache(_STEPS + 1)(lambda step: plan.at(step / _STEPS))
        self.effective = lru_cache(_MOST_HELD)(self._effective)

    @cached_property
    def substitutions(self) -> Substitutions:
        """The decisions of content controls."""
        assert self._world is not None, "controls that act are those of a world"
        return Substitutions(self._world, self.plan.seed)

    def session(self, task: str, seed: int, place: float = 0.0) -> SessionControls | None:
        """Return the controls of a session: of a task, under the episode's seed, at `place` of the run (0 to 1).

        None where there are none.
        """
        step = round(min(1.0, max(0.0, place)) * _STEPS) if self.plan.schedule is not None else 0
        acting = self._at(step).controls()
        if not acting:
            return None
        stream = Stream(self.plan.seed)
        out = _out_of_scope(acting, stream.child("task", task), "tasks")
        out |= _out_of_scope(acting, stream.child("session", task, seed), "sessions")
        timed = {name: one for name, one in acting.items() if one.from_turn or one.to_turn is not None}
        return SessionControls(self, step, frozenset(out), timed, stream.child("faults", task, seed))

    def _effective(self, step: int, silent: frozenset[str], request: type[ToolRequest] | None) -> EffectivePlan:
        """Reset the `silent` controls, and those that do not apply to a type of request (None: any)."""
        plan = self._at(step)
        quiet = silent | {n for n in CONTROLS if request is not None and not getattr(plan, n).reaches(request)}
        plan = plan.model_copy(update={name: type(getattr(plan, name))() for name in quiet})
        acting = plan.controls()
        content = {name: one for name, one in acting.items() if not isinstance(one, FaultControl | Latency)}
        settings = {name: control.model_dump(mode="json", exclude=_SCOPE) for name, control in content.items()}
        return EffectivePlan(
            plan,
            key=value_digest({"seed": plan.seed, **settings})[:16] if content else "",
            fails=len(content) < len(acting),
            instruction=" ".join([*_instructions(plan), _NO_ERRORS]) if content else "",
        )


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

    def on(self, turn: int) -> CallControls:
        """Return the controls of the `turn`-th call, from 0."""
        return CallControls(self, turn)

    def effective(self, turn: int, request: type[ToolRequest]) -> EffectivePlan:
        """Return the plan in effect at a turn for requests of a type."""
        late = {name for name, control in self._timed.items() if not control.is_due(turn)}
        return self.controls.effective(self._step, self._silent | late, request)  # type: ignore[arg-type]


class CallControls:
    """The controls of one call, applied as `admit`, `shape`, `finish`.

    `key` identifies how the call was treated so far: equal calls under equal keys give equal views. `names` are the
    controls that changed it so far, `latency_s` is its simulated latency, `pause_s` what the session really waits.
    """

    _effective: EffectivePlan
    _request: ToolRequest  # before it was resized

    def __init__(self, session: SessionControls, turn: int) -> None:
        self._session, self._turn, self._content = session, turn, session.controls.content
        self.key, self.names, self.latency_s, self.pause_s = "", tuple[str, ...](), 0.0, 0.0
        self._faults = Faults()
        self._is_whole = True  # an error or a note is nothing to cut or garble

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
            self._record(["latency"] if self._faults.latency_s is not None and self._faults.error != "timeout" else [])
        if self._faults.error is not None:
            self._record(["errors"])
            return error_view(self._faults.error)
        names: Iterable[str] = ()
        if self.key:
            request = self._content.translate(request, plan, self._session.controls.substitutions)
        self._failures = failures_of(request, self._faults.failing)
        if self._faults.failing:
            request = request.without(self._faults.failing)
        self._request = request
        if self.key:
            request, names = self._content.resize(request, plan)
        self._record(names)
        return request

    def shape(self, view: ToolView, backend: SessionBackend) -> Shaped:
        """Change the world's answer."""
        if not view.is_worded:
            return Shaped(view)
        self._is_whole, shaped, faults = False, Shaped(view), self._faults
        if self.key or faults.stale_days is not None:
            controls = self._session.controls
            call = ControlledCall(
                self._effective.plan, controls.substitutions, self._request, backend, faults.stale_days
            )
            shaped, names = self._content.shape(view, call)
            self._record(names)
            self.key += f"+stale {faults.stale_days}" if "stale" in names else ""
        view = shaped.view
        if faults.partial is not None and (fewer := view.first_items(faults.partial)) != view:
            view = fewer
            self._record(["partial"])
            self.key += f"+first {faults.partial:.6f}"
        if faults.failing:
            view = view.with_failures(faults.failing, self._failures)
            self._record(["batch"])
            self.key += f"+without {faults.failing}"
        return shaped._replace(view=view)

    def finish(self, text: str) -> Finished:
        """Cut the text, garble it, or relabel its fields."""
        if self._is_whole:
            return Finished(text, len(text))
        if self._effective.plan.fields.acts:
            other = self._content.relabel(text, self._request, self._effective.plan)
            self._record(["fields"] if other != text else [])
            text = other
        if self._faults.malformed is not None:
            self._record(["malformed"])
            return broken_json(text, self._faults.malformed)
        if self._faults.truncated is not None:
            self._record(["truncation"])
            return cut_off(text, self._faults.truncated)
        return Finished(text, len(text), "partial_results" if "partial" in self.names else "")

    def _record(self, names: Iterable[str]) -> None:
        self.names = tuple(dict.fromkeys([*self.names, *names]))


UNCONTROLLED = SessionControls(
    Controls(ControlPlan(), None, ContentControls()), 0, silent=frozenset(), timed={}, stream=Stream(0)
)
"""The controls of a session where none act."""


def _out_of_scope(acting: Mapping[str, Control], stream: Stream, share: str) -> set[str]:
    """Return the controls whose share of tasks or sessions leaves out this one."""
    return {
        name
        for name, control in acting.items()
        if getattr(control, share) < 1 and stream.child(name).first_uniform(1)[0] >= getattr(control, share)
    }


def _instructions(plan: ControlPlan) -> Iterator[str]:
    if plan.snippets.acts:
        yield "Snippets hint at what a page says and do not answer: add nothing to the snippet that is given."
        if plan.snippets.characters is not None:
            yield f"Where one was shortened, it has {plan.snippets.characters} characters at most; write no more."
    if plan.withheld.acts:
        yield "Where `…` stands, or a link or a column is missing, something is withheld on purpose: leave it out."
    if plan.distractors.acts:
        yield "Some results are about something else than the query: keep them, in their places, and do not mark them."
    if plan.pagination.acts:
        yield "Pages of results may be short: write as many items as are given."
    if plan.fields.acts:
        yield "Fields may have other names than tools describe, or another order: write them as they are given."
    if plan.wrong_facts.acts:
        yield "Write every value exactly as it is given, also where you believe that another is right."
