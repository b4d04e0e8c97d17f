"""The score columns of a trajectory: strict for rewards, `compat_` as the WideSearch benchmark scores it."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from worldforge.scoring.compatible import score_compatible
from worldforge.scoring.gold import gold_of
from worldforge.scoring.score import Score
from worldforge.scoring.strict import score_strict
from worldforge.world.task import Task

MEASURES = ("item_f1", "item_precision", "item_recall", "row_f1", "row_precision", "row_recall")
SUCCESSES = ("success", "compat_success")
FRACTIONS = (*MEASURES, *(f"compat_{name}" for name in MEASURES))
SCORES: tuple[tuple[str, pa.DataType], ...] = (
    *((name, pa.float64()) for name in MEASURES),
    ("success", pa.bool_()),
    *((f"compat_{name}", pa.float64()) for name in MEASURES),
    ("compat_success", pa.bool_()),
    ("strict_version", pa.string()),
    ("compat_version", pa.string()),
)
"""The columns and their Arrow types. F1, precision and recall are fractions of 1, by item (cell) and by row."""


def score_row(task: Task, answer: str) -> dict[str, Any]:
    """Score an answer with both scorers; return a value for each column of `SCORES`."""
    gold = gold_of(task)
    strict, compatible = score_strict(answer, gold), score_compatible(answer, gold)
    return {
        **_measured(strict, ""),
        **_measured(compatible, "compat_"),
        "strict_version": strict.version,
        "compat_version": compatible.version,
    }


def _measured(score: Score, prefix: str) -> dict[str, Any]:
    measures = {f"{prefix}{name}": getattr(score, name) for name in MEASURES}
    return measures | {f"{prefix}success": score.success}
