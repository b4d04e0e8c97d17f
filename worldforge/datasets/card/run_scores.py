"""How the runs of a dataset did: scores, repeated trials, and how their world model worded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from worldforge.datasets.card.markdown import code, table
from worldforge.datasets.card.row_statistics import TRIED, TrialStatistics
from worldforge.rollouts.run import RunSummary

_SHOWN = ("item_f1", "row_f1", "success", "compat_item_f1", "compat_row_f1", "compat_success")
_NAMES = {"item_f1": "item F1", "row_f1": "row F1", "success": "success"}
_RATES = ("leaking", "contradicting", "hallucinated", "refused_otherwise", "fallback", "unavailable", "stored")


def run_scores(runs: Sequence[RunSummary], trials: Mapping[str, TrialStatistics]) -> str:
    """Tell how the runs did, over all of their trajectories, selected or not."""
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
    parts = [
        "## Scores",
        "Means over all trajectories of a run, a failed one counting 0. Strict scores are for rewards; compatible ones "
        "are what the WideSearch benchmark's own scorer gives.",
        table(header, rows),
        _tried(trials),
        _worded(runs),
    ]
    return "\n\n".join(part for part in parts if part)


def _tried(trials: Mapping[str, TrialStatistics]) -> str:
    if not trials:
        return ""
    header = ("run", "N", *(f"{_NAMES[name]} {kind}@N" for name in TRIED for kind in ("avg", "max", "min")))
    rows = [
        (
            run,
            str(of.n),
            *(f"{values[name]:.3f}" for name in TRIED for values in (of.average, of.best, of.worst)),
        )
        for run, of in trials.items()
    ]
    caption = "Of N trials a task their mean, the best and the worst; each a mean over tasks."
    return f"{caption}\n\n{table(header, rows)}"


def _worded(runs: Sequence[RunSummary]) -> str:
    """Show how world models did: shares of their drafts, and of the observations that they were to word."""
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
