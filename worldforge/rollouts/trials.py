"""The episodes of a run, numbered before any is played, and the file of those that are set aside.

    set_aside.jsonl     {"id": "task/list-0007#0", "task": "task/list-0007", "trial": 0, "reason": "out of steps"}

Episodes that the run's controls make unsolvable are set aside: they are not played. The file is written before
config.json.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from worldforge.core.chance import Stream
from worldforge.core.files import remove, write_text
from worldforge.rollouts import journal
from worldforge.world.task import Task

SET_ASIDE = "set_aside.jsonl"


@dataclass(frozen=True, slots=True)
class Trial:
    """One episode to be played: the `index`-th of its run, the `trial`-th attempt (from 0) at `task`.

    `place` says how far through the run its task stands, from 0 (the first) to 1 (the last). It does not depend on the
    number of trials, so that trials can be added to a run.
    """

    index: int
    task: Task
    trial: int
    place: float = 0.0

    @property
    def id(self) -> str:
        """The trajectory's id within a run: `task/list-0007#0`."""
        return f"{self.task.id}#{self.trial}"

    def seed(self, world_seed: int, run_seed: int) -> int:
        """Return the episode's own seed, in [0, 2**63), which follows from the other seeds, the task and the trial."""
        stream = Stream(world_seed, "rollout").child(self.task.id, self.trial, *([run_seed] if run_seed else []))
        return int(stream.bits(np.zeros(1, np.int64))[0] >> np.uint64(1))


def trials_of(tasks: Sequence[Task], n_trials: int, first_trial: int = 0) -> list[Trial]:
    """List the episodes of a run, in order: every trial of the first task, from `first_trial` on, then of the next."""
    last = max(1, len(tasks) - 1)
    numbers = range(first_trial, first_trial + n_trials)
    triples = [(task, trial, at / last) for at, task in enumerate(tasks) for trial in numbers]
    return [Trial(index, *triple) for index, triple in enumerate(triples)]


def set_aside_lines(trials: Sequence[Trial], reasons: Mapping[str, str]) -> list[dict[str, object]]:
    """Return the lines of the file for those of `trials` that are set aside, given the reason of each by id."""
    return [
        {"id": trial.id, "task": trial.task.id, "trial": trial.trial, "reason": reasons[trial.id]}
        for trial in trials
        if trial.id in reasons
    ]


def write_set_aside(folder: Path, lines: Sequence[Mapping[str, object]]) -> None:
    """Write the file; where nothing is set aside there is none."""
    if lines:
        write_text(folder / SET_ASIDE, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    else:
        remove(folder / SET_ASIDE)


def read_set_aside(folder: Path) -> list[dict[str, Any]]:
    """Read the file of the run, or of a rank's share of it, in `folder`; no file has no lines."""
    return journal.recover(folder / SET_ASIDE)


def without_set_aside(trials: Sequence[Trial], folder: Path) -> list[Trial]:
    """Return the trials that are not set aside, renumbered."""
    set_aside = {line["id"] for line in read_set_aside(folder)}
    kept = [trial for trial in trials if trial.id not in set_aside]
    return [replace(trial, index=index) for index, trial in enumerate(kept)]
