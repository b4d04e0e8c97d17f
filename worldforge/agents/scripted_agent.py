"""An agent's script: a generator that gives actions, and is sent what their calls brought."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence

from worldforge.agents.agent import Action
from worldforge.environments.session import Observation

Script = Generator[Action, Sequence[Observation], None]


class ScriptedAgent:
    """Plays a script turn by turn; before it would make more than `max_steps` calls (0: any), it answers."""

    def __init__(self, script: Script, answer: Callable[[], str], max_steps: int) -> None:
        self._script, self._answer, self._max_steps = script, answer, max_steps
        self._n_calls = 0
        self._started = False

    def step(self, observations: Sequence[Observation]) -> Action:
        """Return the next action, given what the last one's calls brought."""
        action = self._script.send(observations) if self._started else next(self._script)
        self._started = True
        self._n_calls += len(action.tool_calls)
        if self._max_steps and self._n_calls > self._max_steps:
            return Action(self._answer(), ending="step_limit")
        return action
