"""The session protocol: one agent in one environment; tool calls give observations, and errors are observations too.

session.tools                                     what may be called, as OpenAI function schemas
await session.step(ToolCall("1", "web_search", '{"query": "…"}'))   ->  Observation("[1] https://…")

A renderer writes views as text, as a language model does; without one the dialect writes them.

`ToolSession` is the pipeline from a call to an observation: the dialect reads the call, the backend answers it,
controls come in between, a renderer puts the answer into words. Everything but the rendering happens at once, so that
calls made together keep their order; only where queries must be embedded first do searches wait, and what goes by order
has been settled then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from worldforge.environments.controls.session_controls import UNCONTROLLED, CallControls, SessionControls
from worldforge.environments.dialect import Dialect
from worldforge.environments.disclosure import Alteration, Disclosure, disclosed, facts_shown
from worldforge.environments.extra_tools import ExtraTool
from worldforge.environments.goals import Goal, Outcome, SessionState, check_goal
from worldforge.environments.requests import SessionBackend, ToolRequest
from worldforge.environments.views import ErrorView, ToolView
from worldforge.models.chat import ToolCall


class Rendering(NamedTuple):
    """The text of a view, its author and its cost.

    `source` says who wrote the text: `engine`, `model`, or `fallback` (the engine, after a model's drafts were
    refused). Of a model: `verdict` is the guard's word on the last draft, `refused` on those before, `stored` whether
    the text came from the store, `n_drafts` how many were written, with their tokens and `seconds`; `failure` why the
    model did not answer, where its verdict is `unavailable` (it is shown while a run goes, and not recorded).
    """

    text: str = ""
    source: str = "engine"
    verdict: str = ""
    refused: tuple[str, ...] = ()
    stored: bool = False
    n_drafts: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    failure: str = ""


class Observation(NamedTuple):
    """The result of a call. The agent sees `text` alone; the rest is for the record.

    `error` names what went wrong (`malformed_request`, `page_not_found`, …), or is empty. `rendering` is the text
    before controls cut or garbled it, with its author. `controls` names the controls that touched the observation,
    `altered` the facts that they made wrong, `latency_s` the seconds a real tool would have taken.

    `view` is what was put into words, None where the call was not understood. `disclosed` are the stretches of pages
    that the text shows, `facts` the facts that its view named itself and whose values the text shows.
    """

    text: str
    error: str = ""
    rendering: Rendering = Rendering()
    disclosed: tuple[Disclosure, ...] = ()
    controls: tuple[str, ...] = ()
    altered: tuple[Alteration, ...] = ()
    latency_s: float = 0.0
    facts: tuple[str, ...] = ()
    view: ToolView | None = None


@dataclass(frozen=True, slots=True)
class Scene:
    """The input of a renderer for one call.

    `view` is all that may be disclosed, `text` the view as the dialect writes it: the truth to be worded anew.
    `instruction` says which controls shaped it, `controls` identifies them with their seed; `history` is the session
    until now, calls and observed texts; `brought` is what the world answered before controls changed it. No renderer is
    told the task, its question or its gold.
    """

    call: ToolCall
    request: ToolRequest
    view: ToolView
    text: str
    dialect: Dialect
    tools: Sequence[Mapping[str, Any]]
    instruction: str = ""
    controls: str = ""
    history: Sequence[tuple[ToolCall, str]] = ()
    brought: ToolView | None = None


class Renderer(Protocol):
    """Writes views as text. One serves all sessions of a process."""

    async def render(self, scene: Scene) -> Rendering:
        """Write one view. Never raises for a model's text; ModelUnavailableError where a model is gone."""


class Session(Protocol):
    """One agent in one environment. Its state (notes, records) is its own and ends with it."""

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools that may be called, as OpenAI function schemas."""

    async def step(self, call: ToolCall) -> Observation:
        """Answer one tool call. Never raises for an agent's input; ModelUnavailableError where a model is gone."""

    @property
    def goal(self) -> Goal | None:
        """The goal for the final state; None where the task's gold is a table, or there is no task."""

    @property
    def state(self) -> SessionState:
        """The session's changes so far."""

    def check(self, goal: Goal) -> Outcome:
        """Check a goal on the current state."""


def outcome_of(session: Session) -> Outcome | None:
    """Check the goal of a session, where it has one: those of factories of one's own need know of none."""
    goal = getattr(session, "goal", None)
    return session.check(goal) if goal is not None else None


class ToolSession:
    """One agent at the tools; a `Session`."""

    def __init__(
        self,
        dialect: Dialect,
        backend: SessionBackend,
        controls: SessionControls | None = None,
        renderer: Renderer | None = None,
        goal: Goal | None = None,
    ) -> None:
        self.goal = goal
        self._dialect, self._backend = dialect, backend
        self._controls, self._renderer = controls or UNCONTROLLED, renderer
        self._history: list[tuple[ToolCall, str]] = []
        self._n_calls = 0
        self._initial = self.state

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The dialect's tools, as OpenAI function schemas."""
        return self._dialect.tools

    @property
    def state(self) -> SessionState:
        """The session's changes so far."""
        return SessionState(self._backend.state)

    def check(self, goal: Goal) -> Outcome:
        """Check a goal on the current state."""
        return check_goal(goal, self._initial, self.state)

    async def step(self, call: ToolCall) -> Observation:
        """Answer one tool call; a malformed call gives an observation that names the error."""
        observation = await self._observe(call)
        self._history.append((call, observation.text))
        return observation

    async def _observe(self, call: ToolCall) -> Observation:
        controls = self._controls.on(self._n_calls)
        self._n_calls += 1
        request = self._dialect.read(call)
        if isinstance(request, ErrorView):
            return Observation(request.message, request.error)
        admitted = controls.admit(request)
        answer = admitted if isinstance(admitted, ErrorView) else await self._answer(admitted)
        shaped = controls.shape(answer, self._backend)
        if controls.pause_s:
            await asyncio.sleep(controls.pause_s)
        rendering = await self._render(call, request, shaped.view, controls, answer)
        finished = controls.finish(rendering.text)
        return Observation(
            text=finished.text,
            error=finished.error or shaped.view.error_code,
            rendering=rendering,
            disclosed=disclosed(shaped, rendering.text, finished.n_kept),
            controls=controls.names,
            altered=shaped.altered,
            latency_s=controls.latency_s,
            facts=facts_shown(answer, shaped, finished.text[: finished.n_kept]),
            view=shaped.view,
        )

    async def _answer(self, request: ToolRequest) -> ToolView:
        if isinstance(request, ExtraTool):
            return request.answer(self._backend)
        await self._backend.ready(request)
        return self._backend.answer(request)

    async def _render(
        self, call: ToolCall, request: ToolRequest, view: ToolView, controls: CallControls, brought: ToolView
    ) -> Rendering:
        text = self._dialect.write(request, view)
        if self._renderer is None or not view.is_worded:  # no model words errors and an agent's own notes
            return Rendering(text)
        return await self._renderer.render(
            Scene(
                call=call,
                request=request,
                view=view,
                text=text,
                dialect=self._dialect,
                tools=self.tools,
                instruction=self._controls.instruction,
                controls=controls.key,
                history=tuple(self._history),
                brought=brought,
            )
        )
