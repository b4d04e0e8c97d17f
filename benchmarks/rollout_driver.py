"""What an episode costs the driver of a rollout, with simulated workers that return a real unit's result.

    python -m benchmarks.rollout_driver [--workers 800] [--episodes 204800]

One unit of the quickstart world is played. The workers of a fake backend return copies of its result, pickled as Ray
would, and three reports for each unit. Measured are the CPU seconds of the driver's own code, from opening the ledger
to writing run.json, without Ray itself.
"""

import argparse
import asyncio
import pickle
import tempfile
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.rollout import setup_of
from worldforge.core.progress import Progress
from worldforge.core.worker_pool import WorkerPool, open_pool
from worldforge.core.worker_runtime import exchange
from worldforge.entry_points.build_world import build
from worldforge.rollouts.environments import EnvironmentSettings
from worldforge.rollouts.episode_player import RolloutSetup
from worldforge.rollouts.ledger import Ledger
from worldforge.rollouts.run import begin_run, call_figures, close_run
from worldforge.rollouts.run_monitor import Budget, RunMonitor
from worldforge.rollouts.trials import trials_of
from worldforge.rollouts.unit_driver import play_trials
from worldforge.rollouts.unit_player import UnitResult, UnitWork, WorkerContext, open_unit_player
from worldforge.schema.spec_loader import load_spec
from worldforge.world.world import open_world

_REPORTS = 3  # a unit


class FakeEngine:
    """An engine whose workers return copies of one result."""

    name, holds_models = "fake", True

    def __init__(self, workers: int, result: UnitResult, shard: bytes | None) -> None:
        self.workers, self._result = workers, replace(result, shard=shard)

    @contextmanager
    def pool(self, context: Any, *, n_workers: int, **_options: Any) -> Iterator[WorkerPool]:
        """Open a pool of so many simulated workers."""
        with open_pool(FakeBackend(self._result), n_workers, print) as pool:
            yield pool


class FakeBackend:
    """Workers that have done a unit as soon as they are asked; of each wait one call has ended."""

    queued = 1

    def __init__(self, result: UnitResult) -> None:
        self._result, self._n = result, 0
        self._report = result.report
        self._ended: deque[int] = deque()
        self._returned: dict[int, bytes] = {}
        self._units: dict[int, list[tuple[int, UnitWork]]] = {}
        self._n_calls: dict[int, int] = {}

    def start(self) -> tuple[Any, Any]:
        """Start a worker that is ready."""
        self._n += 1
        worker, self._units[self._n], self._n_calls[self._n] = self._n, [], 0
        return worker, self._end([])

    def submit(self, worker: int, call: Callable[..., Any], *arguments: Any) -> int:
        """Return a report, or the result of one of the worker's units."""
        if call is not exchange:
            return self._end([])
        units = self._units[worker]
        pickle.dumps(arguments)
        units += arguments[1]
        self._n_calls[worker] += 1
        if self._n_calls[worker] % (_REPORTS + 1):
            return self._end([(None, self._report)])
        place, work = units.pop(0)
        record = self._result.record | {"id": f"{work.unit:05d}.parquet"}
        return self._end([(place, replace(self._result, unit=work.unit, record=record))])

    def wait(self, calls: Collection[int]) -> Collection[int]:
        """Return the call that was the first to end."""
        return {self._ended.popleft()}

    def result(self, call: int) -> Any:
        """Return what a call has returned, as read from its bytes."""
        return pickle.loads(self._returned.pop(call))

    def stop(self, workers: Collection[Any], *, kill: bool) -> None:
        """Forget the workers."""

    def check(self, *, idle: bool) -> None:
        """Find all in order."""

    def _end(self, value: Any) -> int:
        self._n += 1
        self._returned[self._n] = pickle.dumps(value)
        self._ended.append(self._n)
        return self._n


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--workers", type=int, default=800)
    parser.add_argument("--episodes", type=int, default=204_800)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        build(load_spec("quickstart", []), folder / "world")
        world = open_world(folder / "world")
        trials = arguments.episodes // len(world.tasks)
        setup = setup_of(world, "oracle", EnvironmentSettings(), trials, 16)
        result, shard = played_unit(setup, folder / "one")
        for kept, url, content in (("a URL", "file://" + str(folder / "shards"), None), ("the driver", "", shard)):
            engine = FakeEngine(arguments.workers, result, content)
            seconds, n = drive(replace(setup, config=replace(setup.config, shards=url)), folder / kept, engine)
            print(f"shards written by {kept}: {1e6 * seconds / n:.0f} µs of the driver an episode, {n:,} episodes")


def played_unit(setup: RolloutSetup, folder: Path) -> tuple[UnitResult, bytes | None]:
    """Play one unit of 128 episodes; return its result, and the content of its shard."""
    trials = trials_of(setup.world.tasks, 128)[:128]
    tasks = {trial.task.id: trial.task for trial in trials}
    context = WorkerContext(setup, tasks, None, None, False, None, 1.0)
    work = UnitWork(0, [trial.id for trial in trials], [(t.index, t.task.id, t.trial, t.place) for t in trials])

    async def play() -> UnitResult:
        async with open_unit_player(context) as play_unit:
            return await play_unit(work)

    result = asyncio.run(play())
    return result, result.shard


def drive(setup: RolloutSetup, folder: Path, engine: FakeEngine) -> tuple[float, int]:
    """Play a run by simulated workers; return the driver's CPU seconds, and the number of episodes."""
    trials = trials_of(setup.world.tasks, setup.config.trials)
    begin_run(folder, setup.config)
    started = time.process_time()
    ledger = Ledger(folder, [trial.id for trial in trials])
    monitor = RunMonitor(len(trials), Budget(), Progress())
    play_trials(setup, trials, ledger, engine, monitor)
    ledger.put_in_order()
    close_run(folder, setup.config, call_figures(monitor, setup.addresses), len(trials))
    return time.process_time() - started, len(trials)


if __name__ == "__main__":
    main()
