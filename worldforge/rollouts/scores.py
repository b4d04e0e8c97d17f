"""What a trajectory is worth, column by column: its scores, and the other components of a reward. Nothing is summed.

Scores are strict for rewards, `compat_` as the WideSearch benchmark gives them. All columns follow from the rest of the
row, its task and the world's mentions: they are filled in when an episode ends, and anew by `worldforge rescore`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pyarrow as pa

from worldforge.rollouts.gold_seen import Shown
from worldforge.scoring import reward_components as rewards
from worldforge.scoring.alias_judge import judge_by_aliases
from worldforge.scoring.answer_score import Score
from worldforge.scoring.compatible_scorer import score_compatible
from worldforge.scoring.gold_table import GoldTable
from worldforge.scoring.strict_scorer import score_strict
from worldforge.world.task import Task

MEASURES = ("item_f1", "item_precision", "item_recall", "row_f1", "row_precision", "row_recall")
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

COMPONENTS = ("coverage", "efficiency", "format_score")
REWARDS: tuple[tuple[str, pa.DataType], ...] = (
    *((name, pa.float64()) for name in COMPONENTS),
    ("n_redundant_calls", pa.int32()),
    ("n_answer_characters", pa.int32()),
    ("reward_version", pa.string()),
)
"""The other components of a reward and their Arrow types, beside the counts of calls, errors and tokens."""


class Turn(NamedTuple):
    """A tool call on record, the text that it brought, and its row of `OBSERVATION`."""

    called: rewards.MadeCall
    text: str
    observation: dict[str, Any]


def assess(row: dict[str, Any], task: Task, shown: Shown, gold: GoldTable) -> None:
    """Fill in all that a row is worth: `gold_seen` of its observations, the columns `SCORES` and `REWARDS`.

    What is there of them is replaced. `shown` is a reader of this episode's own. What sub-agents saw and did counts.
    """
    turns = list(turns_of(row))
    for called, text, observation in turns:
        observation["gold_seen"] = shown(called.tool, text, observation)
    row |= score_row(gold, row["answer"])
    n_seen = len({cell for *_, observation in turns for cell in observation["gold_seen"]})
    row |= {
        "coverage": rewards.coverage(n_seen, len(task.gold) * len(task.columns)),
        "efficiency": rewards.efficiency(n_seen, len(turns)),
        "format_score": rewards.format_score(row["answer"], task.labels),
        "n_redundant_calls": sum(rewards.redundant(called for called, *_ in turns)),
        "n_answer_characters": len(row["answer"]),
        "reward_version": rewards.VERSION,
    }


def turns_of(row: Mapping[str, Any]) -> Iterator[Turn]:
    """Give a row's calls in the order in which they were answered: a sub-agent's before the call that started it."""
    started: dict[str, list[Turn]] = {}
    for sub in row["sub_agents"]:
        started.setdefault(sub["tool_call_id"], []).extend(_turns(sub))
    for turn in _turns(row):
        yield from started.pop(turn.observation["tool_call_id"], ())
        yield turn
    for left in started.values():
        yield from left


def _turns(conversation: Mapping[str, Any]) -> Iterator[Turn]:
    messages, observations = conversation["messages"], conversation["observations"]
    calls = [call["function"] for message in messages for call in message["tool_calls"] or ()]
    texts = [message["content"] for message in messages if message["role"] == "tool"]
    for call, text, observation in zip(calls, texts, observations, strict=True):
        called = rewards.MadeCall(call["name"], call["arguments"], bool(observation["error"]))
        yield Turn(called, text, observation)


def score_row(gold: GoldTable, answer: str) -> dict[str, Any]:
    """Score an answer with both scorers, aliases of gold's names as those names; a value for each of `SCORES`."""
    strict, compatible = score_strict(answer, gold), score_compatible(answer, gold, judge_by_aliases(gold))
    return {
        **_measured(strict, ""),
        "row_order": strict.row_order,
        **_measured(compatible, "compat_"),
        "strict_version": strict.version,
        "compat_version": compatible.version,
    }


def _measured(score: Score, prefix: str) -> dict[str, Any]:
    measures = {f"{prefix}{name}": getattr(score, name) for name in MEASURES}
    return measures | {f"{prefix}success": score.success}
