"""Serve a jobs.yaml: run every job at its times and resume lost runs, until stopped.

A loop looks at the clock, the file and the ledger once a second. The ledger says what is due, so no fire time is lost
or run twice by a clock that is set, a machine that slept, another server on the same folder, or a kill.
"""

from __future__ import annotations

import random
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from worldforge.core.errors import InputError
from worldforge.jobs.due_runs import record_due_runs
from worldforge.jobs.job_ledger import OPEN, JobBusyError
from worldforge.jobs.job_runner import JobRunner
from worldforge.jobs.jobs_file import CheckArguments, read_jobs
from worldforge.jobs.run_execution import JobContext

_POLL_S = 1.0
_DEFECT_WAIT_S = 10.0


class JobServer:
    """Serves a jobs.yaml. A changed file takes effect; one with problems is reported and ignored."""

    def __init__(self, context: JobContext, check: CheckArguments) -> None:
        """Raises InputError if a job asks for what the user has not allowed."""
        _check_all_permissions(context)
        self._context, self._check = context, check
        self._file_version = _version(context.plan.path)
        self._pool = ThreadPoolExecutor(context.plan.file.at_once, thread_name_prefix="job")
        self._running: dict[str, Future[Any]] = {}
        self._wake: dict[str, datetime] = {}  # when a job's fire times are recorded next
        self._looked = datetime.now(UTC)

    def serve(self) -> None:
        """Serve until stopped; then interrupt what is running, to be resumed by the next server."""
        stop = self._context.stop
        try:
            while not stop.is_set():
                try:
                    self._reload_changed_file()
                    self._record_due_runs()
                    self._start_runs()
                except InputError as error:  # the ledger may be out of reach for a while
                    self._context.log(str(error))
                stop.wait(_POLL_S)
        finally:
            stop.set()
            self._pool.shutdown(wait=True, cancel_futures=True)

    def _record_due_runs(self) -> None:
        now = datetime.now(UTC)
        if now < self._looked:  # the clock was set back
            self._wake.clear()
        self._looked = now
        for name, job in self._context.plan.file.jobs.items():
            if job.schedule is None or (name in self._wake and now < self._wake[name]):
                continue
            for line in record_due_runs(self._context.ledger, name, job.schedule, now):
                self._context.log(f"{name}: {line}")
            delay = timedelta(seconds=random.uniform(0, job.schedule.jitter))  # noqa: S311  spreads load
            self._wake[name] = next(job.schedule.fire_times(now)) + delay

    def _start_runs(self) -> None:
        """Start the jobs that have open runs and are not being run, the longest waiting first."""
        ledger = self._context.ledger
        for name in dict.fromkeys(run.job for run in reversed(ledger.runs(states=OPEN))):
            busy = name in self._running and not self._running[name].done()
            if name in self._context.plan.file.jobs and not busy and not ledger.is_locked(name):
                self._running[name] = self._pool.submit(self._run, self._context, name)

    def _run(self, context: JobContext, name: str) -> None:
        try:
            JobRunner(context).run_open(name, limit=1)
        except JobBusyError:
            return
        except Exception as error:  # noqa: BLE001 - reported, and retried: no reason to end the server
            kind = "" if isinstance(error, InputError | OSError) else f"{type(error).__name__}: "
            context.log(f"{name}: {kind}{error}")
            context.stop.wait(_DEFECT_WAIT_S)

    def _reload_changed_file(self) -> None:
        path = self._context.plan.path
        if (version := _version(path)) == self._file_version:
            return
        self._file_version = version
        try:
            plan = read_jobs(path, self._check)
            if plan.folder != self._context.plan.folder:
                raise InputError("`folder` has changed, which takes effect when the server is restarted")
            context = replace(self._context, plan=plan)
            _check_all_permissions(context)
        except InputError as error:
            self._context.log(f"ignored the changed {path}:\n{error}")
            return
        self._context = context
        self._wake.clear()
        self._context.log(f"reloaded {path}")


def _check_all_permissions(context: JobContext) -> None:
    for name in context.plan.file.jobs:
        context.plan.job(name, context.permissions)


def _version(path: Path) -> tuple[int, int]:
    try:
        stat = path.stat()
    except OSError:
        return 0, 0
    return stat.st_mtime_ns, stat.st_size
