"""What trajectories come to: how many, how many failed, what they took, and their mean scores."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from worldforge.rollouts.scores import FRACTIONS, SUCCESSES

COLUMNS = ["ending", "n_tool_calls", "n_pages_opened", *FRACTIONS, *SUCCESSES]
"""The columns of `TRAJECTORIES` that a tally reads."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts over trajectories. `scores` are means, a failed episode counting 0; of none at all they are 0."""

    n_episodes: int
    n_failed: int
    n_tool_calls: int
    n_pages_opened: int
    scores: dict[str, float]


def tally(table: pa.Table) -> Tally:
    """Count the rows of a table with `COLUMNS`. Sums are exact, so that the order of rows does not matter."""
    n_rows = table.num_rows
    return Tally(
        n_episodes=n_rows,
        n_failed=pc.sum(pc.equal(table["ending"], "failed"), min_count=0).as_py(),
        n_tool_calls=pc.sum(table["n_tool_calls"], min_count=0).as_py(),
        n_pages_opened=pc.sum(table["n_pages_opened"], min_count=0).as_py(),
        scores={name: math.fsum(table[name].to_pylist()) / max(1, n_rows) for name in (*FRACTIONS, *SUCCESSES)},
    )
