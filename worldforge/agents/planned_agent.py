"""An oracle that follows an environment's plan: it solves tasks through the tools, in the environment's own words."""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence

from worldforge.agents.agent import Action
from worldforge.agents.scripted_agent import Script, ScriptedAgent
from worldforge.environments.environment import Plan
from worldforge.environments.session import Observation
from worldforge.models.chat import ToolCall

VERSION = "1"


class PlannedAgent:
    """An agent that plays a plan. One serves one episode; it answers "" before it would exceed `max_steps` (0: any)."""

    def __init__(self, plan: Plan, *, max_steps: int = 0) -> None:
        self._player = ScriptedAgent(_script(plan), str, max_steps)

    async def act(self, observations: Sequence[Observation]) -> Action:
        """Return the next step of the plan as an action, or its answer."""
        return self._player.step(observations)


def _script(plan: Plan) -> Script:
    answer = yield from _actions(plan)
    yield Action(answer)


def _actions(plan: Plan) -> Generator[Action, Sequence[Observation], str]:
    n_calls, observations = 0, None
    while True:
        try:
            step = next(plan) if observations is None else plan.send(observations)
        except StopIteration as end:
            return str(end.value)
        calls = [
            ToolCall(f"call_{n_calls + number}", name, json.dumps(arguments, ensure_ascii=False))
            for number, (name, arguments) in enumerate(step.calls, 1)
        ]
        n_calls += len(calls)
        observations = yield Action(step.words, tuple(calls))
