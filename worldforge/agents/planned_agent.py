"""A scripted agent: it follows a plan, which solves a task through an environment's tools."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from worldforge.agents.agent import Action
from worldforge.environments.environment import FinalAnswer, OutOfCallsError, Plan, PlanStep
from worldforge.environments.session import Observation
from worldforge.models.chat import ToolCall, Usage
from worldforge.rewording.reworder import Reworded
from worldforge.rewording.slotted_text import SlottedText

Reword = Callable[[SlottedText], Awaitable[Reworded]]
"""Words a thought anew."""


class PlannedAgent:
    """An agent that plays a plan. One serves one episode.

    Before it would make more than `max_steps` calls (0: no limit) it answers with what the plan has until then.
    `reword` words its thoughts; without it they stay as the plan has them.
    """

    def __init__(self, plan: Plan, *, max_steps: int = 0, reword: Reword | None = None) -> None:
        self._plan, self._max_steps, self._reword = plan, max_steps, reword
        self._started = False
        self._n_calls = 0

    async def act(self, observations: Sequence[Observation]) -> Action:
        """Return the next step of the plan as an action, or its answer."""
        try:
            step = self._plan.send(observations) if self._started else next(self._plan)
        except StopIteration as end:
            return await self._final(end.value)
        self._started = True
        if self._max_steps and self._n_calls + len(step.calls) > self._max_steps:
            return replace(await self._answer_now(), ending="step_limit")
        thought, usage = await self._worded(step.reasoning)
        return Action(step.words, self._numbered(step), thought, usage)

    async def _answer_now(self) -> Action:
        try:
            self._plan.throw(OutOfCallsError())
        except StopIteration as end:
            return await self._final(end.value)
        except OutOfCallsError:
            pass
        return Action("")

    def _numbered(self, step: PlanStep) -> tuple[ToolCall, ...]:
        first = self._n_calls + 1
        self._n_calls += len(step.calls)
        texts = [given if isinstance(given, str) else json.dumps(given, ensure_ascii=False) for _, given in step.calls]
        named = zip(step.calls, texts, strict=True)
        return tuple(ToolCall(f"call_{n}", name, text) for n, ((name, _), text) in enumerate(named, first))

    async def _final(self, answer: str | FinalAnswer) -> Action:
        if isinstance(answer, FinalAnswer):
            thought, usage = await self._worded(answer.reasoning)
            return Action(answer.text, reasoning=thought, usage=usage)
        return Action(answer)

    async def _worded(self, thought: str | SlottedText) -> tuple[str, Usage]:
        """Return the words of a thought, and what they took."""
        if self._reword is not None and isinstance(thought, SlottedText):
            reworded = await self._reword(thought)
            return reworded.text, reworded.usage
        return str(thought), Usage()
