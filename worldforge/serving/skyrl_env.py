"""A world's search tools as an environment of SkyRL's gym (0.4), over rows of the view `rl_skyrl`.

    skyrl_gym.register(id="worldforge", entry_point="worldforge.serving.skyrl_env:WorldForgeEnv")

SkyRL passes text alone: the row's system prompt describes the tools, the environment reads calls from what the model
wrote, and hands back what they brought as a user's turn. A turn without calls is the answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldforge.core.errors import InputError
from worldforge.serving.task_attempt import TaskAttempt
from worldforge.serving.tool_call_text import WrittenCall, read_calls, write_results

try:
    from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput  # type: ignore[import-not-found]
except ImportError as error:
    raise InputError(f"SkyRL's gym cannot be imported: {error}", "`pip install skyrl-gym`, 0.4 or later") from error

DEFAULT_TURNS = 50


class WorldForgeEnv(BaseTextEnv):  # type: ignore[misc]
    """One attempt at the task of a row: `extras` are the row's columns, and the trainer's `max_turns`.

    The reward is item F1 of the answer (strict scorer), 0 at every turn before. Raises InputError for a row of another
    view, and where its world is not to be had.
    """

    def __init__(self, env_config: Any = None, extras: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        extras = extras or {}
        gold = _part(extras, "reward_spec").get("ground_truth")
        self._attempt = TaskAttempt({**_part(extras, "extra_info"), "ground_truth": gold})
        self.max_turns = int(extras.get("max_turns") or DEFAULT_TURNS)
        self._measures: dict[str, float] = {}

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """Take a turn of the model: make its calls, or score its answer. The last turn allowed ends the episode."""
        self.turns += 1
        reply = action.rpartition("</think>")[2]
        calls = read_calls(reply)
        if not calls or self.turns >= self.max_turns:
            self._measures = self._attempt.measures("" if calls else reply)
            reward = self._measures["item_f1"]
            return BaseTextEnvStepOutput(observations=[], reward=reward, done=True, metadata=self.get_metrics())
        shown = {"role": "user", "content": write_results([self._make(call) for call in calls])}
        return BaseTextEnvStepOutput(observations=[shown], reward=0.0, done=False, metadata={"n_calls": len(calls)})

    def get_metrics(self) -> dict[str, Any]:
        """Return the measures of the answer, once there is one, and how many calls were made and went wrong."""
        return {**self._measures, "n_tool_calls": self._attempt.n_calls, "n_tool_errors": self._attempt.n_errors}

    def _make(self, call: WrittenCall) -> str:
        if call.fault:
            return self._attempt.refuse(call.fault)
        return self._attempt.call(call.name, call.arguments)


def _part(extras: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = extras.get(name)
    if not isinstance(part, Mapping):
        raise InputError(f"a row lacks `{name}`", "take the rows of the view `rl_skyrl`")
    return part
