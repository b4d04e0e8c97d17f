"""The pipeline from a tool call to an observation: read, admit, answer, shape, render, finish.

The dialect reads the call, the backend answers it, controls come in between, a renderer puts the answer into words.
Everything but the rendering happens at once, so that calls made together keep their order; only where queries must be
embedded first do searches wait, and what goes by order has been settled then.
"""

from __future__ import annotations

import asyncio
from typing import Any

from worldforge.environments.controls.session_controls import UNCONTROLLED, CallControls, SessionControls
from worldforge.environments.dialect import Dialect
from worldforge.environments.disclosure import disclosed, facts_shown
from worldforge.environments.extra_tools import ExtraTool
from worldforge.environments.goals import Goal, Outcome, SessionState, check_goal
from worldforge.environments.requests import SessionBackend, ToolRequest
from worldforge.environments.session import Observation, Renderer, Rendering, Scene
from worldforge.environments.views import ErrorView, ToolView
from worldforge.models.chat import ToolCall


class ToolSession:
    """One agent at the tools; an `environments.session.Session`."""

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
