"""When a cron expression, as in crontab(5), fires in a time zone.

    fire_times("*/15 2-4 * * mon-fri", ZoneInfo("Europe/Berlin"), after, until)     moments in (after, until], in UTC

A local time that daylight saving time skips fires later, by as much as the clock moved. A local time that occurs twice
fires the first time only, unless the expression covers every hour.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import groupby
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

_NICKNAMES = {
    "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
}  # fmt: skip


def normalize_cron(text: object) -> str:
    """Return an expression in five fields of small letters. Raises ValueError if it is none, or never fires."""
    fields = _NICKNAMES.get(str(text).strip().lower(), str(text)).lower().split()
    if len(fields) != 5:
        raise ValueError(f"`{text}` has {len(fields)} fields, not 5")
    try:
        cron = CronSim(" ".join(fields), datetime.min)
    except CronSimError as error:
        raise ValueError(f"`{text}`: {str(error).lower()}") from error
    if not all(isinstance(day, int) and day >= 0 for day in (*cron.days, *cron.weekdays)):
        raise ValueError(f"`{text}`: `L` and `#` are not known to all schedulers")
    return " ".join(fields)


def weekdays(cron: CronSim) -> list[int]:
    """Return the days of the week of an expression, ascending; Sunday is 0."""
    return sorted({day % 7 for day in cron.weekdays if isinstance(day, int)})


def fire_times(text: str, zone: ZoneInfo, after: datetime, until: datetime | None = None) -> Iterator[datetime]:
    """Yield the moments of an expression later than `after` and not later than `until`, in UTC."""
    last = after.astimezone(UTC)
    start = last.replace(tzinfo=None) - timedelta(days=2)  # local times differ by a day, and clock changes by another
    cron = CronSim(text, start)
    for _, times in groupby(cron, datetime.date):  # within a day, skipped and repeated times change the order
        local = [time.replace(tzinfo=zone) for time in times]
        moments = {time.astimezone(UTC) for time in local}  # `fold` 0: the first of two, and skipped times shifted
        if len(cron.hours) == 24:
            moments |= {time.replace(fold=1).astimezone(UTC) for time in local}
            moments = {moment for moment in moments if moment.astimezone(zone).minute in cron.minutes}
        for moment in sorted(moments):
            if until is not None and moment > until:
                return
            if moment > last:
                yield moment
                last = moment
