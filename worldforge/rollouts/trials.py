"""The episodes of a run, named and numbered before any is played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worldforge.core.chance import Stream
from worldforge.world.task import Task


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
