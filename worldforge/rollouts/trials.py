"""The episodes of a run, numbered before any is played, and the file of those that are set aside.

    set_aside.jsonl     {"id": "task/list-0007#0", "task": "task/list-0007", "trial": 0, "reason": "out of steps"}

Episodes that the run's controls make unsolvable are set aside: they are not played. The file is written before
config.json.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

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
    """List the episodes of a run, in order: trial `first_trial` of every task, then the next trial of every task.

    So further trials come after those that a run has.
    """
    last = max(1, len(tasks) - 1)
    numbers = range(first_trial, first_trial + n_trials)
    triples = [(task, trial, at / last) for trial in numbers for at, task in enumerate(tasks)]
    return [Trial(index, *triple) for index, triple in enumerate(triples)]


def write_set_aside(folder: Path, trials: Sequence[Trial], reasons: Mapping[str, str]) -> None:
    """Write the file of those of `trials` that have a reason, by id; where none has there is no file."""
    lines = [
        {"id": trial.id, "task": trial.task.id, "trial": trial.trial, "reason": reasons[trial.id]}
        for trial in trials
        if trial.id in reasons
    ]
    if lines:
        write_text(folder / SET_ASIDE, b"".join(map(journal.to_line, lines)).decode())
    else:
        remove(folder / SET_ASIDE)


def read_set_aside(folder: Path) -> dict[str, str]:
    """Return the reasons of the episodes of the run, or of a rank's share of it, that are set aside, by id."""
    return {line["id"]: line["reason"] for line in journal.read(folder / SET_ASIDE)}


def without_set_aside(trials: Sequence[Trial], folder: Path) -> list[Trial]:
    """Return the trials that are not set aside, renumbered."""
    set_aside = read_set_aside(folder)
    kept = [trial for trial in trials if trial.id not in set_aside]
    return [replace(trial, index=index) for index, trial in enumerate(kept)]
