"""Where a job stands: what is under way, how the last run ended, when it fires next."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from worldforge.jobs.claiming import Watch
from worldforge.jobs.fires import next_fires
from worldforge.jobs.ledger import BAD, GOOD, OPEN, Ledger
from worldforge.jobs.plan import Schedule
from worldforge.jobs.reading import JobsPlan

_NEAREST = ("running", "interrupted", "queued")
"""The states of open runs, that of the run which is brought to its end first before the others."""


def open_elsewhere(plan: JobsPlan, ledger: Ledger) -> list[str]:
    """Return the jobs that have open runs, and are in the jobs.yaml no more: nobody goes on with those."""
    return sorted({run.job for run in ledger.runs(states=OPEN)} - set(plan.file.jobs))


def standing_of(plan: JobsPlan, ledger: Ledger, name: str) -> dict[str, Any]:
    """Return where a job stands, as JSON values; those of it that no person needs are absent from tables.

    Raises InputError where it is neither in the jobs.yaml nor has an open run.
    """
    claim = ledger.claims().get(name)
    opened = ledger.runs(name, OPEN)
    removed = name not in plan.file.jobs and bool(opened)
    schedule = None if removed else plan.job(name).schedule
    run = min(opened, key=lambda run: _NEAREST.index(run.state), default=None)
    last = next(iter(ledger.runs(name, (*GOOD, *BAD), 1)), None)
    lost = claim is not None and Watch().gone(claim)
    state = "idle" if run is None else "lost" if lost and run.state == "running" else run.state
    where = ""
    if run is not None and run.commands:
        verb = run.commands[run.step][0] if run.step < len(run.commands) else "end"
        where = f"run {run.number}: {verb}, step {run.step + 1} of {len(run.commands)}"
        where += f", {claim.host} {claim.pid}" if claim is not None and state == "running" else ""
    where += ", " * bool(removed and where) + "no longer in jobs.yaml" * removed
    return {
        "job": name,
        "state": state,
        "where": where,
        "waiting": sum(run.state == "queued" for run in opened),
        "run": run.number if run is not None else None,
        "folder": run.folder if run is not None else None,
        "last": f"{last.number}: {last.state}" if last is not None else "",
        "last_ended": (last.ended or "")[:16].replace("T", " ") if last is not None else "",
        "last_message": last.message if last is not None else "",
        "next": _next(schedule),
    }


def _next(schedule: Schedule | None) -> str:
    if schedule is None:
        return ""
    fires = next_fires(schedule, datetime.now(UTC), 1)
    return f"{fires[0]:%Y-%m-%d %H:%M}Z" if fires else ""
