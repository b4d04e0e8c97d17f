"""The benchmark's preprocessing and metrics, column by column, with the results of the original.

Each metric takes a column of the answer's cells and the column of gold cells beside it, and gives one score a row.

    dates = BenchmarkDates()
    dates.read("18 June 2024")      ->  datetime(2024, 6, 18)
    dates.read("mai 1911")          ->  datetime(1911, 5, 1)         the first of the month
    dates.read("1911")              ->  datetime(1911, 8, 1)         the month of the day of scoring
    dates.read("soon")              ->  None

dateparser knows every way to write a date, and takes milliseconds for each. The common ones are read by `cell_date.py`,
which agrees with it on them. The original's day is the day on which it runs; here it is an argument, and fixed by
default, so that a score does not change overnight.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from urllib.parse import urlparse

from worldforge.scoring.alias_judge import Judge
from worldforge.scoring.answer_score import UnscorableError
from worldforge.scoring.cell_date import read_date
from worldforge.scoring.gold_table import ColumnRule, Metric, Preprocess
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
_DAYS_NEAR = 31
_NUMBER = re.compile(r"[-+]?(?:\d*\.\d+|\d+\.?\d*)%?")
_URL = re.compile(r"https?://[!$-_a-z\\]+", re.ASCII)


class BenchmarkDates:
    """Reads the dates of one answer and its gold table, as they are read on one day."""

    def __init__(self, day: datetime.date = DAY) -> None:
        self._day = day
        self._parsed: dict[str, datetime.datetime | None] = {}

    def read(self, cell: str) -> datetime.datetime | None:
        """Read a cell; None where it is no date. Raises UnscorableError for what dateparser trips over."""
        if cell == BLANK:
            return datetime.datetime(self._day.year, _BLANK_MONTH, 1)
        if (common := _read_common(cell)) is not None:
            return common
        if cell not in self._parsed:
            if len(self._parsed) == MOST_READ or len(cell) > _LONGEST:
                return None
            self._parsed[cell] = _parse(cell, self._day)
        return self._parsed[cell]


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


def preprocess_column(cells: Sequence[str], steps: Sequence[Preprocess], dates: BenchmarkDates) -> list[str]:
    """Put every cell through `steps`, in their order."""
    prepared = list(cells)
    for step in steps:
        prepared = [_STEPS[step](cell, dates) for cell in prepared]
    return prepared


def score_column(
    metric: Metric,
    cells: Sequence[str],
    gold_cells: Sequence[str],
    rule: ColumnRule,
    judge: Judge | None,
    dates: BenchmarkDates,
) -> list[float]:
    """Score a column by one metric: 0 or 1 a row. Without a judge, `llm_judge` is `exact_match`."""
    if metric == "llm_judge" and judge is not None:
        return list(judge.grade(cells, gold_cells, rule.criterion))
    matches = _METRICS[metric]
    return [float(matches(cell, gold, rule, dates)) for cell, gold in zip(cells, gold_cells, strict=True)]


def _extract_number(cell: str, _dates: BenchmarkDates) -> str:
    if cell.isdecimal():
        return cell
    found = _NUMBER.search(cell.replace(",", ""))
    return found[0] if found else "NULL"


def _norm_date(cell: str, dates: BenchmarkDates) -> str:
    day = dates.read(cell)
    if day is None:
        return cell
    return day.date().isoformat() if day.year > 999 else day.strftime("%Y-%m-%d")  # there without leading zeros


def _number_near(cell: str, gold_cell: str, rule: ColumnRule, _dates: BenchmarkDates) -> bool:
    answer, right = _number(cell), _number(gold_cell)
    if answer is None or right is None:
        return answer is right and cell == gold_cell
    return abs(answer - right) <= abs(right) * float(rule.tolerance)


def _number(cell: str) -> float | None:
    try:
        return float(cell.replace("%", "")) / (100.0 if "%" in cell else 1.0)
    except ValueError:
        return None


def _date_near(cell: str, gold_cell: str, _rule: ColumnRule, dates: BenchmarkDates) -> bool:
    answer, right = _day(cell, dates), _day(gold_cell, dates)
    if answer is None or right is None:
        return answer is right
    try:
        return abs((answer - right).days) <= _DAYS_NEAR
    except TypeError as error:  # one has a time zone: the original fails here, and gives the whole answer 0
        raise UnscorableError(f"two dates cannot be compared: {cell}, {gold_cell}") from error


def _day(cell: str, dates: BenchmarkDates) -> datetime.datetime | None:
    try:
        return dates.read(cell)
    except UnscorableError:  # here the original goes on
        return None


def _hosts(cell: str) -> set[str]:
    try:
        return {urlparse(url).netloc for url in _URL.findall(cell)}
    except ValueError as error:  # the original fails here, and gives the whole answer 0
        raise UnscorableError(f"a URL cannot be taken apart: {error}") from error


_STEPS: Mapping[Preprocess, Callable[[str, BenchmarkDates], str]] = {
    "norm_str": lambda cell, _: cell.lower().strip().replace(" ", "").replace("*", ""),
    "extract_number": _extract_number,
    "norm_date": _norm_date,
}
_METRICS: Mapping[Metric, Callable[[str, str, ColumnRule, BenchmarkDates], bool]] = {
    "exact_match": lambda cell, gold, *_: cell.lower() == gold.lower(),
    "llm_judge": lambda cell, gold, *_: cell.lower() == gold.lower(),
    "in_match": lambda cell, gold, *_: cell in gold,
    "url_match": lambda cell, gold, *_: _hosts(cell) == _hosts(gold),
    "number_near": _number_near,
    "date_near": _date_near,
}
