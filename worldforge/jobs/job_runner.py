"""Run jobs: take their open runs from the ledger, one at a time, and bring each to an end.

    JobRunner(context).run_open("nightly")      the runs that were brought to an end

A run has a folder: `world/`, a log, the output of each step, and `run.json`, written last. Whatever kills the runner,
the next one starts at the step that was not done, with the same command, which resumes its own work.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from worldforge.core.errors import InputError
from worldforge.core.files import remove
from worldforge.jobs.due_runs import ON_TIME_S, record_due_runs
from worldforge.jobs.job_ledger import BAD, GOOD, JobBusyError, JobLedger, JobRun, format_time
from worldforge.jobs.jobs_file import Job, Keep
from worldforge.jobs.run_execution import JobContext, RunExecution
from worldforge.jobs.run_hooks import call_hooks


class JobRunner:
    """Runs the jobs of a jobs.yaml."""

    def __init__(self, context: JobContext) -> None:
        self._context, self._plan, self._ledger = context, context.plan, context.ledger

    def run_now(self, name: str) -> list[JobRun]:
        """Run a job now, or resume its open runs. Raises JobBusyError if it is being run."""
        self._plan.job(name, self._context.permissions)
        with self._ledger.lock_job(name):
            ended = self._run_open(name)
            if all(run.state == "abandoned" for run in ended) and not self._context.stop.is_set():
                self._ledger.add(name, "manual", datetime.now(UTC))
                ended += self._run_open(name)
        return [run for run in ended if run.state != "abandoned"]

    def retry(self, name: str) -> list[JobRun]:
        """Resume the last run of a job, which failed. Raises InputError if it did not, or the job is being run."""
        self._plan.job(name, self._context.permissions)
        with self._ledger.lock_job(name):
            last = self._ledger.last_started(name)
            if last is None or last.state not in BAD or last.pruned is not None:
                state = "it has not run yet" if last is None else f"its last run, {last.number}, is {last.state}"
                raise InputError(f"job `{name}` has nothing to retry: {state}", "leave out `--retry`")
            fresh = {"attempts": 0, "crashes": 0, "active_s": 0.0, "hooks_called": 0, "message": "", "exit_code": None}
            self._ledger.update(last.id, state="interrupted", trigger="retry", **fresh)
            return self._run_open(name)

    def run_due(self, name: str, *, newest_is_due: bool, delayed: bool = False) -> list[JobRun]:
        """Run what the schedule of a job has due, for another scheduler; see `record_due_runs`.

        `delayed`: wait up to the schedule's jitter first, at random.
        """
        job = self._plan.job(name, self._context.permissions)
        if job.schedule is None:
            raise InputError(f"job `{name}` has no schedule", "leave out `--scheduled` or `--due`")
        since = datetime.now(UTC) - timedelta(seconds=ON_TIME_S)
        is_due = newest_is_due or any(job.schedule.fire_times(since, datetime.now(UTC)))
        if delayed and is_due and self._context.stop.wait(random.uniform(0, job.schedule.jitter)):  # noqa: S311  spreads load
            return []
        lines = record_due_runs(
            self._ledger, name, job.schedule, datetime.now(UTC), newest_is_due=newest_is_due, first_since=since
        )
        for line in lines:
            self._context.log(f"{name}: {line}")
        try:
            ended = self.run_open(name)
        except JobBusyError as error:
            if newest_is_due:
                self._context.log(error.message)
            return []
        if not ended and newest_is_due:
            self._context.log(f"{name}: nothing to do: what is due is on record")
        return ended

    def run_open(self, name: str, limit: int | None = None) -> list[JobRun]:
        """Bring the open runs of a job to an end, at most `limit` of them. Raises JobBusyError if it is being run."""
        with self._ledger.lock_job(name):
            return self._run_open(name, limit)

    def _run_open(self, name: str, limit: int | None = None) -> list[JobRun]:
        job, ended = self._plan.job(name), list[JobRun]()
        for run in self._ledger.runs(name, (*GOOD, *BAD)):
            if not run.hooks_called:  # its process was lost between its end and its hooks
                self._conclude(job, run)
        while (limit is None or len(ended) < limit) and not (ended and self._context.stop.is_set()):
            if (started := self._ledger.start_next(name)) is None:
                break
            run = RunExecution(self._context, started).run()
            if run.state != "interrupted":
                self._conclude(job, run)
            ended.append(self._ledger.run(run.id))
        return ended

    def next_commands(self, name: str) -> list[list[str]]:
        """Return the commands that a run of a job would have now."""
        values = self._plan.run_values(name, self._ledger.next_number(name), datetime.now(UTC))
        return self._plan.job(name).commands(values, self._context.permissions)

    def _conclude(self, job: Job, run: JobRun) -> None:
        """Call the hooks of a run that has ended, and remove the folders that the job does not keep."""
        if not run.hooks_called:
            hooks = job.hooks.success if run.state in GOOD else job.hooks.failure
            for line in call_hooks(hooks, run.as_data(), self._plan.root, self._context.permissions.commands):
                self._context.note(run, line)
            self._ledger.update(run.id, hooks_called=1)
        if job.keep is not None:
            for folder in prune(self._ledger, self._plan.folder, run.job, job.keep, datetime.now(UTC)):
                self._context.log(f"{run.job}: removed {folder}")


def prune(ledger: JobLedger, folder: Path, job: str, keep: Keep, now: datetime) -> Iterator[str]:
    """Remove the folders that a job does not keep, in `folder`/job only; yield the name of each. The ledger keeps all.

    Never removed: the folder of an open run, that of the last good run, and any with a file `pinned`.
    """
    folders = [(run, folder / job / Path(run.folder).name) for run in ledger.runs(job, (*GOOD, *BAD)) if run.folder]
    folders = [(run, path) for run, path in folders if path.is_dir() and not path.is_symlink()]
    kept = [run for run, _ in folders if run.pruned is None]
    pinned = {run.id for run, path in folders if (path / "pinned").exists()}
    expired = choose_expired(kept, keep, now, pinned)
    for run in expired:
        ledger.update(run.id, pruned=format_time(now))
    for run, path in folders:
        if run.pruned is not None or run in expired:  # what a kill leaves of a folder is removed the next time
            remove(path)
            yield path.name


def choose_expired(runs: Sequence[JobRun], keep: Keep, now: datetime, pinned: set[int]) -> list[JobRun]:
    """Return the runs whose folders are removed, of `runs`, newest first: those beyond any limit."""
    good = [run for run in runs if run.state in GOOD]
    safe = pinned | {run.id for run in good[:1]}
    expired: set[int] = set()
    if keep.last is not None:
        oldest = runs.index(good[keep.last - 1]) if len(good) >= keep.last else len(runs)
        failed = [run for run in runs[:oldest] if run.state not in GOOD]
        expired = {run.id for run in runs} - {run.id for run in (*good[: keep.last], *failed[: keep.last])}
    if keep.days is not None:
        since = now - timedelta(days=keep.days)
        expired |= {run.id for run in runs if datetime.fromisoformat(run.ended or run.due) < since}
    expired -= safe
    if keep.size is not None:
        n_bytes = sum(run.progress.bytes for run in runs if run.id not in expired)
        for run in reversed(runs):
            if n_bytes > keep.size and run.id not in expired | safe:
                expired.add(run.id)
                n_bytes -= run.progress.bytes
    return [run for run in runs if run.id in expired]
