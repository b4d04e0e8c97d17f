"""When a job fires: APScheduler's cron triggers over a crontab's expressions.

    fires_between(schedule, after, until)       the moments of the schedule in (after, until], in UTC

A local time that a change of the clock leaves out comes as much later as the clock was put forward. Of a local time
that comes twice only the first counts, unless the schedule is of every hour: then time goes on, and so does it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from worldforge.core.errors import InputError
from worldforge.jobs.cron import WEEKDAYS, Cron
from worldforge.jobs.plan import Schedule

if TYPE_CHECKING:
    from apscheduler.triggers.base import BaseTrigger

_HOURS_A_DAY = 24
_INSTANT = timedelta(microseconds=1)


def trigger_of(schedule: Schedule) -> BaseTrigger:
    """Return the schedule as APScheduler's trigger, its jitter included.

    Raises InputError where APScheduler is not installed.
    """
    return _trigger(schedule, schedule.jitter or None)


def fires_between(schedule: Schedule, after: datetime, until: datetime) -> Iterator[datetime]:
    """Give the moments of a schedule later than `after` and not later than `until`, in UTC, without jitter."""
    trigger = _trigger(schedule, None)
    once = len(Cron.parse(schedule.cron).hours) < _HOURS_A_DAY
    zone = ZoneInfo(schedule.timezone)
    asked = after.astimezone(UTC) + _INSTANT
    while (fire := _next(trigger, asked)) is not None and fire <= until:
        if not (once and _comes_again(fire, zone)):
            yield fire
        asked = fire + _INSTANT


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


def _next(trigger: BaseTrigger, now: datetime) -> datetime | None:
    fire = trigger.get_next_fire_time(None, now)
    return None if fire is None else fire.astimezone(UTC)


def _comes_again(fire: datetime, zone: ZoneInfo) -> bool:
    """Say whether a moment's local time has been there before, an hour ago, since the clock was put back."""
    return fire.astimezone(zone).fold == 1


def _trigger(schedule: Schedule, jitter: float | None) -> BaseTrigger:
    try:
        from apscheduler.triggers.combining import OrTrigger
        from apscheduler.triggers.cron import CronTrigger
    except ImportError as error:
        raise InputError(
            "schedules need APScheduler, which is not installed", "`pip install 'worldforge[jobs]'`, the extra `jobs`"
        ) from error
    cron = Cron.parse(schedule.cron)
    days = {"day": _field(cron.days, range(1, 32)), "month": _field(cron.months, range(1, 13))}
    weekdays = ",".join(WEEKDAYS[day] for day in cron.weekdays)
    hours = {"hour": _field(cron.hours, range(24)), "minute": _field(cron.minutes, range(60))}
    zone = ZoneInfo(schedule.timezone)
    if not cron.either_day:
        return CronTrigger(**days, day_of_week=weekdays, **hours, timezone=zone, jitter=jitter)
    by_date = CronTrigger(**days, **hours, timezone=zone)
    by_weekday = CronTrigger(month=days["month"], day_of_week=weekdays, **hours, timezone=zone)
    return OrTrigger([by_date, by_weekday], jitter=jitter)


def _field(values: tuple[int, ...], every: range) -> str:
    return "*" if len(values) == len(every) else ",".join(map(str, values))
