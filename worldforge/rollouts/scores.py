"""Computes the score and reward columns of a trajectory.

Scores are strict for rewards, `compat_` as the WideSearch benchmark gives them. All columns follow from the rest of the
row, its task and the world's mentions: they are filled in when an episode ends, and anew by `worldforge rescore`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from worldforge.environments.coverage import Shown
from worldforge.environments.goals import Outcome
from worldforge.scoring import reward_components as rewards
from worldforge.scoring.alias_judge import AliasJudge, gold_with_aliases
from worldforge.scoring.answer_score import MEASURES
from worldforge.scoring.compatible_scorer import score_compatible
from worldforge.scoring.gold_table import GoldTable
from worldforge.scoring.strict_scorer import score_strict
from worldforge.world.task import Task
from worldforge.world.world import World

SUCCESSES = ("success", "compat_success")
FRACTIONS = (*MEASURES, "row_order", *(f"compat_{name}" for name in MEASURES))
SCORES: tuple[tuple[str, pa.DataType], ...] = (
    *((name, pa.float64()) for name in MEASURES),
    ("row_order", pa.float64()),
    ("success", pa.bool_()),
    *((f"compat_{name}", pa.float64()) for name in MEASURES),
    ("compat_success", pa.bool_()),
    ("strict_version", pa.string()),
    ("compat_version", pa.string()),
)
"""The columns and their Arrow types. F1, precision and recall are fractions of 1, by item (cell) and by row."""

GOAL_VERSION = "goal-1"
"""The version of the scores of tasks whose gold is a predicate over the final state."""
_NO_OUTCOME = Outcome({"the episode has a final state": False}, (), "")

COMPONENTS = ("coverage", "efficiency", "format_score")
REWARDS: tuple[tuple[str, pa.DataType], ...] = (
    *((name, pa.float64()) for name in COMPONENTS),
    ("n_redundant_calls", pa.int32()),
    ("n_answer_characters", pa.int32()),
    ("reward_version", pa.string()),
)
"""The other components of a reward and their Arrow types, beside the counts of calls, errors and tokens."""


class Turn(NamedTuple):
    """A recorded tool call (arguments as JSON text), the text of its observation, and the row of `OBSERVATION`.

    `number` is the turn of the assistant that made it, from 0; `sub_agent` which sub-agent that was, None for none.
    """

    tool: str
    arguments: str
    text: str
    observation: dict[str, Any]
    number: int
    sub_agent: int | None


def gold_table(world: World, task: Task) -> GoldTable | None:
    """Return the gold table of a task; None where its gold is a predicate over the final state."""
    return None if task.goal else gold_with_aliases(world, task)


def assess(row: dict[str, Any], task: Task, shown: Shown, gold: GoldTable | None) -> None:
    """Fill in the columns `SCORES` and `REWARDS` of a row, and `gold_seen` of its observations.

    What is there of them is replaced. `shown` is a reader of this episode's own. An outcome on record, or `gold`
    of None, means that a goal takes the place of the table. What sub-agents saw and did counts.
    """
    turns = list(turns_of(row))
    for turn in turns:
        turn.observation["gold_seen"] = shown(turn.tool, turn.text, turn.observation)
    if gold is None or row.get("outcome"):
        row |= _assessed_by_state(row, len(turns))
    else:
        row |= score_row(gold, row["answer"]) | _assessed_by_table(row, task, turns)
    row |= {
        "n_redundant_calls": sum(repeated_calls(turns)),
        "n_answer_characters": len(row["answer"]),
        "reward_version": rewards.VERSION,
    }


def _assessed_by_table(row: Mapping[str, Any], task: Task, turns: Sequence[Turn]) -> dict[str, float]:
    n_seen = len({cell for turn in turns for cell in turn.observation["gold_seen"]})
    return {
        "coverage": rewards.coverage(n_seen, len(task.gold) * len(task.columns)),
        "efficiency": rewards.efficiency(n_seen, len(turns)),
        "format_score": rewards.format_score(row["answer"], task.labels),
    }


def _assessed_by_state(row: Mapping[str, Any], n_calls: int) -> dict[str, Any]:
    """Score the final state of a goal: every measure is the share of its conditions that hold.

    Success takes all of them, and no collateral change; form is not asked for.
    """
    outcome = Outcome.from_json(json.loads(row["outcome"])) if row.get("outcome") else _NO_OUTCOME
    measures = outcome.measures
    return {
        **measures,
        **{f"compat_{name}": measures[name] for name in MEASURES},
        **dict.fromkeys(SUCCESSES, outcome.success),
        "strict_version": GOAL_VERSION,
        "compat_version": GOAL_VERSION,
        "coverage": outcome.progress,
        "efficiency": rewards.efficiency(sum(outcome.conditions.values()), n_calls),
        "format_score": 1.0,
    }


def turns_of(row: Mapping[str, Any]) -> Iterator[Turn]:
    """Give a row's calls in the order in which they were answered: a sub-agent's before the call that started it."""
    started: dict[str, list[Turn]] = {}
    for number, sub in enumerate(row["sub_agents"]):
        started.setdefault(sub["tool_call_id"], []).extend(_turns(sub, number))
    for turn in _turns(row, None):
        yield from started.pop(turn.observation["tool_call_id"], ())
        yield turn
    for left in started.values():
        yield from left


def repeated_calls(turns: Iterable[Turn]) -> list[bool]:
    """Say of each call whether it repeats an earlier one that did not fail."""
    return rewards.redundant((turn.tool, turn.arguments, bool(turn.observation["error"])) for turn in turns)


def _turns(conversation: Mapping[str, Any], sub_agent: int | None) -> Iterator[Turn]:
    messages, observations = conversation["messages"], conversation["observations"]
    replies = [message for message in messages if message["role"] == "assistant"]
    calls = [(number, call["function"]) for number, one in enumerate(replies) for call in one["tool_calls"] or ()]
    texts = [message["content"] for message in messages if message["role"] == "tool"]
    for (number, call), text, observation in zip(calls, texts, observations, strict=True):
        yield Turn(call["name"], call["arguments"], text, observation, number, sub_agent)


def score_row(gold: GoldTable, answer: str) -> dict[str, Any]:
    """Score an answer with both scorers, aliases of gold's names as those names; a value for each of `SCORES`."""
    strict, compatible = score_strict(answer, gold), score_compatible(answer, gold, AliasJudge(gold))
    return {
        **strict.columns(""),
        "row_order": strict.row_order,
        **compatible.columns("compat_"),
        "strict_version": strict.version,
        "compat_version": compatible.version,
    }
