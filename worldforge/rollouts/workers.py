"""Plays episodes by the workers of an engine. The driver alone writes, so that a kill leaves no writer."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from worldforge.core.gc_tuning import tuned_gc
from worldforge.core.local_pool import LocalEngine
from worldforge.core.run_async import run_sync
from worldforge.core.temp_dir import TempDir, remove_stale
from worldforge.core.worker_pool import Engine
from worldforge.core.worker_runtime import report
from worldforge.models.request_meter import ModelLoad, RequestMeter, repeating
from worldforge.rollouts.allowance import Allowance
from worldforge.rollouts.engine import PlayedEpisode, Recorder, Setting, Watch, open_player, play, process_name
from worldforge.rollouts.environments import needs_mentions
from worldforge.rollouts.spent import Loads
from worldforge.rollouts.task_mentions import TaskMentions
from worldforge.rollouts.trials import Trial
from worldforge.world.task import Task


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
    All workers together may take `tokens`. What is handed to workers is kept in the folder `scratch` meanwhile.
    """
    if not trials or (isinstance(engine, LocalEngine) and (engine.workers == 1 or len(trials) == 1)):
        remove_stale(scratch)  # of several that were killed
        if trials:
            with tuned_gc():
                run_sync(play(setting, trials, watch, tokens))
        return
    n_workers = min(engine.workers, len(trials))
    with TempDir(scratch) as kept, tuned_gc():
        tasks = {trial.task.id: trial.task for trial in trials}
        shared = replace(setting, n_workers=n_workers)
        context, allowance = _Context(shared, tasks, kept), Allowance(tokens, watch.stopping)
        reads = [setting.world.input_folder]
        with engine.pool(context, n_workers=n_workers, reads=reads, gpus=gpus) as pool:
            if needs_mentions(setting.config.environment):
                TaskMentions(setting.world, tasks.values()).write(kept)
            concurrency = min(setting.concurrency, math.ceil(len(trials) / pool.size))
            recorder = Recorder(watch)
            keys = _keys(trials, watch.stopping, allowance)
            for place, result in pool.map_async(_open_session, keys, concurrency, allowance.lasts):
                if place is None:
                    watch.going(result)
                else:
                    allowance.end(result.spent.tokens)
                    recorder.take(trials[place], result)
            recorder.close()


@dataclass(frozen=True, slots=True)
class _Context:
    """What a worker plays from."""

    setting: Setting
    tasks: Mapping[str, Task]
    kept: Path


_Key = tuple[int, str, int, float]
"""A trial, with the id of its task in place of the task."""


def _keys(trials: Sequence[Trial], stopping: Callable[[], bool], allowance: Allowance) -> Iterator[_Key]:
    """Give trials until `stopping` says so, but one at least: each call gets on a little."""
    for trial in trials:
        allowance.count_begun()
        yield trial.index, trial.task.id, trial.trial, trial.place
        if stopping():
            return


@asynccontextmanager
async def _open_session(context: _Context) -> AsyncIterator[Callable[[_Key], Awaitable[PlayedEpisode]]]:
    """Open what a worker plays with; give the function that plays one trial."""

    async def play_one(key: _Key) -> PlayedEpisode:
        index, task, trial, place = key
        return await play_trial(Trial(index, context.tasks[task], trial, place))

    def tell_load() -> None:
        if meter.load != ModelLoad():
            report(Loads({process_name(): meter.load}))

    meter = RequestMeter()
    with tuned_gc():
        async with (
            open_player(
                context.setting, context.tasks.values(), lambda _words: None, meter, context.kept
            ) as play_trial,
            repeating(tell_load),
        ):
            yield play_one
