"""Lists the finished and unfinished runs of a world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from worldforge.core.errors import InputError
from worldforge.core.files import is_locked
from worldforge.core.rank_shards import shards_found
from worldforge.rollouts.config import CONFIG, read_config
from worldforge.rollouts.ledger import n_recorded
from worldforge.rollouts.run import FOLDER, LOCK, RANKS, RECORD, RunSummary, read_record, run_folder, runs_folder
from worldforge.rollouts.shards import SHARDS
from worldforge.rollouts.trials import read_set_aside
from worldforge.world.world import World

_GO_ON = "the rollout command that began it goes on from there"


@dataclass(frozen=True, slots=True)
class UnfinishedRun:
    """An unfinished run: its name, the reason, and the command that finishes it."""

    run: str
    reason: str
    hint: str


def unfinished_runs(folder: Path) -> list[UnfinishedRun]:
    """List the runs in `folder` (a world's trajectories/) that have no record of being finished, by name."""
    found = sorted(path for path in folder.glob("*") if any((path / name).exists() for name in (CONFIG, SHARDS, RANKS)))
    return [_unfinished(run) for run in found if read_record(run) is None or not (run / CONFIG).exists()]


def _unfinished(run: Path) -> UnfinishedRun:
    """Return why the run in folder `run` is not finished."""
    if shards_found(run / RANKS):
        return UnfinishedRun(run.name, "it is played by ranks, and not merged", "`worldforge rollout … --merge`")
    config = read_config(run)
    if config is None:
        anew = "`--resume never` plays it anew"
        return UnfinishedRun(run.name, f"its {CONFIG} is missing or damaged", anew)
    n_episodes = config.get("n_tasks", 0) * config.get("trials", 0) - len(read_set_aside(run))
    n_played = n_recorded(run, n_episodes)
    if (run / RECORD).exists() and n_played == n_episodes:
        anew = "the rollout command that began it writes that anew"
        return UnfinishedRun(run.name, f"its {RECORD} is damaged, or of another version", anew)
    state = "a process is playing it: " if is_locked(run / LOCK) else ""
    return UnfinishedRun(run.name, f"{state}{n_played:,} of {n_episodes:,} episodes are played", _GO_ON)


def finished_runs(
    world: World, names: Sequence[str] | None = None, folder: str | Path | None = None
) -> list[RunSummary]:
    """Return the finished runs of a world, by name; or those of `names`, in that order.

    They are in `folder`, by default the world's trajectories/. Raises InputError where there is none, where one that is
    named is not finished, and where one was made on another world, or on this as it was before it was built anew.
    """
    place = runs_folder(world, folder)
    folders = [run_folder(place, name) for name in names or _names(place)]
    records = [(folder, read_record(folder)) for folder in folders]
    unfinished = [folder.name for folder, record in records if record is None]
    runs = [record for _, record in records if record is not None]
    if not runs or (names and unfinished):
        raise _not_finished(world, place, unfinished[0] if unfinished else None)
    for run in runs:
        if world_played(run.folder) != world.digest:
            raise InputError(
                f"{run.folder}: run `{run.run}` was played in another world, or before this one was built anew",
                "repeat the run with `--resume never`" + ("" if names else ", or name the runs to take"),
            )
    return runs


def check_unplayed(world: Path) -> None:
    """Raise InputError where a process is at work on a run of the world in folder `world`, or on a rank's share of one.

    Were that world built anew meanwhile, the run would be of none that is there.
    """
    for lock in sorted((world / FOLDER).glob(f"**/{LOCK}")):
        if is_locked(lock):
            name = lock.relative_to(world / FOLDER).parts[0]
            raise InputError(
                f"{world} is not built anew: a process is at work on its run `{name}`",
                "wait until it has finished, or stop it; or build into another folder with `-o`",
            )


def world_played(folder: Path) -> str | None:
    """Return the digest of the world that a run was begun on; None where there is no run."""
    return (read_config(folder) or {}).get("world_digest")


def _not_finished(world: World, folder: Path, name: str | None) -> InputError:
    """Return the error for a run `name` in `folder` that is not finished or does not exist."""
    own = folder == world.path / FOLDER
    begun, play = _names(folder), f"`worldforge rollout {world.path}{'' if own else f' --out {folder}'}`"
    place = world.path if own else folder
    if name in begun:
        return InputError(f"{place}: run `{name}` is not finished", f"finish it first: {play}, as it was begun")
    what = "there are no runs" if name is None else f"there is no run `{name}`"
    return InputError(f"{place}: {what}", f"its runs are {', '.join(begun)}" if begun else f"play one: {play}")


def _names(folder: Path) -> list[str]:
    return sorted(path.parent.name for path in folder.glob(f"*/{CONFIG}"))
