"""A scheduler process: wakes at the fires of all jobs, runs what is due, goes on with what was lost, until stopped.

APScheduler says when to look; the ledger says what is due, so that no fire is lost or done twice: not by a clock that
is put forward or back, a machine that slept, another server on the same folder, or a kill.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from worldforge.core.errors import InputError
from worldforge.jobs.claiming import Watch
from worldforge.jobs.commands import Permits, refuse_unpermitted
from worldforge.jobs.fires import trigger_of
from worldforge.jobs.forms import Forms
from worldforge.jobs.ledger import OPEN, Ledger
from worldforge.jobs.reading import JobsPlan, read_jobs
from worldforge.jobs.reckoning import reckon
from worldforge.jobs.running import Runner

_LOOK_S = 1.0  # between two looks at the ledger, the clock and the jobs.yaml
_JUMP_S = 2.0  # by which the clock of the day and that of the machine may drift apart between two looks


@dataclass(frozen=True, slots=True)
class Serving:
    """What a server works with."""

    ledger: Ledger
    forms: Forms
    permits: Permits
    stop: threading.Event
    tell: Callable[[str], None]


class Server:
    """Serves a jobs.yaml. A change of the file is taken up; one that has problems is told of, and not taken up."""

    def __init__(self, plan: JobsPlan, serving: Serving) -> None:
        """Raises InputError where a job asks for what the user has not allowed, or APScheduler is not installed."""
        self._serving = serving
        self._scheduler = _new_scheduler()
        self._pool = ThreadPoolExecutor(plan.file.at_once, thread_name_prefix="job")
        self._working: dict[str, Future[Any]] = {}
        self._watch = Watch()
        self._path, self._seen = plan.path, _state(plan.path)
        self._drift = _drift()
        self._runner = self._runner_of(plan)
        self._take_up(plan)

    def serve(self) -> None:
        """Serve until stopped; what is under way then is interrupted, and gone on with by whoever serves next."""
        self._scheduler.start()
        stop = self._serving.stop
        try:
            while not stop.is_set():
                try:
                    self._look()
                except InputError as error:  # a ledger that cannot be reached for a while is no reason to give up
                    self._serving.tell(str(error))
                stop.wait(_LOOK_S)
        finally:
            stop.set()
            self._scheduler.shutdown(wait=False)
            self._pool.shutdown(wait=True, cancel_futures=True)

    def _look(self) -> None:
        if _state(self._path) != self._seen:
            self._seen = _state(self._path)
            self._read_again()
        if abs(_drift() - self._drift) > _JUMP_S:
            self._serving.tell(f"the clock moved by {_drift() - self._drift:+.0f} s: all fires are reckoned anew")
            self._drift = _drift()
            self._schedule()
        self._dispatch()

    def _dispatch(self) -> None:
        """Let the jobs work that have something open and are free, those that have waited longest first."""
        claims = self._serving.ledger.claims()
        waiting = self._serving.ledger.runs(states=OPEN)
        for name in dict.fromkeys(run.job for run in reversed(waiting)):
            under_way = self._working.get(name)
            if name not in self._plan.file.jobs or (under_way is not None and not under_way.done()):
                continue
            if name not in claims or self._watch.gone(claims[name]):
                self._working[name] = self._pool.submit(self._work, self._runner, name)

    def _work(self, runner: Runner, name: str) -> None:
        try:
            runner.drain(name, self._watch)
        except Exception as error:  # noqa: BLE001 - of one job, which is tried again: told, and no reason to give up
            kind = "" if isinstance(error, InputError | OSError) else f"{type(error).__name__}: "
            self._serving.tell(f"{name}: {kind}{error}")
            self._serving.stop.wait(10 * _LOOK_S)

    def _tick(self, name: str) -> None:
        """Put what is due of a job on record; the next look lets it work."""
        schedule = self._plan.file.jobs[name].schedule
        assert schedule is not None
        try:
            for said in reckon(self._serving.ledger, name, schedule, datetime.now(UTC)):
                self._serving.tell(f"{name}: {said}")
        except InputError as error:
            self._serving.tell(f"{name}: {error}")

    def _take_up(self, plan: JobsPlan) -> None:
        for name, job in plan.file.jobs.items():
            refuse_unpermitted(name, job, self._serving.permits)
        self._runner.superseded = True
        self._plan, self._runner = plan, self._runner_of(plan)
        self._schedule()

    def _runner_of(self, plan: JobsPlan) -> Runner:
        s = self._serving
        return Runner(plan, s.ledger, s.forms, s.permits, s.stop, s.tell)

    def _read_again(self) -> None:
        try:
            plan = read_jobs(self._path, self._serving.forms)
            if plan.folder != self._plan.folder:
                raise InputError("`folder` was changed, which needs another start")
            self._take_up(plan)
        except InputError as error:
            self._serving.tell(f"{self._path} was changed, and is not taken up:\n{error}")
            return
        self._serving.tell(f"{self._path} was changed, and is taken up")

    def _schedule(self) -> None:
        """Reckon all jobs, and have APScheduler wake for the next fire of each, from now."""
        self._scheduler.remove_all_jobs()
        for name, job in self._plan.file.jobs.items():
            if job.schedule is not None:
                self._tick(name)
                self._scheduler.add_job(self._tick, trigger_of(job.schedule), args=[name], id=name)


def _new_scheduler() -> Any:
    """Return a scheduler of APScheduler's that wakes late rather than not at all: what is due then the ledger says."""
    try:
        from apscheduler.schedulers.background import BackgroundScheduler
    except ImportError as error:
        raise InputError(
            "serving needs APScheduler, which is not installed", "`pip install 'worldforge[jobs]'`, the extra `jobs`"
        ) from error
    return BackgroundScheduler(timezone=UTC, job_defaults={"coalesce": True, "misfire_grace_time": None})


def _drift() -> float:
    """Return how far the clock of the day is from that of the machine, in seconds: it changes when one is put."""
    return time.time() - time.monotonic()


def _state(path: Path) -> tuple[int, int]:
    try:
        stat = path.stat()
    except OSError:
        return 0, 0
    return stat.st_mtime_ns, stat.st_size
