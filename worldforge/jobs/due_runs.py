"""Record the runs of a schedule that are due: each fire time once, as a run, as skipped, or as missed.

The ledger knows until when fire times were recorded, whoever did it. So none is lost while nothing serves, and none
is run twice when the clock is set back.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import islice

from worldforge.jobs.job_ledger import OPEN, JobLedger
from worldforge.jobs.jobs_file import JobSchedule

ON_TIME_S = 60.0
"""A fire time is on time for this long, plus the jitter."""
_INSTANT = timedelta(microseconds=1)


def record_due_runs(
    ledger: JobLedger,
    name: str,
    schedule: JobSchedule,
    now: datetime,
    *,
    newest_is_due: bool = False,
    first_since: datetime | None = None,
) -> list[str]:
    """Record the fire times of a job since the last call; return a line for each that does not become a run.

    `newest_is_due`: another scheduler started us for the newest fire time; it is on time, however late we start. A job
    that is new, or whose schedule changed, begins now; with `newest_is_due` it begins with the last fire time, and
    with `first_since` with the last one after that moment.
    """
    expression = f"{schedule.cron} {schedule.timezone}"
    on_time_since = now - timedelta(seconds=ON_TIME_S + schedule.jitter)
    late_since = now - timedelta(seconds=schedule.grace)
    oldest = min(on_time_since, late_since)
    with ledger.transaction():
        begin = ledger.recorded_until(name, expression)
        if begin is None:
            first_since = oldest if newest_is_due else first_since or now
            begin = max(schedule.fire_times(first_since, now), default=now + _INSTANT) - _INSTANT
        ledger.set_recorded_until(name, expression, now)
        if begin >= now:
            return []
        times = [*schedule.fire_times(max(begin, oldest), now)]
        on_time = [time for time in times if time >= on_time_since] or (times[-1:] if newest_is_due else [])
        late = [time for time in times if late_since <= time and time not in on_time]
        late = {"none": [], "latest": [] if on_time else late[-1:], "all": late}[schedule.catch_up]
        missed = [*islice(schedule.fire_times(begin, oldest), 1), *sorted({*times} - {*on_time, *late})]
        busy, lines = bool(ledger.runs(name, OPEN)), list[str]()
        if missed:
            lines = [f"missed since {missed[0]:%Y-%m-%d %H:%M} UTC: nothing was serving"]
            ledger.add(name, "schedule", missed[-1], missed[-1], "missed", lines[0])
        for time in late:
            ledger.add(name, "catch-up", time, time)
        return lines + _record_on_time(ledger, name, schedule, on_time, busy)


def _record_on_time(
    ledger: JobLedger, name: str, schedule: JobSchedule, times: Sequence[datetime], busy: bool
) -> list[str]:
    """Record the fire times that are on time, by the policy for overlaps; `busy`: a run was open before."""
    lines = []
    for time in times:
        skipped = f"the fire time {time:%Y-%m-%d %H:%M} UTC was skipped: a run was open"
        if busy and schedule.overlap == "skip":
            if ledger.add(name, "schedule", time, time, "skipped", skipped) is not None:
                lines.append(skipped)
            continue
        added = ledger.add(name, "schedule", time, time)
        busy |= added is not None
        for run in ledger.runs(name, ("queued",)) if added is not None and schedule.overlap == "latest" else ():
            if run.trigger == "schedule" and run.id != added:
                lines.append(f"skipped in favor of the fire time {time:%Y-%m-%d %H:%M} UTC")
                ledger.update(run.id, state="skipped", message=lines[-1], ended=run.due)
    return lines
