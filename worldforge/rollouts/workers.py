"""Spreads episodes over workers. Workers play; this process alone writes, so that a kill leaves no writer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from worldforge.core.engine import Engine, LocalEngine, Stopping
from worldforge.core.loops import run_to_end
from worldforge.core.passing import PassingFolder, remove_left
from worldforge.rollouts.engine import Setting, Watch, play
from worldforge.rollouts.gold_seen import reads_pages
from worldforge.rollouts.spent import Spent
from worldforge.rollouts.stated import Stated
from worldforge.rollouts.trials import Trial
from worldforge.world.world import MANIFEST

Tell = Callable[[int, tuple[bytes, Spent]], None]


def play_all(setting: Setting, trials: Sequence[Trial], engine: Engine, watch: Watch, gpus: int = 0) -> None:
    """Play `trials` by the workers of `engine` (one local: this process), and tell `watch` here of each as it finishes.

    What `watch` is told is the same for any number of workers, but for the order. Models of one worker take `gpus`.
    """
    if isinstance(engine, LocalEngine) and (engine.workers == 1 or len(trials) <= 1):
        remove_left(setting.world.path)  # of several that were killed
        run_to_end(play(setting, trials, watch))
        return
    missing, manifest = {trial.index: trial for trial in trials}, setting.world.path / MANIFEST
    with PassingFolder(setting.world.path) as kept:

        def meanwhile() -> None:
            if reads_pages(setting.config.environment):
                Stated(setting.world, [trial.task for trial in trials]).write(kept)

        playing, stopping = _Playing(setting, kept), watch.stopping
        shared = engine.share_out(playing, missing, stopping, meanwhile=meanwhile, sees=manifest, gpus=gpus)
        for index, (line, spent) in shared:
            watch.finished(index, line, spent)


@dataclass(frozen=True, slots=True)
class _Playing:
    """What a worker does with its share."""

    setting: Setting
    kept: Path

    def __call__(self, trials: Sequence[Trial], tell: Tell, stopping: Stopping) -> None:
        run_to_end(play(self.setting, trials, _Told(tell, stopping), self.kept))


@dataclass(frozen=True, slots=True)
class _Told:
    """A watch that passes on what it is told."""

    tell: Tell
    stopping: Stopping

    def finished(self, index: int, line: bytes, spent: Spent) -> None:
        self.tell(index, (line, spent))
