"""Spreads episodes over workers, this process one of them. It alone writes, so that a kill leaves no writer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from pathlib import Path
from typing import Any

from worldforge.core.collector import collecting_seldom
from worldforge.core.engine import Engine, LocalEngine, Stopping, Tell
from worldforge.core.loops import run_to_end
from worldforge.core.passing import PassingFolder, remove_left
from worldforge.models.meter import Load
from worldforge.rollouts.engine import Setting, Watch, play
from worldforge.rollouts.gold_seen import reads_pages
from worldforge.rollouts.spent import Loads, Spent
from worldforge.rollouts.stated import Stated
from worldforge.rollouts.trials import Trial
from worldforge.world.world import MANIFEST

_RECORDING = 0.08
"""What taking a trajectory from a worker and writing it down takes, beside what the oracle takes to play it."""


def play_all(
    setting: Setting,
    trials: Sequence[Trial],
    engine: Engine,
    watch: Watch,
    scratch: Path,
    gpus: int = 0,
    tokens: int | None = None,
) -> None:
    """Play `trials` by the workers of `engine` (one local: this process), and tell `watch` here of each as it finishes.

    What `watch` is told is the same for any number of workers, but for the order. Models of one worker take `gpus`.
    All of them may take `tokens`, each as its share of the trials is of all. What is handed to workers is kept in the
    folder `scratch` meanwhile.
    """
    if not trials or (isinstance(engine, LocalEngine) and (engine.workers == 1 or len(trials) == 1)):
        remove_left(scratch)  # of several that were killed
        if trials:
            with collecting_seldom():
                run_to_end(play(setting, trials, watch, tokens=tokens))
        return
    beside = _RECORDING if isinstance(engine, LocalEngine) else 0.0
    missing = {trial.index: trial for trial in dealt(trials, engine.workers, beside)}
    manifest = setting.world.path / MANIFEST
    with PassingFolder(scratch) as kept, collecting_seldom():

        def meanwhile() -> None:
            if reads_pages(setting.config.environment):
                Stated(setting.world, [trial.task for trial in trials]).write(kept)

        def told(index: int | None, said: Any) -> None:
            if index is None:
                watch.going(said)
            else:
                watch.finished(index, *said)

        each = None if tokens is None else tokens / len(trials)
        engine.share_out(
            _Playing(setting, kept, each),
            missing,
            told,
            watch.stopping,
            meanwhile=meanwhile,
            sees=manifest,
            gpus=gpus,
        )


def dealt(trials: Sequence[Trial], workers: int, beside: float = 0.0) -> list[Trial]:
    """Order trials, grouped by task, so that every `workers`-th are whole tasks, as long as there is one for each.

    What is made ready for a task (its plan, its gold, where pages state that) is then made by one worker, once. Of as
    many tasks as there are workers, who has the least to do by now gets the one that takes longest. What the first has
    to do besides is `beside` times what all play.
    """
    tasks = [list(group) for _, group in groupby(trials, key=lambda trial: trial.task.id)]
    calls = [0.0] * workers
    found: list[Trial] = []
    for first in range(0, len(tasks), workers):
        longest_first = sorted(tasks[first : first + workers], key=_n_calls, reverse=True)
        by_worker = dict(zip(sorted(range(len(longest_first)), key=calls.__getitem__), longest_first, strict=True))
        for worker, task in by_worker.items():
            calls[worker] += _n_calls(task)
            calls[0] += beside * _n_calls(task)
        rows = zip_longest(*(by_worker[worker] for worker in sorted(by_worker)))
        found += [trial for row in rows for trial in row if trial is not None]
    return found


def _n_calls(trials: Sequence[Trial]) -> int:
    """Return how many tool calls the oracle would make in trials of one task: what others make goes with it."""
    return len(trials) * trials[0].task.n_tool_calls


@dataclass(frozen=True, slots=True)
class _Playing:
    """What a worker does with its share."""

    setting: Setting
    kept: Path
    tokens_each: float | None

    async def __call__(self, trials: Sequence[Trial], tell: Tell, stopping: Stopping) -> None:
        tokens = None if self.tokens_each is None else math.ceil(self.tokens_each * len(trials))
        with collecting_seldom():
            await play(self.setting, trials, _Told(tell, stopping), self.kept, tokens)


@dataclass(frozen=True, slots=True)
class _Told:
    """A watch that passes on what it is told."""

    tell: Tell
    stopping: Stopping

    def going(self, loads: Loads) -> None:
        """Pass on what models of this worker have done, beside the episodes."""
        if loads.total != Load():
            self.tell(None, loads)

    def note(self, words: str) -> None:
        """Tell nothing: several workers would each have something to say."""

    def finished(self, index: int, line: bytes, spent: Spent) -> None:
        self.tell(index, (line, spent))
