"""The card's sections on results: scores, repeated trials, and the wording by world models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from worldforge.datasets.card.markdown import code, table
from worldforge.rollouts.run import RunSummary

TRIED = ("item_f1", "row_f1", "success")
"""Columns of which runs with several trials a task show the mean, the best and the worst."""
_SHOWN = ("item_f1", "row_f1", "success", "compat_item_f1", "compat_row_f1", "compat_success")
_NAMES = {"item_f1": "item F1", "row_f1": "row F1", "success": "success"}
_RATES = ("leaking", "contradicting", "hallucinated", "refused_otherwise", "fallback", "unavailable", "stored")


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


def scores(runs: Sequence[RunSummary]) -> str:
    """Show the scores of the runs, over all of their trajectories."""
    header = ("run", "agent", "trajectories", "failed", *_NAMES.values(), *(f"compatible {n}" for n in _NAMES.values()))
    rows = [
        (
            run.run,
            code(run.config.agent),
            f"{run.tally.n_episodes:,}",
            f"{run.tally.n_failed:,}",
            *(f"{run.tally.scores[name]:.3f}" for name in _SHOWN),
        )
        for run in runs
    ]
    return table(header, rows)


def trials(runs: Mapping[str, TrialStatistics]) -> str:
    """Show statistics over trials, for runs with several."""
    if not runs:
        return ""
    header = ("run", "N", *(f"{_NAMES[name]} {kind}@N" for name in TRIED for kind in ("avg", "max", "min")))
    rows = [
        (
            run,
            str(of.n),
            *(f"{values[name]:.3f}" for name in TRIED for values in (of.average, of.best, of.worst)),
        )
        for run, of in runs.items()
    ]
    caption = "Of N trials a task their mean, the best and the worst; each a mean over tasks."
    return f"{caption}\n\n{table(header, rows)}"


def wording(runs: Sequence[RunSummary]) -> str:
    """Show the results of world models: shares of drafts and of observations, by outcome."""
    rows = [
        (
            run.run,
            code(run.config.world_model),
            f"{run.tally.wording.n_rendered:,}",
            *(f"{getattr(run.tally.rates, name):.3f}" for name in _RATES),
        )
        for run in runs
        if run.tally.wording.n_rendered
    ]
    if not rows:
        return ""
    header = ("run", "world model", "observations", *(name.replace("_", " ") for name in _RATES))
    return (
        "Observations that a world model was to word. A guard refuses drafts that leak, contradict or invent; they are "
        "drawn again, or the engine words the observation (fallback). Shares of drafts, then of observations.\n\n"
        f"{table(header, rows)}"
    )
