"""Which fires of a schedule are due, by the ledger: each is on record once, as a run, as skipped, or as missed.

The clock alone decides nothing. Fires are reckoned from the moment until which they were reckoned before, whoever did
it, so that none is lost while nobody serves. Where the clock was put back, what is on record is not done again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from worldforge.jobs.fires import fires_between, latest_fire
from worldforge.jobs.ledger import OPEN, Ledger
from worldforge.jobs.plan import Schedule

ON_TIME_S = 60.0
"""A fire is on time as long as it is not later than this, and the jitter."""


@dataclass(frozen=True, slots=True)
class Due:
    """Fires to be done on time, fires to be made up for, and those that are not, oldest first."""

    on_time: Sequence[datetime]
    caught_up: Sequence[datetime]
    missed: Sequence[datetime]


def sort_out(fires: Sequence[datetime], schedule: Schedule, now: datetime, *, told: bool) -> Due:
    """Sort the fires since the last reckoning by the catch-up policy. `told`: another scheduler says that one is due.

    That one is then on time, however long it has waited in a queue.
    """
    since = now - timedelta(seconds=ON_TIME_S + schedule.jitter)
    on_time = [fire for fire in fires if fire >= since] or ([*fires[-1:]] if told else [])
    late = [fire for fire in fires if fire not in on_time]
    oldest = now - timedelta(seconds=schedule.grace)
    within = [fire for fire in late if fire >= oldest]
    caught_up = {"none": [], "latest": [] if on_time else within[-1:], "all": within}[schedule.catch_up]
    return Due(on_time, caught_up, [fire for fire in late if fire not in caught_up])


def reckon(
    ledger: Ledger, name: str, schedule: Schedule, now: datetime, *, told: bool = False, since: datetime | None = None
) -> list[str]:
    """Put the fires of a job that came since the last reckoning on record; return a line on each that is no run.

    A job that was never reckoned, or by another schedule, begins now; where `told`, with the last fire there was, and
    with that after `since` where that is given.
    """
    known = f"{schedule.cron} {schedule.timezone}"
    back = now - timedelta(seconds=max(schedule.grace, ON_TIME_S + schedule.jitter))
    with ledger.exclusive():
        mark = ledger.mark(name)
        begin = mark[1] if mark is not None and mark[0] == known else None
        if begin is None:
            since = back if told else since
            last = latest_fire(schedule, since, now) if since is not None else None
            begin = last - timedelta(microseconds=1) if last is not None else now
        ledger.set_mark(name, known, now)
        if begin >= now:
            return []
        older = next(fires_between(schedule, begin, back), None) if begin < back else None
        due = sort_out([*fires_between(schedule, max(begin, back), now)], schedule, now, told=told)
        return _put_down(ledger, name, schedule, due, older)


def _put_down(ledger: Ledger, name: str, schedule: Schedule, due: Due, older: datetime | None) -> list[str]:
    lines = []
    busy = bool(ledger.runs(name, OPEN))
    missed = [*([older] if older is not None else []), *due.missed]
    if missed:
        first, last = f"{missed[0]:%Y-%m-%d %H:%M}", f"{missed[-1]:%Y-%m-%d %H:%M} UTC"
        those = f"{len(missed)} fires, {first} to {last}," if len(missed) > 1 else f"the fire of {last}"
        those = f"fires since {first} UTC, by its grace too old among them," if older is not None else those
        said = f"{those} passed while nothing was serving"
        ledger.ask(name, "schedule", missed[-1], missed[-1], "missed", said)
        lines.append(said)
    for fire in due.caught_up:
        ledger.ask(name, "catch-up", fire, fire)
    for fire in due.on_time:
        if busy and schedule.overlap == "skip":
            said = f"the fire of {fire:%Y-%m-%d %H:%M} UTC was skipped: a run was under way"
            if ledger.ask(name, "schedule", fire, fire, "skipped", said) is not None:
                lines.append(said)
            continue
        if schedule.overlap == "latest":
            lines += _give_way(ledger, name, fire)
        busy |= ledger.ask(name, "schedule", fire, fire) is not None
    return lines


def _give_way(ledger: Ledger, name: str, fire: datetime) -> list[str]:
    """Skip the fires that wait, for the sake of a later one."""
    waiting = [run for run in ledger.runs(name, ("queued",)) if run.why == "schedule"]
    said = f"skipped for the fire of {fire:%Y-%m-%d %H:%M} UTC"
    for run in waiting:
        ledger.update(run.id, state="skipped", message=said, ended=run.due)
    return [said for _ in waiting]
