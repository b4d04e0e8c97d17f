"""Reads a date in a cell, in the forms of English and Chinese, complete or in part.

    read_date("18 June 2024")   ->  Written(2024, 6, 18)
    read_date("June 2024")      ->  Written(2024, 6, None)
    read_date("06/07/2024")     ->  Written(2024, 6, 7, ambiguous=True)      months first, as dateparser reads English
    read_date("soon")           ->  None

Nothing here asks what day it is today: a part that the cell leaves out stays out.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from typing import NamedTuple

from worldforge.scoring.cell_text import FULL_WIDTH, LONGEST, plain, without_count, without_marks
from worldforge.world.value_text import MONTHS

_LONGEST = 64  # characters; no date is longer
_LEAP_YEAR = 4
_MONTHS = 12
_DIGIT = re.compile(r"[0-9]")
_ISO = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])-[0-9]{2}")
_PLAIN = re.compile(r"([0-9]{1,2}) ([A-Za-z]+) ([0-9]{4})")  # as a world's pages write a date
_WORD = re.compile(r"[^\W\d_]+|\d+")
_BETWEEN = re.compile(r"[\s.,/()*~'`-]*")
_TIME = re.compile(r"[t\s,]+\d{1,2}:\d\d(?::\d\d(?:\.\d{1,9})?)?\s?(?:[ap]m)?\s?(?:z|utc|gmt|[+-]\d\d:?\d\d)?$")
_CHINESE = re.compile(r"(\d{4})\s?年\s?(\d{1,2})\s?月(?:\s?(\d{1,2})\s?[日号])?")
_MONTH_NUMBERS = {
    **{month.lower(): number for number, month in enumerate(MONTHS, 1)},
    **{month[:3].lower(): number for number, month in enumerate(MONTHS, 1)},
    "sept": 9,
}
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—−", "-"))
_AROUND = "* \n\t\"'“”‘’«»「」《》"
_COMPACT = re.compile(r"([12]\d{3})(\d\d)(\d\d)", re.ASCII)
_CHINESE_DAY = re.compile(r"\s?\(?(?:星期|周|礼拜)[一二三四五六日天]\)?")
_FIGURES = re.compile(r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4})", re.ASCII)
_DAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SILENT = frozenset({"the", "of", "on", "ad", "ce", "c", "ca", "circa", "st", "nd", "rd", "th", *_DAY_NAMES}) | {
    name[:3] for name in _DAY_NAMES
}
_ORDERS = {"Y": "y", "Yn": "ym", "Ym": "ym", "nY": "my", "mY": "my", "nm": "dm", "mn": "md", "nmY": "dmy", "mnY": "mdy"}
"""Of words of these shapes, see `_read_words`: which is the year, the month, the day."""


class CellDate(NamedTuple):
    """A date in a cell. `ambiguous`: day and month could be swapped, or the century is not certain."""

    year: int | None
    month: int | None
    day: int | None
    ambiguous: bool = False

    def first_day(self) -> datetime.date:
        """Return the first day that this can mean, in the year 4 (a leap year) where the cell names none."""
        return datetime.date(
            _LEAP_YEAR if self.year is None else self.year,
            1 if self.month is None else self.month,
            1 if self.day is None else self.day,
        )


def read_date(text: str) -> CellDate | None:
    """Read a date, or None where `text` is none or no such day exists. A time of day beside it is passed over."""
    if _ISO.fullmatch(text):
        return _valid_or_none(CellDate(int(text[:4]), int(text[5:7]), int(text[8:])))
    if usual := _PLAIN.fullmatch(text):
        number = _MONTH_NUMBERS.get(usual[2].lower())
        return _valid_or_none(CellDate(int(usual[3]), number, int(usual[1]))) if number else None
    if len(text) > LONGEST:
        return None
    text = text.translate(FULL_WIDTH)
    return _read_plain(plain(text)) or _read_plain(without_count(without_marks(text)))


def _read_plain(text: str) -> CellDate | None:
    if len(text) > _LONGEST:
        return None
    text = _TIME.sub("", text.translate(_DASHES).strip(_AROUND).lower())
    if compact := _COMPACT.fullmatch(text):
        return _valid_or_none(CellDate(int(compact[1]), int(compact[2]), int(compact[3])))
    text = _CHINESE_DAY.sub("", text).removeprefix("公元").strip()
    if chinese := _CHINESE.fullmatch(text):
        year, month, day = chinese.groups()
        return _valid_or_none(CellDate(int(year), int(month), int(day) if day else None))
    words = _words(text)
    return _valid_or_none(_read_words(words)) if words else None


def as_others_show(cells: Sequence[str]) -> Sequence[str]:
    """Write dates such as 06/07/2024 as ISO 8601 does, where others of the column show which figure is the month.

    06/25/2024 shows that the month comes first, 25/06/2024 that the day does; where neither or both stand there,
    nothing changes.
    """
    found = [_FIGURES.fullmatch(without_marks(cell)) if _DIGIT.search(cell) else None for cell in cells]
    day_first = any(one and int(one[1]) > _MONTHS for one in found)
    month_first = any(one and int(one[3]) > _MONTHS for one in found)
    if day_first == month_first:
        return cells
    month, day = (3, 1) if day_first else (1, 3)
    return [
        f"{one[4]}-{int(one[month]):02}-{int(one[day]):02}" if one else cell
        for one, cell in zip(found, cells, strict=True)
    ]


def _words(text: str) -> list[str] | None:
    """Split into months (`june`) and figures (`18`); None where anything else stands between them."""
    if _BETWEEN.fullmatch(_WORD.sub("", text)) is None:
        return None
    words = [word for word in _WORD.findall(text) if word not in _SILENT]
    readable = all((word.isdecimal() and word.isascii()) or word in _MONTH_NUMBERS for word in words)
    return words if readable else None


def _read_words(words: list[str]) -> CellDate | None:
    """Read up to three words by their shape: `m` a month's name, `Y` four figures, `n` one or two."""
    shape = "".join("m" if word in _MONTH_NUMBERS else {4: "Y", 1: "n", 2: "n"}.get(len(word), "?") for word in words)
    numbers = [_MONTH_NUMBERS.get(word) or int(word) for word in words] if "?" not in shape else []
    if shape in _ORDERS:
        parts = dict(zip(_ORDERS[shape], numbers, strict=True))
        return CellDate(parts.get("y"), parts.get("m"), parts.get("d"))
    match shape:
        case "Ynn" | "Ymn":
            return _year_first(*numbers)
        case "nnY":
            return _month_or_day_first(*numbers)
        case "nmn":
            return CellDate(_century(numbers[2]), numbers[1], numbers[0], ambiguous=True)
        case "nnn":
            month, day, year = numbers
            return _month_or_day_first(month, day, _century(year), ambiguous=True)
    return None


def _year_first(year: int, month: int, day: int) -> CellDate:
    if month > 12 >= day:
        return CellDate(year, day, month, ambiguous=True)
    return CellDate(year, month, day)


def _month_or_day_first(month: int, day: int, year: int, *, ambiguous: bool = False) -> CellDate:
    if month > 12 >= day:
        return CellDate(year, day, month, ambiguous)
    return CellDate(year, month, day, ambiguous or month != day <= 12)


def _century(year: int) -> int:
    """Place a year of two figures as POSIX does: 69 to 99 in the twentieth century, 00 to 68 in this one."""
    return year + (1900 if year >= 69 else 2000)


def _valid_or_none(date: CellDate | None) -> CellDate | None:
    """Return `date`, or None where the calendar has no such day."""
    if date is None:
        return None
    try:
        date.first_day()
    except ValueError:
        return None
    return date
