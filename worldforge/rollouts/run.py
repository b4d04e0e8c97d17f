"""A run on disk: config.json written first, shards as they come, run.json last.

Below `<world>/trajectories/<run>/`:

    config.json     what decides the run's rows; a resume under another configuration is refused
    shards/         the trajectories
    ledger.jsonl    which shards are whole, see `ledger`
    run.json        counts and mean scores; a run that has one is finished
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import pyarrow as pa

from worldforge.core.errors import InputError
from worldforge.core.files import remove, write_json
from worldforge.rollouts.config import RunConfig
from worldforge.rollouts.ledger import LEDGER, SHARDS
from worldforge.rollouts.tally import tally
from worldforge.world.world import World

FOLDER, CONFIG, RECORD, LOCK = "trajectories", "config.json", "run.json", ".lock"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A finished run. `scores` are means over all its episodes, a failed one counting 0.

    `n_played`, `wall_s` (seconds) and `steps_per_s` (tool calls a second) tell of the last sitting, which may have
    found a part of the episodes played already.
    """

    run: str
    folder: Path
    agent: str
    n_tasks: int
    n_episodes: int
    n_failed: int
    n_tool_calls: int
    n_pages_opened: int
    scores: dict[str, float]
    n_played: int
    wall_s: float
    steps_per_s: float


def run_folder(world: World, run: str) -> Path:
    """Return the folder of the run of that name. Raises InputError where the name cannot name a folder."""
    if not _NAME.fullmatch(run):
        raise InputError(f"`{run}` cannot name a run", "use letters, digits, `.`, `_` and `-`")
    return world.path / FOLDER / run


def open_run(folder: Path, config: RunConfig, *, fresh: bool) -> None:
    """Begin a run in `folder`, or go on with the one there. Raises InputError where its configuration is another."""
    before = None if fresh else _read(folder / CONFIG)
    if before is None:
        for name in (RECORD, CONFIG, LEDGER, SHARDS):
            remove(folder / name)
        write_json(folder / CONFIG, asdict(config))
        return
    differing = [
        _difference(key, before.get(key), now) for key, now in asdict(config).items() if before.get(key) != now
    ]
    if differing:
        raise InputError(
            f"the run in {folder} was started with another configuration: {', '.join(differing)}",
            "`--run NAME` starts another run beside it, `--fresh` starts this one anew",
        )


def close_run(
    folder: Path, config: RunConfig, trajectories: pa.Table, played: Sequence[int], wall_s: float
) -> RunSummary:
    """Write run.json over the trajectories of a run; those at `played` took `wall_s` seconds in this sitting."""
    summary = RunSummary(
        run=folder.name,
        folder=folder,
        agent=config.agent,
        n_tasks=config.n_tasks,
        **asdict(tally(trajectories)),
        n_played=len(played),
        wall_s=wall_s,
        steps_per_s=tally(trajectories.take(played)).n_tool_calls / wall_s,
    )
    write_json(folder / RECORD, {key: value for key, value in asdict(summary).items() if key != "folder"})
    return summary


def read_record(folder: Path) -> RunSummary | None:
    """Read the run.json of a run; None where the run is not finished."""
    record = _read(folder / RECORD)
    known = {field.name for field in fields(RunSummary)} - {"folder"}
    return RunSummary(folder=folder, **record) if record is not None and record.keys() == known else None


def finished_runs(world: World, names: Sequence[str] | None = None) -> list[RunSummary]:
    """Return the finished runs of a world, by name; or those of `names`, in that order.

    Raises InputError where there is none, where one that is named is not finished, and where one was made on the world
    as it was before it was built anew.
    """
    folders = [run_folder(world, name) for name in names or _names(world)]
    records = [(folder, read_record(folder)) for folder in folders]
    unfinished = [folder.name for folder, record in records if record is None]
    runs = [record for _, record in records if record is not None]
    if not runs or (names and unfinished):
        which = f"run `{unfinished[0]}` is not finished" if unfinished else "there are no runs"
        raise InputError(f"{world.path}: {which}", f"finish it first: `worldforge rollout {world.path}`")
    for run in runs:
        if world_played(run.folder) != world.digest:
            raise InputError(
                f"{run.folder}: the world was built anew since run `{run.run}`",
                "repeat the run with `--fresh`, or name the runs to take",
            )
    return runs


def world_played(folder: Path) -> str | None:
    """Return the digest of the world that a run was begun on; None where there is no run."""
    return (_read(folder / CONFIG) or {}).get("world_digest")


def _names(world: World) -> list[str]:
    return sorted(path.parent.name for path in (world.path / FOLDER).glob(f"*/{CONFIG}"))


def _read(path: Path) -> dict[str, Any] | None:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _difference(key: str, before: object, now: object) -> str:
    short = [str(value)[:16] for value in (before, now)]
    return key if short[0] == short[1] or key == "system_prompt" else f"`{key}` was {short[0]}, is now {short[1]}"
