"""The driver of a rollout: hands out units to workers and commits their results to the ledger.

Workers write the shards (`unit_player`), so that an episode costs the driver less than 0.1 ms. It writes a shard itself
where a worker has neither the run's folder nor a URL.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby

from worldforge.core.local_pool import LocalEngine
from worldforge.core.worker_pool import Engine
from worldforge.core.worker_runtime import close_session
from worldforge.models.model import ModelUnavailableError
from worldforge.models.request_meter import EVERY_S
from worldforge.rollouts.episode_player import RolloutSetup
from worldforge.rollouts.factories import TaskMentions
from worldforge.rollouts.ledger import Ledger, unit_of
from worldforge.rollouts.run_monitor import RunMonitor
from worldforge.rollouts.token_limiter import TokenBudget
from worldforge.rollouts.trials import Trial
from worldforge.rollouts.unit_player import UnitResult, UnitWork, WorkerContext, WorkerReport, open_unit_player

_REPORTS_PER_S = 100  # that the driver takes from all workers together


def play_trials(
    setup: RolloutSetup,
    trials: Sequence[Trial],
    ledger: Ledger,
    engine: Engine,
    monitor: RunMonitor,
    *,
    tokens: int | None = None,
    gpus: int = 0,
) -> None:
    """Play the ledger's missing episodes that are in `trials` on the workers of `engine`.

    What is on record then is the same for any number of workers (one local: this process). All workers together may
    take `tokens`; the models of one worker take `gpus`. Raises ModelUnavailableError where a model was unavailable in
    some episodes: they are not recorded.
    """
    sees_folder = isinstance(engine, LocalEngine)
    units = _units(trials, ledger, with_lines=not sees_folder)
    if not units:
        return
    n_workers = min(engine.workers, len(units))
    setup, tasks = replace(setup, n_workers=n_workers), {trial.task.id: trial.task for trial in trials}
    mentions = None
    if n_workers > 1 and setup.environment.environment.states_facts_on_pages:  # one process reads them for all
        mentions = TaskMentions(setup.world, tasks.values()).mentions
    store = ledger.store if sees_folder or ledger.store.url else None
    report_s = max(EVERY_S, n_workers / _REPORTS_PER_S)
    context = WorkerContext(setup, tasks, mentions, store, sees_folder, monitor.deadline, report_s)
    reads = [setup.world.input_folder]
    with engine.pool(context, n_workers=n_workers, reads=reads, gpus=gpus) as pool:
        at_once = math.ceil(setup.concurrency * len(units) / len(trials)) + 1
        at_once = min(at_once, math.ceil(len(units) / pool.size))
        driver = UnitDriver(units, ledger, monitor, TokenBudget(tokens, pool.size * at_once))
        try:
            for _, value in pool.map_async(open_unit_player, driver.units(), at_once, driver.may_draw):
                driver.take(value)
        except BaseException:
            with suppress(Exception):
                close_session()  # where this process is the worker
            raise
        finally:
            monitor.show()
    driver.check_outage()


def _units(trials: Sequence[Trial], ledger: Ledger, *, with_lines: bool) -> list[UnitWork]:
    """Group trials, in the order of their places, by unit."""
    units = []
    for unit, members in groupby(trials, key=lambda trial: unit_of(trial.index)):
        keys = [(trial.index, trial.task.id, trial.trial, trial.place) for trial in members]
        units.append(UnitWork(unit, ledger.unit_ids(unit), keys, ledger.journal_lines(unit) if with_lines else []))
    return units


class UnitDriver:
    """Hands out units in order while budgets last, and commits results."""

    def __init__(self, units: Sequence[UnitWork], ledger: Ledger, monitor: RunMonitor, budget: TokenBudget) -> None:
        self._waiting, self._ledger, self._monitor, self._budget = deque(units), ledger, monitor, budget
        self._under_way: dict[int, UnitWork] = {}
        self._has_begun = self._gives_up = False
        self._outage: ModelUnavailableError | None = None
        self._n_dropped = 0

    def may_draw(self) -> bool:
        """Return whether another unit may start; the first always may, so that every call makes progress."""
        is_late = self._has_begun and self._monitor.is_late
        return bool(self._waiting) and not is_late and not self._gives_up and self._budget.may_start

    def units(self) -> Iterator[UnitWork]:
        """Yield units; one that is returned unfinished may be yielded again."""
        while True:
            work = self._waiting.popleft()
            work.grant, self._has_begun = self._budget.grant(), True
            self._under_way[work.unit] = work
            yield work

    def take(self, value: WorkerReport | UnitResult | str) -> None:
        """Handle a worker's report, the result of a unit, or a note on what a worker prepares."""
        if isinstance(value, str):
            self._monitor.note(value)
        elif isinstance(value, WorkerReport):
            self._take_report(value)
        else:
            self._take_result(value)

    def check_outage(self) -> None:
        """Raise ModelUnavailableError where episodes were dropped."""
        if self._outage is not None:
            raise ModelUnavailableError(
                f"{self._outage.message}\n{self._n_dropped:,} episodes were given up for it, and are not recorded",
                " ".join(filter(None, [self._outage.hint, "the same command goes on once the model answers"])),
            ) from self._outage

    def _take_report(self, report: WorkerReport) -> None:
        self._monitor.add(report.usage, report.process, report.load)
        for unit, lines in report.lines.items():
            self._ledger.keep(unit, lines)
            if unit in self._under_way:
                self._under_way[unit].lines.extend(lines)  # for another worker, if this one is lost

    def _take_result(self, result: UnitResult) -> None:
        self._take_report(result.report)
        work = self._under_way.pop(result.unit)
        self._budget.settle(work.grant, result.n_tokens, result.n_played)
        if result.record is not None:
            self._ledger.commit(result.unit, result.record, result.shard)
            return
        unplayed = set(result.unplayed)
        self._ledger.keep(result.unit, (), [index for index, *_ in work.trials if index not in unplayed])
        self._n_dropped += result.n_dropped
        self._outage, self._gives_up = result.outage or self._outage, self._gives_up or result.gives_up
        if unplayed and result.outage is None:
            work.trials = [key for key in work.trials if key[0] in unplayed]
            self._waiting.appendleft(work)
