"""The row of a trajectory: one episode, with the same columns for every agent, world and task family.

Where no model took part, nothing in a row depends on time, place or speed. Messages are those that chat models expect:
system, user, then by turns an assistant with tool calls and one tool message for each call, last the assistant's
answer; between them what an agent was told on the way (that few calls are left).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa

from worldforge.agents.agent import Ending
from worldforge.agents.episode import AgentTurn
from worldforge.agents.team import SubEpisode
from worldforge.environments.coverage import Shown
from worldforge.environments.goals import Outcome
from worldforge.environments.session import Observation
from worldforge.models.chat import Message, ToolCall, to_openai
from worldforge.rollouts.config import RunConfig
from worldforge.rollouts.scores import REWARDS, SCORES, assess
from worldforge.rollouts.trials import Trial
from worldforge.scoring.gold_table import GoldTable


def _fields(kind: pa.DataType, *names: str) -> list[tuple[str, pa.DataType]]:
    return [(name, kind) for name in names]


_TEXT, _TEXTS = pa.string(), pa.list_(pa.string())
_FUNCTION = pa.struct(_fields(_TEXT, "name", "arguments"))
_TOOL_CALL = pa.struct([*_fields(_TEXT, "id", "type"), ("function", _FUNCTION)])
MESSAGE = pa.struct(
    [
        *_fields(_TEXT, "role", "content", "reasoning_content"),
        ("tool_calls", pa.list_(_TOOL_CALL)),
        *_fields(_TEXT, "tool_call_id", "name"),
    ]
)
"""One message. Null are `reasoning_content` but where an assistant reasoned, `tool_calls` but where one calls,
`tool_call_id` and `name` but for a tool; `content` never."""

_DISCLOSED = pa.struct(_fields(pa.int32(), "page", "start", "end"))
_ALTERED = pa.struct(_fields(_TEXT, "fact", "shown", "true"))
OBSERVATION = pa.struct(
    [
        *_fields(_TEXT, "tool_call_id", "error", "source", "verdict"),
        ("refused", _TEXTS),
        ("stored", pa.bool_()),
        *_fields(pa.int32(), "n_drafts", "prompt_tokens", "completion_tokens"),
        *_fields(pa.float64(), "seconds", "latency_s"),
        ("controls", _TEXTS),
        ("altered", pa.list_(_ALTERED)),
        ("disclosed", pa.list_(_DISCLOSED)),
        ("facts", _TEXTS),
        ("gold_seen", pa.list_(pa.int32())),
    ]
)
"""One observation beside its text, fields as in `Observation` and `Rendering`; `seconds` is 0 without a model.

`gold_seen` are the gold cells whose values it showed (row * number of columns + column), see
`environments/coverage.py`; `facts` those that a view without pages names and that were shown.
"""

_CONVERSATION = [("messages", pa.list_(MESSAGE)), ("observations", pa.list_(OBSERVATION))]
SUB_AGENT = pa.struct([("tool_call_id", _TEXT), *_CONVERSATION, *_fields(_TEXT, "ending", "error")])
"""What a sub-agent of a team did, started by the call of that id."""

TRAJECTORIES = pa.schema(
    [
        *_fields(_TEXT, "id", "episode", "world", "world_digest", "task"),
        ("trial", pa.int32()),
        *_fields(pa.int64(), "seed", "run_seed"),
        *_fields(_TEXT, "family", "language", "agent", "environment", "world_model", "controls"),
        ("clairvoyant", pa.bool_()),
        ("messages", pa.list_(MESSAGE)),
        ("tools", _TEXT),
        ("observations", pa.list_(OBSERVATION)),
        ("sub_agents", pa.list_(SUB_AGENT)),
        *_fields(_TEXT, "answer", "outcome", "ending", "error"),
        *_fields(pa.int32(), "n_steps", "n_tool_calls", "n_tool_errors", "n_pages_opened"),
        *_fields(pa.int64(), "n_prompt_tokens", "n_completion_tokens"),
        *SCORES,
        *REWARDS,
        ("worldforge_version", _TEXT),
    ]
)
"""One row a trajectory; a dataset's card says what each column holds."""


@dataclass(frozen=True, slots=True)
class EpisodeResult:
    """The result of an episode. `tools` is JSON text; `error` is the reason of a failure, with the turns before it.

    `outcome` is what was reached of a goal; None where the task's gold is a table.
    """

    turns: tuple[AgentTurn, ...]
    answer: str
    ending: Ending | Literal["failed"]
    tools: str
    error: str = ""
    sub_agents: tuple[SubEpisode, ...] = ()
    outcome: Outcome | None = None

    @property
    def all_turns(self) -> list[AgentTurn]:
        """The turns of the agent and of its sub-agents."""
        return [*self.turns, *(turn for sub in self.sub_agents for turn in sub.turns)]


def trajectory_row(
    trial: Trial, config: RunConfig, result: EpisodeResult, shown: Shown, gold: GoldTable | None
) -> dict[str, Any]:
    """Write an episode as a row of `TRAJECTORIES`. A failed one scores as an empty answer does.

    `shown` says which gold cells its observations showed, `gold` is what the answer is scored by.
    Counts of calls, pages and tokens take in those of sub-agents.
    """
    task = trial.task
    seen = [observation for turn in result.all_turns for observation in turn.observations]
    usages = [turn.action.usage for turn in result.all_turns]
    row = {
        "id": trial.id,
        "episode": config.episode(task.id, trial.trial),
        "world": config.world,
        "world_digest": config.world_digest,
        "task": task.id,
        "trial": trial.trial,
        "seed": trial.seed(config.world_seed, config.seed),
        "run_seed": config.seed,
        "family": task.family,
        "language": task.language,
        "agent": config.agent,
        "clairvoyant": config.clairvoyant,
        "environment": config.environment,
        "world_model": config.world_model,
        "controls": config.controls,
        **conversation_columns(config.prompt_for(task.language), task.wording, result.turns),
        "tools": result.tools,
        "sub_agents": [
            {"tool_call_id": sub.call_id, "ending": sub.ending, "error": sub.error}
            | conversation_columns(sub.system_prompt, sub.prompt, sub.turns)
            for sub in result.sub_agents
        ],
        "answer": result.answer,
        "outcome": json.dumps(result.outcome.to_json(), ensure_ascii=False) if result.outcome else "",
        "ending": result.ending,
        "error": result.error,
        "n_steps": len(result.turns),
        "n_tool_calls": len(seen),
        "n_tool_errors": sum(bool(observation.error) for observation in seen),
        "n_pages_opened": len({shown.page for observation in seen for shown in observation.disclosed}),
        "n_prompt_tokens": sum(usage.prompt for usage in usages),
        "n_completion_tokens": sum(usage.completion for usage in usages),
        "worldforge_version": config.worldforge_version,
    }
    assess(row, task, shown, gold)
    return row


def conversation_columns(
    system_prompt: str, wording: str, turns: Sequence[AgentTurn]
) -> dict[str, list[dict[str, Any]]]:
    """Write turns as chat messages and as rows of `OBSERVATION`."""
    chat = [Message("system", system_prompt), Message("user", wording)]
    observations = []
    for turn in turns:
        action = turn.action
        chat += [*action.before, Message("assistant", action.content, action.reasoning, action.tool_calls)]
        for call, seen in zip(action.tool_calls, turn.observations, strict=True):
            chat.append(Message("tool", seen.text, tool_call_id=call.id, name=call.name))
            observations.append(observation_row(call, seen))
    messages = [dict.fromkeys(MESSAGE.names) | to_openai(message, "reasoning_content") for message in chat]
    return {"messages": messages, "observations": observations}


def observation_row(call: ToolCall, seen: Observation) -> dict[str, Any]:
    """Write the observation of a call as a row of `OBSERVATION`, without the gold cells that it showed."""
    return {
        "tool_call_id": call.id,
        "error": seen.error,
        **{name: value for name, value in seen.rendering._asdict().items() if name not in ("text", "failure")},
        "latency_s": seen.latency_s,
        "controls": seen.controls,
        "altered": [{"fact": was.fact, "shown": was.shown, "true": was.true} for was in seen.altered],
        "disclosed": [{"page": part.page, "start": part.start, "end": part.end} for part in seen.disclosed],
        "facts": seen.facts,
        "gold_seen": [],
    }
