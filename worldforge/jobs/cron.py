"""Cron expressions, as `man 5 crontab` has them: five fields, lists, ranges, steps, names, `@daily` and its like.

    cron = Cron.parse("*/15 2-4 * * mon-fri")
    cron.minutes        (0, 15, 30, 45)

Sunday is 0 and 7. Where both the day of the month and the day of the week are restricted, either will do; where one of
them begins with `*`, both must hold.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
"""The days of a week by cron's number, from 0."""
_NICKNAMES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_PART = re.compile(r"(\*|[0-9]{1,2}|[a-z]{3})(?:-([0-9]{1,2}|[a-z]{3}))?(?:/([0-9]{1,2}))?", re.ASCII)
_DAYS_OF_MONTH = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@dataclass(frozen=True, slots=True)
class Cron:
    """A cron expression: the values that each field takes, ascending. `either_day`: the two fields of days are ored."""

    text: str
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: tuple[int, ...]
    months: tuple[int, ...]
    weekdays: tuple[int, ...]
    either_day: bool

    @classmethod
    def parse(cls, text: str) -> Cron:
        """Read an expression. Raises ValueError with what is wrong, also where no date would ever do."""
        fields = _NICKNAMES.get(text.strip().lower(), text).lower().split()
        if len(fields) != 5:
            wanted = "minute, hour, day of the month, month, day of the week"
            raise ValueError(f"`{text}` has {len(fields)} fields, not 5 ({wanted})")
        minute, hour, day, month, weekday = fields
        cron = cls(
            text=" ".join(fields),
            minutes=_values(minute, "minute", 0, 59),
            hours=_values(hour, "hour", 0, 23),
            days=_values(day, "day of the month", 1, 31),
            months=_values(month, "month", 1, 12, _MONTHS),
            weekdays=tuple(sorted({n % 7 for n in _values(weekday, "day of the week", 0, 7, WEEKDAYS)})),
            either_day=not day.startswith("*") and not weekday.startswith("*"),
        )
        if not cron.either_day and not any(cron.days[0] <= _DAYS_OF_MONTH[month - 1] for month in cron.months):
            raise ValueError(f"`{text}` never comes: no month of it has a day {cron.days[0]}")
        return cron

    def falls_on(self, day: date) -> bool:
        """Say whether the expression has times on a day."""
        by_date, by_weekday = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        fits = by_date or by_weekday if self.either_day else by_date and by_weekday
        return fits and day.month in self.months


def _values(field: str, name: str, low: int, high: int, words: tuple[str, ...] = ()) -> tuple[int, ...]:
    found: set[int] = set()
    for part in field.split(","):
        read = _PART.fullmatch(part)
        if read is None:
            raise ValueError(f"`{part}` cannot be read as a {name}: write `*`, `5`, `1-5`, `*/15` or a list of those")
        first, last, step = read.groups()
        if first == "*" and last is not None:
            raise ValueError(f"`{part}` cannot be read as a {name}: `*` begins no range")
        begin = low if first == "*" else _value(first, name, low, high, words)
        to_the_end = first == "*" or (last is None and step is not None)
        end = high if to_the_end else _value(last or first, name, low, high, words)
        if begin > end:
            raise ValueError(f"`{part}`, a {name}, runs backwards")
        if step == "0" or step == "00":
            raise ValueError(f"`{part}`, a {name}, has a step of 0")
        found.update(range(begin, end + 1, int(step or 1)))
    return tuple(sorted(found))


def _value(text: str, name: str, low: int, high: int, words: tuple[str, ...]) -> int:
    if text in words:
        return words.index(text) + (low if name == "month" else 0)
    if not text.isdecimal() or not low <= int(text) <= high:
        raise ValueError(f"`{text}` is no {name}: it runs from {low} to {high}")
    return int(text)
