"""Adding trials to a run: what was played is kept, and the run ends as if all trials had been asked for at once.

    extended/shards/        the episodes on record, as journals of the units that they belong to now
    extended/config.json    written last: from then on the extension is carried out, by the next command after a kill

Beside config.json, and gone when the run stands under its new configuration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from worldforge.core.files import remove, replace, write_json
from worldforge.core.progress import Progress
from worldforge.rollouts.config import CONFIG, RunConfig, read_config
from worldforge.rollouts.ledger import LEDGER, copy_records
from worldforge.rollouts.run import RECORD, Resume
from worldforge.rollouts.shards import SHARDS
from worldforge.rollouts.trials import (
    SET_ASIDE,
    Trial,
    read_set_aside,
    set_aside_lines,
    without_set_aside,
    write_set_aside,
)

EXTENDED = "extended"


def trials_played(folder: Path, config: RunConfig, resume: Resume) -> int | None:
    """Return how many trials the run in `folder` has, where it is `config`'s with fewer trials; else None."""
    before = None if resume == "never" else read_config(folder)
    trials = before.get("trials") if before else None
    if before is None or not isinstance(trials, int) or before | {"trials": config.trials} != asdict(config):
        return None
    return trials if trials < config.trials else None


def extend(
    folder: Path, config: RunConfig, trials: Sequence[Trial], broken: Mapping[str, str], progress: Progress
) -> None:
    """Give the run in `folder` all of `trials`, under `config`.

    `broken` has the reasons of those new ones that are set aside, by id.
    """
    new = folder / EXTENDED
    remove(new)
    known = {line["id"]: line["reason"] for line in read_set_aside(folder)}
    write_set_aside(new, set_aside_lines(trials, {**known, **broken}))
    progress.start("add trials")
    copy_records(folder, new, [trial.id for trial in without_set_aside(trials, new)])
    write_json(new / CONFIG, asdict(config))
    finish_extension(folder)


def finish_extension(folder: Path) -> None:
    """Carry out an extension of the run in `folder` that is ready, or remove one that a kill has left half made.

    Killed itself, the same call goes on.
    """
    new = folder / EXTENDED
    if (new / CONFIG).exists():
        for name in (RECORD, LEDGER):
            remove(folder / name)
        if (new / SHARDS).exists():
            remove(folder / SHARDS)
            replace(new / SHARDS, folder / SHARDS)
        if (new / SET_ASIDE).exists():
            replace(new / SET_ASIDE, folder / SET_ASIDE)
        replace(new / CONFIG, folder / CONFIG)
    remove(new)
