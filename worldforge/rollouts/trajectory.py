"""A trajectory: one episode as one row, the same columns for every agent, world and family of tasks.

Messages are what chat models expect: system, user, then by turns an assistant with tool calls and one tool message for
each call, last the assistant's answer. `content` is never null. Nothing in a row depends on time, place or speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from worldforge.agents.episode import Turn
from worldforge.core.chance import Stream
from worldforge.environments.session import Observation
from worldforge.models.chat import ToolCall
from worldforge.rollouts.config import RunConfig
from worldforge.rollouts.scores import SCORES, score_row
from worldforge.world.task import Task

OPENS_PAGES = "web_extractor"

_FUNCTION = pa.struct([("name", pa.string()), ("arguments", pa.string())])
_TOOL_CALL = pa.struct([("id", pa.string()), ("type", pa.string()), ("function", _FUNCTION)])
MESSAGE = pa.struct(
    [
        ("role", pa.string()),
        ("content", pa.string()),
        ("tool_calls", pa.list_(_TOOL_CALL)),
        ("tool_call_id", pa.string()),
        ("name", pa.string()),
    ]
)
"""One message. `tool_calls` is null but where an assistant calls; `tool_call_id` and `name` but for a tool."""

TRAJECTORIES = pa.schema(
    [
        ("id", pa.string()),
        ("world", pa.string()),
        ("world_digest", pa.string()),
        ("task", pa.string()),
        ("trial", pa.int32()),
        ("seed", pa.int64()),
        ("family", pa.string()),
        ("language", pa.string()),
        ("agent", pa.string()),
        ("messages", pa.list_(MESSAGE)),
        ("tools", pa.string()),
        ("answer", pa.string()),
        ("ending", pa.string()),
        ("error", pa.string()),
        ("n_steps", pa.int32()),
        ("n_tool_calls", pa.int32()),
        ("n_tool_errors", pa.int32()),
        ("n_pages_opened", pa.int32()),
        *SCORES,
        ("worldforge_version", pa.string()),
    ]
)
"""One row a trajectory; a dataset's card says what each column holds."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One episode to be played: the `index`-th of its run, the `trial`-th attempt (from 0) at `task`."""

    index: int
    task: Task
    trial: int

    @property
    def id(self) -> str:
        """The trajectory's id within a run: `task/list-0007#0`."""
        return f"{self.task.id}#{self.trial}"

    def seed(self, world_seed: int) -> int:
        """Return the episode's own seed, in [0, 2**63): a function of the world's seed, the task and the trial."""
        stream = Stream(world_seed, "rollout").child(self.task.id, self.trial)
        return int(stream.bits(np.zeros(1, np.int64))[0] >> np.uint64(1))


def trials_of(tasks: Sequence[Task], n_trials: int) -> list[Trial]:
    """List the episodes of a run, in order: every trial of the first task, then of the next."""
    pairs = ((task, trial) for task in tasks for trial in range(n_trials))
    return [Trial(index, task, trial) for index, (task, trial) in enumerate(pairs)]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an episode went. `tools` is JSON text; `error` says why it failed, with the turns made until then."""

    turns: tuple[Turn, ...]
    answer: str
    ending: Literal["answered", "step_limit", "token_limit", "failed"]
    tools: str
    error: str = ""


def trajectory_row(trial: Trial, config: RunConfig, outcome: Outcome) -> dict[str, Any]:
    """Write an episode as a row of `TRAJECTORIES`. A failed one scores as an empty answer does."""
    task = trial.task
    observed = [pair for turn in outcome.turns for pair in zip(turn.action.tool_calls, turn.observations, strict=True)]
    return {
        "id": trial.id,
        "world": config.world,
        "world_digest": config.world_digest,
        "task": task.id,
        "trial": trial.trial,
        "seed": trial.seed(config.world_seed),
        "family": task.family,
        "language": task.language,
        "agent": config.agent,
        "messages": messages(config.system_prompt, task.wording, outcome.turns),
        "tools": outcome.tools,
        "answer": outcome.answer,
        "ending": outcome.ending,
        "error": outcome.error,
        "n_steps": len(outcome.turns),
        "n_tool_calls": len(observed),
        "n_tool_errors": sum(bool(observation.error) for _, observation in observed),
        "n_pages_opened": _n_pages_opened(observed),
        **score_row(task, outcome.answer),
        "worldforge_version": config.worldforge_version,
    }


def messages(system_prompt: str, wording: str, turns: Sequence[Turn]) -> list[dict[str, Any]]:
    """Write an episode as chat messages, each a row of `MESSAGE`."""
    chat = [_message("system", system_prompt), _message("user", wording)]
    for turn in turns:
        calls = [_tool_call(call) for call in turn.action.tool_calls]
        chat.append(_message("assistant", turn.action.content, tool_calls=calls or None))
        for call, observation in zip(turn.action.tool_calls, turn.observations, strict=True):
            chat.append(_message("tool", observation.text, tool_call_id=call.id, name=call.name))
    return chat


def _message(
    role: str,
    content: str,
    *,
    tool_calls: list[dict[str, Any]] | None = None,
    tool_call_id: str | None = None,
    name: str | None = None,
) -> dict[str, Any]:
    return {"role": role, "content": content, "tool_calls": tool_calls, "tool_call_id": tool_call_id, "name": name}


def _tool_call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _n_pages_opened(observed: Sequence[tuple[ToolCall, Observation]]) -> int:
    opened = [seen.disclosed for call, seen in observed if call.name == OPENS_PAGES]
    return len({disclosure.page for disclosures in opened for disclosure in disclosures})
