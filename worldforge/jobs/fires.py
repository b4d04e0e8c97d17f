"""When a job fires: a crontab's expression in a time zone, as moments.

    fires_between(schedule, after, until)       the moments of the schedule in (after, until], in UTC

A local time that a change of the clock leaves out comes as much later as the clock was put forward. Of a local time
that comes twice only the first counts, unless the schedule is of every hour: then time goes on, and so does it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from worldforge.jobs.cron import Cron
from worldforge.jobs.plan import Schedule

if TYPE_CHECKING:
    from apscheduler.triggers.base import BaseTrigger

_HOURS_A_DAY = 24


def trigger_of(schedule: Schedule) -> BaseTrigger:
    """Return the schedule as a trigger of APScheduler's, its jitter included.

    Its own CronTrigger loses a midnight that follows a day on which clocks were put forward.
    """
    from apscheduler.triggers.base import BaseTrigger

    class Fires(BaseTrigger):  # type: ignore[misc]
        def get_next_fire_time(self, _previous: datetime | None, now: datetime) -> datetime | None:
            late = timedelta(seconds=random.uniform(0, schedule.jitter))  # noqa: S311  spreads load, no more
            return next((fire + late for fire in next_fires(schedule, now, 1)), None)

    return Fires()


def fires_between(schedule: Schedule, after: datetime, until: datetime) -> Iterator[datetime]:
    """Give the moments of a schedule later than `after` and not later than `until`, in UTC, without jitter."""
    cron, zone = Cron.parse(schedule.cron), ZoneInfo(schedule.timezone)
    last = after.astimezone(UTC)
    for ordinal in range(last.toordinal() - 2, date.max.toordinal()):  # a zone is a day off, a change of clocks another
        day = date.fromordinal(ordinal)
        for fire in _moments(cron, day, zone) if cron.falls_on(day) else ():
            if fire > until:
                return
            if fire > last:
                yield fire
                last = fire


def next_fires(schedule: Schedule, after: datetime, n: int) -> list[datetime]:
    """Return the next `n` moments of a schedule; fewer where it ends with the calendar."""
    found: list[datetime] = []
    for fire in fires_between(schedule, after, datetime.max.replace(tzinfo=UTC)):
        found.append(fire)
        if len(found) == n:
            break
    return found


def latest_fire(schedule: Schedule, after: datetime, until: datetime) -> datetime | None:
    """Return the last moment of a schedule in (after, until]; None where there is none."""
    latest = None
    for fire in fires_between(schedule, after, until):
        latest = fire
    return latest


def _moments(cron: Cron, day: date, zone: ZoneInfo) -> list[datetime]:
    """Return the moments of a local day, ascending; a time that is left out is read by the clock before the change."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=zone)
    times = [midnight.replace(hour=hour, minute=minute) for hour in cron.hours for minute in cron.minutes]
    first = {time.astimezone(UTC) for time in times}
    if len(cron.hours) < _HOURS_A_DAY:
        return sorted(first)
    both = first | {time.replace(fold=1).astimezone(UTC) for time in times}
    return sorted(moment for moment in both if moment.astimezone(zone).minute in cron.minutes)
