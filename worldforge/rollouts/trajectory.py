"""The row of a trajectory: one episode, with the same columns for every agent, world and task family.

Where no model took part, nothing in a row depends on time, place or speed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa

from worldforge.agents.agent import Ending
from worldforge.agents.episode import AgentTurn
from worldforge.environments.coverage import Shown
from worldforge.environments.goals import Outcome
from worldforge.rollouts.config import RunConfig
from worldforge.rollouts.messages import MESSAGE, messages
from worldforge.rollouts.observed import OBSERVATION, observed
from worldforge.rollouts.scores import REWARDS, SCORES, assess
from worldforge.rollouts.trials import Trial
from worldforge.scoring.gold_table import GoldTable

SUB_AGENT = pa.struct(
    [
        ("tool_call_id", pa.string()),
        ("messages", pa.list_(MESSAGE)),
        ("observations", pa.list_(OBSERVATION)),
        ("ending", pa.string()),
        ("error", pa.string()),
    ]
)
"""What a sub-agent of a team did, started by the call of that id."""

TRAJECTORIES = pa.schema(
    [
        ("id", pa.string()),
        ("episode", pa.string()),
        ("world", pa.string()),
        ("world_digest", pa.string()),
        ("task", pa.string()),
        ("trial", pa.int32()),
        ("seed", pa.int64()),
        ("run_seed", pa.int64()),
        ("family", pa.string()),
        ("language", pa.string()),
        ("agent", pa.string()),
        ("environment", pa.string()),
        ("world_model", pa.string()),
        ("controls", pa.string()),
        ("messages", pa.list_(MESSAGE)),
        ("tools", pa.string()),
        ("observations", pa.list_(OBSERVATION)),
        ("sub_agents", pa.list_(SUB_AGENT)),
        ("answer", pa.string()),
        ("outcome", pa.string()),
        ("ending", pa.string()),
        ("error", pa.string()),
        ("n_steps", pa.int32()),
        ("n_tool_calls", pa.int32()),
        ("n_tool_errors", pa.int32()),
        ("n_pages_opened", pa.int32()),
        ("n_prompt_tokens", pa.int64()),
        ("n_completion_tokens", pa.int64()),
        *SCORES,
        *REWARDS,
        ("worldforge_version", pa.string()),
    ]
)
"""One row a trajectory; a dataset's card says what each column holds."""


@dataclass(frozen=True, slots=True)
class SubAgent:
    """A sub-agent's part of an episode: the call that started it, its system prompt, its question, its turns.

    `error` says why it failed, where it did.
    """

    tool_call_id: str
    system_prompt: str
    prompt: str
    turns: tuple[AgentTurn, ...]
    ending: str
    error: str = ""


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
    sub_agents: tuple[SubAgent, ...] = ()
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
        "environment": config.environment,
        "world_model": config.world_model,
        "controls": config.controls,
        "messages": messages(config.prompt_for(task.language), task.wording, result.turns),
        "tools": result.tools,
        "observations": _observed(result.turns),
        "sub_agents": [_sub_agent(sub) for sub in result.sub_agents],
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


def _observed(turns: Sequence[AgentTurn]) -> list[dict[str, Any]]:
    return observed(pair for turn in turns for pair in zip(turn.action.tool_calls, turn.observations, strict=True))


def _sub_agent(sub: SubAgent) -> dict[str, Any]:
    return {
        "tool_call_id": sub.tool_call_id,
        "messages": messages(sub.system_prompt, sub.prompt, sub.turns),
        "observations": _observed(sub.turns),
        "ending": sub.ending,
        "error": sub.error,
    }
