"""Cron expressions, as crontab(5) defines them, and the moments at which they fire in a time zone.

    cron = Cron.parse("*/15 2-4 * * mon-fri")       cron.minutes == (0, 15, 30, 45)
    fire_times(cron, ZoneInfo("Europe/Berlin"), after, until)       moments in (after, until], in UTC

A local time that daylight saving time skips fires later, by as much as the clock moved. A local time that occurs twice
fires the first time only, unless the expression covers every hour.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_NUMBERS = {name: str(n) for n, name in enumerate(_WEEKDAYS)} | {name: str(n) for n, name in enumerate(_MONTHS, 1)}
_NICKNAMES = {
    "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
}  # fmt: skip
_FIELDS = (
    ("minute", 0, 59, ()), ("hour", 0, 23, ()), ("day of the month", 1, 31, ()), ("month", 1, 12, _MONTHS),
    ("day of the week", 0, 7, _WEEKDAYS),
)  # fmt: skip
_PART = re.compile(r"(?:\*|([0-9]{1,2}|[a-z]{3})(?:-([0-9]{1,2}|[a-z]{3}))?)(?:/([0-9]{1,2}))?", re.ASCII)
_LONGEST_MONTH = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@dataclass(frozen=True, slots=True)
class Cron:
    """A cron expression: the values of each field, ascending; Sunday is 0.

    `either_day`: a day matches by its date or its weekday, since both are restricted; otherwise both have to match.
    """

    text: str
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: tuple[int, ...]
    months: tuple[int, ...]
    weekdays: tuple[int, ...]
    either_day: bool

    @classmethod
    def parse(cls, text: object) -> Cron:
        """Parse an expression. Raises ValueError with the reason, also for one that never fires."""
        text = str(text)
        fields = _NICKNAMES.get(text.strip().lower(), text).lower().split()
        if len(fields) != len(_FIELDS):
            names = ", ".join(name for name, *_ in _FIELDS)
            raise ValueError(f"`{text}` has {len(fields)} fields, not 5 ({names})")
        minutes, hours, days, months, weekdays = (
            _parse_field(field, *form) for field, form in zip(fields, _FIELDS, strict=True)
        )
        either_day = not fields[2].startswith("*") and not fields[4].startswith("*")
        if not either_day and not any(days[0] <= _LONGEST_MONTH[month - 1] for month in months):
            raise ValueError(f"`{text}` never fires: none of its months has a day {days[0]}")
        weekdays = tuple(sorted({day % 7 for day in weekdays}))
        return cls(" ".join(fields), minutes, hours, days, months, weekdays, either_day)

    def __str__(self) -> str:
        return self.text

    def matches_day(self, day: date) -> bool:
        """Return whether the expression fires on a day."""
        by_date, by_weekday = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        matches = by_date or by_weekday if self.either_day else by_date and by_weekday
        return matches and day.month in self.months


def fire_times(cron: Cron, zone: ZoneInfo, after: datetime, until: datetime | None = None) -> Iterator[datetime]:
    """Yield the moments of an expression later than `after` and not later than `until`, in UTC."""
    last = after.astimezone(UTC)
    first_day = last.toordinal() - 2  # local dates differ from those in UTC by one day, and clock changes by another
    for day in map(date.fromordinal, range(first_day, date.max.toordinal())):
        for moment in _moments(cron, day, zone) if cron.matches_day(day) else ():
            if until is not None and moment > until:
                return
            if moment > last:
                yield moment
                last = moment


def _moments(cron: Cron, day: date, zone: ZoneInfo) -> list[datetime]:
    midnight = datetime(day.year, day.month, day.day, tzinfo=zone)
    times = [midnight.replace(hour=hour, minute=minute) for hour in cron.hours for minute in cron.minutes]
    moments = {time.astimezone(UTC) for time in times}  # `fold` 0: the first of two, and skipped times shifted
    if len(cron.hours) == 24:
        moments |= {time.replace(fold=1).astimezone(UTC) for time in times}
        moments = {moment for moment in moments if moment.astimezone(zone).minute in cron.minutes}
    return sorted(moments)


def _parse_field(field: str, name: str, low: int, high: int, names: tuple[str, ...]) -> tuple[int, ...]:
    values: set[int] = set()
    for part in field.split(","):
        match = _PART.fullmatch(part)
        if match is None:
            raise ValueError(f"`{part}` is not a {name}: write `*`, `5`, `1-5`, `*/15` or a list of those")
        first, last, step = (_NUMBERS[text] if text in names else text for text in match.groups())
        if not all(text.isdecimal() for text in (first, last) if text):
            raise ValueError(f"`{part}` is not a {name}")
        begin = int(first) if first else low
        end = int(last) if last else begin if first and not step else high
        if not low <= begin <= end <= high:
            raise ValueError(f"`{part}` is not a {name}: values go from {low} to {high}, ranges upwards")
        if step and not int(step):
            raise ValueError(f"`{part}`, a {name}, has a step of 0")
        values.update(range(begin, end + 1, int(step or 1)))
    return tuple(sorted(values))
