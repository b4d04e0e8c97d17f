"""Reads dates as the benchmark does: with dateparser, missing parts filled in from the day of scoring.

    dates = BenchmarkDates()
    dates.read("18 June 2024")      ->  datetime(2024, 6, 18)
    dates.read("mai 1911")          ->  datetime(1911, 5, 1)         the first of the month
    dates.read("1911")              ->  datetime(1911, 8, 1)         the month of the day of scoring
    dates.read("soon")              ->  None

dateparser knows every way to write a date, and takes milliseconds for each. The common ones are read by `date.py`,
which agrees with it on them. The original's day is the day on which it runs; here it is an argument, and fixed by
default, so that a score does not change overnight.
"""

from __future__ import annotations

import datetime
import re
from functools import lru_cache

from worldforge.scoring.answer_score import UnscorableError
from worldforge.scoring.cell_date import read_date
from worldforge.scoring.pandas_table import BLANK
from worldforge.world.value_text import MONTHS

DAY = datetime.date(2025, 8, 11)
"""The day of scoring where none is given: the benchmark's paper is of that week."""
MOST_READ = 2_000  # cells of one answer that dateparser is asked about; further ones cannot be read
_LONGEST = 200  # characters; no date is longer
_BLANK_MONTH = 8  # a blank cell, `nan`, is a month's name in one of the languages
_MONTH = f"(?i:{'|'.join([*MONTHS, *(month[:3] for month in MONTHS), 'Sept'])})"
_DAY = r"[0-9]{1,2}"
_YEAR = r"[12][0-9]{3}"
_COMMON = re.compile(
    rf"{_YEAR}([-/.]){_DAY}\1{_DAY}|{_DAY}([/.-]){_DAY}\2{_YEAR}|{_YEAR}-[0-9]{{2}}"
    rf"|{_DAY}(?:st|nd|rd|th)?(?: of)? {_MONTH},? {_YEAR}|{_MONTH} {_DAY}(?:st|nd|rd|th)?,? {_YEAR}|{_MONTH},? {_YEAR}"
)


class BenchmarkDates:
    """Reads the dates of one answer and its gold table, as they are read on one day."""

    def __init__(self, day: datetime.date = DAY) -> None:
        self._day = day
        self._asked: dict[str, datetime.datetime | None] = {}

    def read(self, cell: str) -> datetime.datetime | None:
        """Read a cell; None where it is no date. Raises UnscorableError for what dateparser trips over."""
        if cell == BLANK:
            return datetime.datetime(self._day.year, _BLANK_MONTH, 1)
        if (common := _read_common(cell)) is not None:
            return common
        if cell not in self._asked:
            if len(self._asked) == MOST_READ or len(cell) > _LONGEST:
                return None
            self._asked[cell] = _parse(cell, self._day)
        return self._asked[cell]


@lru_cache(1 << 16)  # a gold table is read again with every answer to it
def _read_common(cell: str) -> datetime.datetime | None:
    if _COMMON.fullmatch(cell) is None or (written := read_date(cell)) is None:
        return None
    return datetime.datetime.combine(written.first_day(), datetime.time())


@lru_cache(1 << 16)
def _parse(cell: str, day: datetime.date) -> datetime.datetime | None:
    import dateparser  # type: ignore[import-untyped]  # late: it is slow to import

    base = datetime.datetime.combine(day, datetime.time())
    try:
        read = dateparser.parse(cell, settings={"PREFER_DAY_OF_MONTH": "first", "RELATIVE_BASE": base})
    except Exception as error:
        raise UnscorableError(f"dateparser fails on `{cell}`: {type(error).__name__}: {error}") from error
    return read if isinstance(read, datetime.datetime) else None
