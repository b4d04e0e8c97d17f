"""Predictions and their scores as tables: a row each, and what they come to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from worldforge.world_model.bench.exact import DIMENSIONS, ExactScore
from worldforge.world_model.bench.predict import Prediction
from worldforge.world_model.bench.transitions import Transition

_COUNTS = ("n_told", "n_wrong", "n_disclosed", "n_missing", "n_demands", "n_broken")
SCORES = pa.schema(
    [
        ("id", pa.int64()),
        ("sample", pa.int32()),
        ("kind", pa.string()),
        ("run", pa.string()),
        ("trajectory", pa.string()),
        ("task", pa.string()),
        ("turn", pa.int32()),
        ("controls", pa.list_(pa.string())),
        *((name, pa.float64()) for name in DIMENSIONS),
        *((name, pa.int32()) for name in _COUNTS),
        ("verdict", pa.string()),
        ("reason", pa.string()),
        ("finish", pa.string()),
        ("prompt_tokens", pa.int32()),
        ("completion_tokens", pa.int32()),
        ("seconds", pa.float64()),
        ("error", pa.string()),
    ]
)
"""One row a prediction. Scores are null where there is nothing to measure, and where a model did not answer."""


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of a dimension, and over how many predictions; None of none."""

    mean: float | None
    n: int


def score_table(
    transitions: Sequence[Transition], predictions: Sequence[Prediction], scores: Sequence[ExactScore | None]
) -> pa.Table:
    """Write predictions with their scores as a table of `SCORES`; a prediction that failed has none."""
    truths = {one.truth.id: one.truth for one in transitions}
    rows: list[dict[str, Any]] = []
    for prediction, scored in zip(predictions, scores, strict=True):
        truth = truths[int(prediction.id)]
        told = {field.name: getattr(scored, field.name) for field in fields(ExactScore)} if scored is not None else {}
        rows.append(
            told
            | asdict(prediction)
            | {
                "kind": truth.view.kind,
                "run": truth.run,
                "trajectory": truth.trajectory,
                "task": truth.task,
                "turn": truth.turn,
                "controls": list(truth.controls.names),
            }
        )
    return pa.Table.from_pylist([{name: row.get(name) for name in SCORES.names} for row in rows], schema=SCORES)


def means(table: pa.Table) -> dict[str, Mean]:
    """Return the mean of each dimension over the rows that have it."""
    return {name: Mean(pc.mean(table[name]).as_py(), len(table) - table[name].null_count) for name in DIMENSIONS}


def verdicts(table: pa.Table) -> dict[str, int]:
    """Count the guard's verdicts, by name."""
    return dict(sorted(Counter(verdict for verdict in table["verdict"].to_pylist() if verdict is not None).items()))
