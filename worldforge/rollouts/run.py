"""A run on disk: config.json written first, shards as they come, run.json last.

Below `<world>/trajectories/<run>/`:

    config.json     what decides the run's rows; a resume under another configuration is refused
    shards/         the trajectories
    ledger.jsonl    which shards are whole, see `ledger`
    quarantine.jsonl  the episodes that failed, with their reasons; where some did
    set_aside.jsonl   the episodes that controls make unsolvable, with their reasons; where some are
    sample.json     what a sample of the episodes took, where one was measured
    run.json        counts, rates and mean scores, configuration and versions; a run that has one is finished
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from worldforge.core.errors import InputError
from worldforge.core.events import emit
from worldforge.core.files import is_locked, local, remove, write_json, write_text
from worldforge.core.rank_shards import RankShard, differences, write_record
from worldforge.rollouts.config import RunConfig
from worldforge.rollouts.engine import Setting
from worldforge.rollouts.ledger import LEDGER, SHARDS, shard_paths
from worldforge.rollouts.set_aside import SET_ASIDE, read_lines, write_lines
from worldforge.rollouts.shards import read_shard
from worldforge.rollouts.sitting import Sitting
from worldforge.rollouts.tally import COLUMNS, Tally, tally
from worldforge.rollouts.versions import versions
from worldforge.world.world import World
from worldforge.world_model.rates import Counts, Rates

FOLDER, CONFIG, RECORD, LOCK = "trajectories", "config.json", "run.json", ".lock"
QUARANTINE = "quarantine.jsonl"
SAMPLE = "sample.json"
NAMED_ONLY = ("system_prompt", "other_prompts", "controls")
"""The keys of a configuration whose values are too long to be told."""
Resume = Literal["auto", "never", "require"]
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A finished run: what it was, what its trajectories come to, and how its last sitting went.

    `n_set_aside` episodes were not played, since the run's controls make them unsolvable.
    `n_played`, `wall_s` (seconds), `steps_per_s` (tool calls a second), `tokens_per_s` (written by models) and
    `unavailable` (observations for which the world model did not answer, by reason) tell of the last sitting, which may
    have found a part of the episodes played already.
    """

    run: str
    folder: Path
    config: RunConfig
    tally: Tally
    n_set_aside: int
    n_played: int
    wall_s: float
    steps_per_s: float
    tokens_per_s: float
    unavailable: dict[str, int]


def runs_folder(world: World, folder: str | Path | None = None) -> Path:
    """Return where the runs of a world are: in `folder`, or where none is given in the world's own trajectories/."""
    return world.path / FOLDER if folder is None else local(folder)


def run_folder(runs: Path, run: str) -> Path:
    """Return the folder, in that of `runs`, of the run of that name. Raises InputError where it cannot name one."""
    if not _NAME.fullmatch(run):
        raise InputError(f"`{run}` cannot name a run", "use letters, digits, `.`, `_` and `-`")
    return runs / run


def read_config(folder: Path) -> dict[str, Any] | None:
    """Read the configuration that the run in `folder` was begun under; None where there is none that can be read."""
    return _read(folder / CONFIG)


def is_begun(folder: Path, config: RunConfig, resume: Resume) -> bool:
    """Say whether there is a run in `folder` to go on with: with `auto` where one is there, with `never` not at all.

    Raises InputError where the run there has another configuration, naming the keys that differ, where that cannot be
    read, and where `require` finds none.
    """
    before = None if resume == "never" else read_config(folder)
    if before is None:
        if resume != "never" and (folder / CONFIG).exists():  # what was played may have cost a lot: nobody's to remove
            raise InputError(
                f"{folder / CONFIG} is damaged", "`--resume never` begins the run anew, `--run NAME` another"
            )
        if resume == "require":
            raise InputError(f"there is no run in {folder} to go on with", "`--resume auto` begins one")
        return False
    differing = differences(before, asdict(config), NAMED_ONLY)
    if differing:
        raise InputError(
            f"the run in {folder} was started with another configuration: {', '.join(differing)}",
            "`--run NAME` starts another run beside it, `--resume never` starts this one anew",
        )
    return True


def begin_run(folder: Path, config: RunConfig, set_aside: Sequence[Mapping[str, object]] = ()) -> None:
    """Begin a run in `folder`, in place of the one that may be there, with these lines of its set_aside.jsonl."""
    for name in (RECORD, CONFIG, QUARANTINE, SET_ASIDE, SAMPLE, LEDGER, SHARDS):
        remove(folder / name)
    write_lines(folder, set_aside)
    write_json(folder / CONFIG, asdict(config))


@dataclass(frozen=True, slots=True)
class Pace:
    """How the playing went: figures of `RunSummary`, and what it was played with, for the record."""

    n_played: int
    wall_s: float
    steps_per_s: float
    tokens_per_s: float
    unavailable: dict[str, int]
    asked: dict[str, Any]
    versions: dict[str, Any]
    models: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, sitting: Sitting, setting: Setting) -> Pace:
        """Tell of one sitting, in this process."""
        spent, wall_s = sitting.spent, sitting.wall_s
        speeds = (spent.n_tool_calls / wall_s, spent.completion_tokens / wall_s)
        return cls(
            spent.n_episodes, wall_s, *speeds, dict(spent.unavailable), setting.asked, versions(), sitting.models
        )


def close_run(
    folder: Path, config: RunConfig, pace: Pace, n_episodes: int, share: RankShard | None = None
) -> RunSummary:
    """Write run.json over the whole shards of a run, and quarantine.jsonl over those of its episodes that failed.

    Where they are a rank's `share` of the run, it is the record of that, with the digests of the shards.
    """
    shards = shard_paths(folder, n_episodes)
    counted = tally(read_shard(shard, COLUMNS) for shard in shards)
    if counted.n_failed:
        _write_quarantine(folder, n_episodes)
    else:
        remove(folder / QUARANTINE)
    name = folder.name if share is None else folder.parent.parent.name
    speed = (pace.n_played, pace.wall_s, pace.steps_per_s, pace.tokens_per_s, pace.unavailable)
    summary = RunSummary(name, folder, config, counted, len(read_lines(folder)), *speed)
    record = asdict(summary) | {"asked": pace.asked, "versions": pace.versions, "models": pace.models}
    del record["folder"]
    if share is None:
        write_json(folder / RECORD, record)
    else:
        write_record(folder / RECORD, share, record.pop("config"), shards, **record)
    emit("run_closed", run=name, folder=str(folder), tally=asdict(counted))
    return summary


def renew_tally(folder: Path) -> RunSummary:
    """Count the rows of a finished run anew, and write what comes of it into its run.json; return its summary."""
    summary, record = read_record(folder), _read(folder / RECORD)
    assert summary is not None and record is not None, "the run is finished"
    counted = tally(read_shard(shard, COLUMNS) for shard in shard_paths(folder, summary.tally.n_episodes))
    if record["tally"] != asdict(counted):
        write_json(folder / RECORD, record | {"tally": asdict(counted)})
    return replace(summary, tally=counted)


def _write_quarantine(folder: Path, n_episodes: int) -> None:
    """List the episodes that failed, each with its reason."""
    lines = []
    for shard in shard_paths(folder, n_episodes):
        failed = read_shard(shard, ["id", "ending", "error", "n_steps"])
        lines += [row for row in failed.to_pylist() if row.pop("ending") == "failed"]
    write_text(folder / QUARANTINE, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


def read_record(folder: Path) -> RunSummary | None:
    """Read the run.json of a run; None where the run is not finished."""
    record = _read(folder / RECORD) or {}
    try:
        parts = {
            name: record[name]
            for name in ("run", "n_set_aside", "n_played", "wall_s", "steps_per_s", "tokens_per_s", "unavailable")
        }
        counted = record["tally"]
        counted = Tally(**(counted | {"wording": Counts(**counted["wording"]), "rates": Rates(**counted["rates"])}))
        return RunSummary(folder=folder, config=RunConfig(**record["config"]), tally=counted, **parts)
    except (KeyError, TypeError):  # not there, or written by another version
        return None


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
        raise _unfinished(world, place, unfinished[0] if unfinished else None)
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


def _unfinished(world: World, folder: Path, name: str | None) -> InputError:
    """Say that the run `name` in `folder` is not finished, or that there is none."""
    own = folder == world.path / FOLDER
    begun, play = _names(folder), f"`worldforge rollout {world.path}{'' if own else f' --out {folder}'}`"
    place = world.path if own else folder
    if name in begun:
        return InputError(f"{place}: run `{name}` is not finished", f"finish it first: {play}, as it was begun")
    what = "there are no runs" if name is None else f"there is no run `{name}`"
    return InputError(f"{place}: {what}", f"its runs are {', '.join(begun)}" if begun else f"play one: {play}")


def world_played(folder: Path) -> str | None:
    """Return the digest of the world that a run was begun on; None where there is no run."""
    return (read_config(folder) or {}).get("world_digest")


def _names(folder: Path) -> list[str]:
    return sorted(path.parent.name for path in folder.glob(f"*/{CONFIG}"))


def _read(path: Path) -> dict[str, Any] | None:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    return value if isinstance(value, dict) else None
