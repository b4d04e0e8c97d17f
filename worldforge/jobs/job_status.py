"""Report the status of jobs: what is running, how the last run ended, when the next one starts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from worldforge.jobs.job_ledger import BAD, GOOD, OPEN, JobLedger
from worldforge.jobs.jobs_file import JobsPlan

_ORDER = ("running", "interrupted", "queued")


def removed_jobs(plan: JobsPlan, ledger: JobLedger) -> list[str]:
    """Return the jobs that have open runs, but are not in the jobs.yaml: nobody resumes those."""
    return sorted({run.job for run in ledger.runs(states=OPEN)} - set(plan.file.jobs))


def job_status(plan: JobsPlan, ledger: JobLedger, name: str) -> dict[str, Any]:
    """Return the status of a job as JSON values.

    Raises InputError if it is neither in the jobs.yaml nor has an open run.
    """
    open_runs = ledger.runs(name, OPEN)
    removed = name not in plan.file.jobs and bool(open_runs)
    schedule = None if removed else plan.job(name).schedule
    run = min(open_runs, key=lambda run: _ORDER.index(run.state), default=None)
    last = next(iter(ledger.runs(name, (*GOOD, *BAD), 1)), None)
    fire_time = next(schedule.fire_times(datetime.now(UTC))) if schedule is not None else None
    state, place = "idle" if run is None else run.state, []
    if run is not None and run.state == "running" and not ledger.is_locked(name):
        state = "lost"
    if run is not None and (commands := run.progress.commands):
        step = run.progress.step
        verb = commands[step][0] if step < len(commands) else "end"
        place = [f"run {run.number}: {verb}, step {step + 1} of {len(commands)}"]
        place += [run.progress.process] if state == "running" else []
    return {
        "job": name,
        "state": state,
        "where": ", ".join([*place, *(["no longer in jobs.yaml"] if removed else [])]),
        "waiting": sum(run.state == "queued" for run in open_runs),
        "run": run.number if run is not None else None,
        "folder": run.folder if run is not None else None,
        "last": f"{last.number}: {last.state}" if last is not None else "",
        "last_ended": (last.ended or "")[:16].replace("T", " ") if last is not None else "",
        "last_message": last.message if last is not None else "",
        "next": f"{fire_time:%Y-%m-%d %H:%M}Z" if fire_time is not None else "",
    }
