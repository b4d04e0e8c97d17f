"""Figures of a dataset: how its trajectories are spread over scores and steps, what repeated trials come to.

Gathered as the rows stream by on their way to a view; only counts are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

N_BINS = 10
SHARES = ("item_f1", "coverage")
"""Columns of trajectories that hold shares of 1."""
TRIED = ("item_f1", "row_f1", "success")
"""Columns of which runs with several trials a task show the mean, the best and the worst."""


@dataclass(slots=True)
class RowStatistics:
    """How many trajectories there are, by score and by number of steps.

    `shares` has, for each of `SHARES`, the trajectories in ten bins of equal width from 0, and in the last place those
    at 1.
    """

    n_rows: int = 0
    shares: dict[str, list[int]] = field(default_factory=lambda: {name: [0] * (N_BINS + 1) for name in SHARES})
    steps: Counter[int] = field(default_factory=Counter)

    def watch(self, tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
        """Give the tables as they come, counting their rows."""
        for table in tables:
            self._count(table)
            yield table

    def _count(self, table: pa.Table) -> None:
        self.n_rows += table.num_rows
        for name, bins in self.shares.items():
            values = pc.fill_null(table[name], 0.0).to_numpy()
            places = np.clip(np.floor(values * N_BINS), 0, N_BINS).astype(np.int64)
            for place, count in enumerate(np.bincount(places, minlength=N_BINS + 1).tolist()):
                bins[place] += count
        self.steps.update(table["n_steps"].to_pylist())


@dataclass(frozen=True, slots=True)
class TrialStatistics:
    """A run of `n` trials a task: the mean over tasks of the trials' mean, best and worst, for each of `TRIED`."""

    n: int
    average: dict[str, float]
    best: dict[str, float]
    worst: dict[str, float]


def trial_statistics(tables: Iterable[pa.Table], n_trials: int) -> TrialStatistics:
    """Reduce the columns `task` and `TRIED` of a run's rows to what `n_trials` a task come to."""
    rows = pa.concat_tables(table.select(["task", *TRIED]) for table in tables)
    success = pc.cast(rows["success"], pa.float64())
    rows = rows.set_column(rows.schema.get_field_index("success"), "success", success)
    kinds = ("mean", "max", "min")
    by_task = rows.group_by("task", use_threads=False).aggregate([(name, kind) for name in TRIED for kind in kinds])
    average, best, worst = ({name: pc.mean(by_task[f"{name}_{kind}"]).as_py() for name in TRIED} for kind in kinds)
    return TrialStatistics(n_trials, average, best, worst)
