"""Recompute the scores of trajectories on disk, with the current scorers and reward components.

    rescore(open_world("output/quickstart"))        shards, ledger and run.json of its finished runs, in place

Nothing is played again. A kill at any moment leaves every shard whole, as it was or as it is to be; the same command
goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from worldforge.core.errors import InputError
from worldforge.core.files import check_writable, locked
from worldforge.core.progress import Progress
from worldforge.environments.registry import environment_of_run
from worldforge.rollouts.factories import TaskMentions
from worldforge.rollouts.ledger import rewrite_shard, settle, whole_shards
from worldforge.rollouts.run import LOCK, RunSummary, finished_runs, renew_tally
from worldforge.rollouts.scores import assess, gold_table
from worldforge.rollouts.shards import read_shard
from worldforge.world.task import Task
from worldforge.world.world import World


@dataclass(frozen=True, slots=True)
class RescoreSummary:
    """A run that was rescored: as it now is, how many shards it has, and in how many anything changed."""

    run: RunSummary
    n_shards: int
    n_changed: int


def rescore(
    world: World,
    *,
    runs: Sequence[str] | None = None,
    trajectories: str | Path | None = None,
    progress: Progress | None = None,
) -> list[RescoreSummary]:
    """Recompute the score and reward columns in the trajectories of `runs` (default: all finished ones).

    They are in the folder `trajectories`, by default the world's own.
    What is up to date stays as it is, byte for byte. Raises InputError where a run is not finished, is damaged or of
    another world, and where another process is at work on it.
    """
    progress = progress or Progress()
    world.check_whole()
    chosen = finished_runs(world, runs, trajectories)
    for run in chosen:
        check_writable(run.folder, "copy the runs into another folder, and name that with `--trajectories FOLDER`")
    tasks = {task.id: task for task in world.tasks}
    return [_rescore_run(world, run, tasks, progress) for run in chosen]


def _rescore_run(world: World, run: RunSummary, tasks: dict[str, Task], progress: Progress) -> RescoreSummary:
    folder, n_episodes = run.folder, run.tally.n_episodes
    with locked(folder / LOCK, f"another process is at work on the run in {folder}"):
        shards = whole_shards(folder, n_episodes, any_version=True)
        shown_to = environment_of_run(run.config.environment)[0].readers(TaskMentions(world, list(tasks.values())))
        progress.start(f"rescore {run.run}", n_episodes)
        n_changed = 0
        for shard in shards:
            rows = read_shard(shard).to_pylist()
            for row in rows:
                if row["task"] not in tasks:
                    raise InputError(f"{shard}: the world has no task `{row['task']}`", "repeat the rollout")
                task = tasks[row["task"]]
                row.setdefault("outcome", "")
                row |= {"episode": run.config.episode(task.id, row["trial"]), "run_seed": run.config.seed}
                assess(row, task, shown_to(task), gold_table(world, task))
            n_changed += rewrite_shard(folder, shard, rows)
            progress.advance(len(rows))
        settle(folder, n_episodes)
        return RescoreSummary(renew_tally(folder), len(shards), n_changed)
