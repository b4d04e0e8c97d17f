"""Reward of an answer: the strict scorer's measures against the gold (JSON) in a trainer's row.

text = write_ground_truth(gold)     {"columns": […], "keys": […], "rows": [[…]], "evaluation": {…}, "aliases": {…}}
measures("| Club | …", text)        {"item_f1": 0.8, …, "success": 0.0}

The gold of a task with a goal is no table: the final state of its session is scored, as in rollouts.

verl (0.9) calls `compute_score`:

    reward.custom_reward_function.path=pkg://worldforge.serving.answer_reward
    reward.custom_reward_function.name=compute_score
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from worldforge.core.errors import InputError
from worldforge.environments.goals import Outcome
from worldforge.environments.session import outcome_of
from worldforge.scoring.gold_table import GoldTable
from worldforge.scoring.strict_scorer import score_strict
from worldforge.serving.worlds import begin_session

OUTCOME = "worldforge_outcome"
"""Under this key of `extra_info` stands the outcome of a verl trajectory whose task has a goal."""
NO_TABLE = "null"
"""The ground truth of a task whose gold is a final state."""
MEASURES = ("item_f1", "item_precision", "item_recall", "row_f1", "row_precision", "row_recall", "row_order", "success")
"""The measures, each in [0, 1]. `item_f1` is the reward."""

_OPENINGS = ("<tool_call>", "<tool_response>", "<think>")
_TURNS = ("</tool_response>", "</tool_call>", "</think>", "<|im_start|>assistant\n")
_FENCE, _TABLE = "```", "```markdown"
_KEPT = 1_024  # gold tables: one is asked for by every completion of a group


def measures(answer: str, ground_truth: str) -> dict[str, float]:
    """Score the text of an answer by the strict scorer: 0 in every measure if it cannot be parsed.

    Raises InputError for a `ground_truth` that is not a gold table.
    """
    score = score_strict(answer, read_ground_truth(ground_truth))
    return {name: float(getattr(score, name)) for name in MEASURES}


def write_ground_truth(gold: GoldTable | None) -> str:
    """Write a gold table as JSON, with everything that the strict scorer needs; None where gold is a final state."""
    if gold is None:
        return NO_TABLE
    table = {
        "columns": gold.columns,
        "keys": gold.keys,
        "rows": gold.rows,
        "evaluation": dict(gold.evaluation),
        "aliases": {column: dict(names) for column, names in gold.aliases.items()},
    }
    return json.dumps(table, ensure_ascii=False)


@lru_cache(_KEPT)
def read_ground_truth(text: str) -> GoldTable:
    """Read back what `write_ground_truth` wrote. Raises InputError where `text` is something else."""
    try:
        if text == NO_TABLE:
            raise InputError("the task's gold is a final state, not a table", "see docs/views.md#goals")
        table = json.loads(text)
        columns, keys, rows = tuple(table["columns"]), tuple(table["keys"]), tuple(map(tuple, table["rows"]))
        return GoldTable(columns, rows, keys, evaluation=table["evaluation"], aliases=table["aliases"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        why = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise InputError(
            f"ground_truth is no gold table: {why}",
            "take the rows of a view that `worldforge export` wrote: rl_trl, …",
        ) from error


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, Any] | None = None,
    **_more: Any,
) -> dict[str, float]:
    """Score a response of verl's: `solution_str` is all of it, decoded, turns and tool texts together.

    `score` is the reward, item F1; `acc` is what verl's validation reports: whether the table is perfect. Beside them
    stand `MEASURES`. Where a task has a goal, `extra_info` holds the outcome after the last call of a tool; without a
    call the initial state is scored. Raises InputError where `ground_truth` is not that of a row of `rl_verl`.
    """
    row = extra_info or {}
    outcome = Outcome.from_json(row[OUTCOME]) if row.get(OUTCOME) else None
    if outcome is None and ground_truth == NO_TABLE:
        outcome = outcome_of(begin_session(*(row[name] for name in ("world", "world_digest", "dialect", "task_id"))))
    scored = measures(final_answer(solution_str), ground_truth) if outcome is None else outcome.measures
    return {"score": scored["item_f1"], "acc": scored["success"], **scored}


def final_answer(text: str) -> str:
    """Return the answer in a response that was decoded to one text, with all turns and tool results.

    With the tags of Qwen's templates it is the text after the last tool call, tool result or thought; empty if the last
    of these is not closed. Without tags it is the last block fenced as markdown: other tables may be of pages.
    """
    begins = max(text.rfind(mark) for mark in _OPENINGS)
    turn, after = max((text.rfind(mark), len(mark)) for mark in _TURNS)
    if begins > turn:
        return ""
    if turn >= 0:
        return text[turn + after :]
    start = text.lower().rfind(_TABLE)
    if start < 0:
        return ""
    end = text.find(_FENCE, start + len(_TABLE))
    return text[start : end + len(_FENCE)] if end >= 0 else text[start:]
