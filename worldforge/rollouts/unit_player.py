"""The worker of a rollout: plays the episodes of units, keeps them in journals, and writes the units' shards.

The driver hands out units (`unit_driver`). A worker has as many under way as it takes to play `concurrency` episodes
at once. A worker that has the run's folder appends each finished episode to the unit's journal; others send finished
episodes to the driver with their reports, every few seconds, so that a lost worker costs no more.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from worldforge.core.run_async import gather_or_cancel
from worldforge.core.worker_runtime import report
from worldforge.models.model import ModelUnavailableError
from worldforge.models.request_meter import ModelLoad, RequestMeter, repeating
from worldforge.rollouts import journal
from worldforge.rollouts.episode_player import PlayTrial, RolloutSetup, open_player
from worldforge.rollouts.factories import TaskMentions
from worldforge.rollouts.run_monitor import EpisodeUsage
from worldforge.rollouts.shards import ShardStore, encode_shard
from worldforge.rollouts.token_limiter import TokenGrant, TokenLimiter
from worldforge.rollouts.trajectory import TRAJECTORIES
from worldforge.rollouts.trials import Trial
from worldforge.world.task import Task

_OUTAGE = 16  # episodes in a row for which a model was unavailable: the rest would only fail too
_SEND_S = 10.0  # seconds for which a finished episode may be in the memory of a worker alone
_COLUMNS = frozenset(TRAJECTORIES.names)


@dataclass(frozen=True, slots=True)
class WorkerContext:
    """What a worker needs to play units.

    `store` is None where the driver writes the shards; `has_folder` says whether the worker writes the journals.
    No episode but a unit's first begins after `deadline` (system time).
    """

    setup: RolloutSetup
    tasks: Mapping[str, Task]
    mentions: pa.Table | None
    store: ShardStore | None
    has_folder: bool
    deadline: float | None
    report_s: float


TrialKey = tuple[int, str, int, float]
"""A trial, with the id of its task in place of the task."""


@dataclass(slots=True)
class UnitWork:
    """A unit for a worker: the `ids` of its episodes, the `trials` to play, and the recorded journal `lines`.

    The driver sends lines only to workers without the run's folder, which cannot read them.
    """

    unit: int
    ids: Sequence[str]
    trials: Sequence[TrialKey]
    lines: list[bytes] = field(default_factory=list)
    grant: TokenGrant | None = None


@dataclass(frozen=True, slots=True)
class WorkerReport:
    """A worker's usage since its last report, and the total `load` of its models.

    `lines` are finished episodes of units under way, for the driver to keep.
    """

    process: str
    usage: EpisodeUsage
    load: ModelLoad
    lines: Mapping[int, Sequence[bytes]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UnitResult:
    """The result of a unit: its `record` for the ledger if it is complete, else the places of `unplayed` episodes.

    `shard` is the content of its shard, where the driver is to write it. `outage` is the last error of a model that
    was unavailable in `n_dropped` episodes, which are not recorded; `gives_up` says that too many of them followed each
    other.
    """

    unit: int
    report: WorkerReport
    n_tokens: int
    n_played: int
    unplayed: Sequence[int]
    record: dict[str, Any] | None = None
    shard: bytes | None = None
    outage: ModelUnavailableError | None = None
    n_dropped: int = 0
    gives_up: bool = False


@asynccontextmanager
async def open_unit_player(context: WorkerContext) -> AsyncIterator[Callable[[UnitWork], Awaitable[UnitResult]]]:
    """Open agents, environment and models; yield the function that plays one unit."""
    setup, meter = context.setup, RequestMeter()
    mentions = TaskMentions(setup.world, context.tasks.values(), context.mentions)
    note = report if setup.n_workers == 1 else _ignore
    async with open_player(setup, mentions, note, meter) as play_trial:
        worker = _Worker(context, play_trial, meter)
        async with repeating(worker.send_report, context.report_s):
            yield worker.play


def _ignore(_words: str) -> None:
    pass


class _Unit:
    """The finished episodes of a running unit."""

    def __init__(self, work: UnitWork, path: Path | None) -> None:
        self.work, self._path = work, path
        found = journal.read(path, repair=True) if path is not None else map(json.loads, work.lines)
        self.rows: dict[str, dict[str, Any]] = {row["id"]: row for row in found if row.keys() >= _COLUMNS}
        self.unsent: list[bytes] = []
        self.limiter = TokenLimiter(work.grant)
        self.n_begun = self.n_played = self.n_dropped = 0
        self.unplayed: list[int] = []
        self.outage: ModelUnavailableError | None = None

    def add(self, line: bytes) -> None:
        """Record a finished episode."""
        row = json.loads(line)
        self.rows[row["id"]] = row
        self.n_played += 1
        if self._path is None:
            self.unsent.append(line)
        else:
            journal.append(self._path, journal.sealed(line))

    def take_unsent(self) -> list[bytes]:
        """Return the lines that the driver does not have yet."""
        lines, self.unsent = self.unsent, []
        return lines


class _Worker:
    """Plays units, with one limit of concurrent episodes over all of them."""

    def __init__(self, context: WorkerContext, play_trial: PlayTrial, meter: RequestMeter) -> None:
        self._context, self._play_trial, self._meter = context, play_trial, meter
        self._slots = asyncio.Semaphore(context.setup.concurrency)
        self._usage, self._load = EpisodeUsage(), ModelLoad()
        self._open: dict[int, _Unit] = {}
        self._sent = time.monotonic()
        self._n_outages = 0  # in a row
        self._process = f"{socket.gethostname()}:{os.getpid()}"

    async def play(self, work: UnitWork) -> UnitResult:
        """Play the missing episodes of a unit; write its shard if it is complete."""
        name = f"{work.unit:05d}.parquet"
        store = self._context.store
        path = store.path(name).with_suffix(".jsonl") if self._context.has_folder and store else None
        unit = self._open[work.unit] = _Unit(work, path)
        tasks = self._context.tasks
        trials = [Trial(index, tasks[task], number, place) for index, task, number, place in work.trials]
        missing = [trial for trial in trials if trial.id not in unit.rows]
        await gather_or_cancel([asyncio.create_task(self._play(unit, trial)) for trial in missing])
        del self._open[work.unit]
        record = shard = None
        if unit.rows.keys() >= set(work.ids):
            shard, record = encode_shard(name, [unit.rows[id_] for id_ in work.ids])
            if store is not None:
                await asyncio.to_thread(store.put, name, shard)
                shard = None
        return UnitResult(
            unit=work.unit,
            report=self._report({} if record else {work.unit: unit.take_unsent()}),
            n_tokens=unit.limiter.used,
            n_played=unit.n_played,
            unplayed=unit.unplayed,
            record=record,
            shard=shard,
            outage=unit.outage,
            n_dropped=unit.n_dropped,
            gives_up=self._gives_up,
        )

    def send_report(self) -> None:
        """Report to the driver what was done since the last report, if anything."""
        lines: dict[int, list[bytes]] = {}
        if time.monotonic() >= self._sent + _SEND_S:
            lines = {number: unit.take_unsent() for number, unit in self._open.items() if unit.unsent}
            self._sent = time.monotonic()
        if self._usage.n_episodes or lines or self._meter.load != self._load:
            report(self._report(lines))

    @property
    def _gives_up(self) -> bool:
        return self._n_outages >= _OUTAGE

    def _report(self, lines: Mapping[int, Sequence[bytes]]) -> WorkerReport:
        usage, self._usage, self._load = self._usage, EpisodeUsage(), self._meter.load
        return WorkerReport(self._process, usage, self._load, lines)

    def _may_begin(self, unit: _Unit) -> bool:
        deadline = self._context.deadline
        is_late = deadline is not None and time.time() >= deadline and unit.n_begun > 0
        return not is_late and not self._gives_up

    async def _play(self, unit: _Unit, trial: Trial) -> None:
        if not await unit.limiter.begin():
            unit.unplayed.append(trial.index)
            return
        async with self._slots:
            if not self._may_begin(unit):
                unit.unplayed.append(trial.index)
                unit.limiter.end(None)
                return
            unit.n_begun += 1
            played = await self._play_trial(trial)
            await asyncio.sleep(0)  # an episode that never waits would shut out the others
        unit.limiter.end(played.usage.tokens)
        if played.outage is not None:
            unit.outage, self._n_outages = played.outage, self._n_outages + 1
            unit.n_dropped += 1
            unit.unplayed.append(trial.index)
            return
        if not self._gives_up:
            self._n_outages = 0
        unit.add(played.line)
        self._usage.add(played.usage)
