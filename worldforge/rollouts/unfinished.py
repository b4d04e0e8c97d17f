"""Runs that cannot be taken as they are, each with the reason: what an export of all finished runs leaves out.

for run in unfinished_runs(world.path / "trajectories"):
    print(run.run, run.reason)                  # half  3 of 70 episodes are played
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from worldforge.core.files import is_locked
from worldforge.core.rank_shards import has_ranks
from worldforge.rollouts.ledger import SHARDS, n_recorded
from worldforge.rollouts.ranks import RANKS
from worldforge.rollouts.run import CONFIG, LOCK, RECORD, read_config, read_record
from worldforge.rollouts.set_aside import read_lines

_GO_ON = "the rollout command that began it goes on from there"


@dataclass(frozen=True, slots=True)
class UnfinishedRun:
    """A run by its name, the reason why it is not finished, and what finishes it."""

    run: str
    reason: str
    hint: str


def unfinished_runs(folder: Path) -> list[UnfinishedRun]:
    """List the runs in `folder` (a world's trajectories/) that have no record of being finished, by name."""
    found = sorted(path for path in folder.glob("*") if any((path / name).exists() for name in (CONFIG, SHARDS, RANKS)))
    return [_unfinished(run) for run in found if read_record(run) is None or not (run / CONFIG).exists()]


def _unfinished(run: Path) -> UnfinishedRun:
    """Say why the run in folder `run` is not finished."""
    if has_ranks(run / RANKS):
        return UnfinishedRun(run.name, "it is played by ranks, and not merged", "`worldforge rollout … --merge`")
    config = read_config(run)
    if config is None:
        anew = "`--resume never` plays it anew"
        return UnfinishedRun(run.name, f"its {CONFIG} is missing or damaged", anew)
    n_episodes = config.get("n_tasks", 0) * config.get("trials", 0) - len(read_lines(run))
    n_played = n_recorded(run, n_episodes)
    if (run / RECORD).exists() and n_played == n_episodes:
        anew = "the rollout command that began it writes that anew"
        return UnfinishedRun(run.name, f"its {RECORD} is damaged, or of another version", anew)
    state = "a process is playing it: " if is_locked(run / LOCK) else ""
    return UnfinishedRun(run.name, f"{state}{n_played:,} of {n_episodes:,} episodes are played", _GO_ON)
