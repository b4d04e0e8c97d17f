"""The benchmark's preprocessing and metrics, column by column, with the results of the original.

Each metric takes a column of the answer's cells and the column of gold cells beside it, and gives one score a row.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import urlparse

from worldforge.scoring.alias_judge import Judge
from worldforge.scoring.answer_score import UnscorableError
from worldforge.scoring.benchmark_date import BenchmarkDates
from worldforge.scoring.gold_table import ColumnRule, Metric, Preprocess

_DAYS_NEAR = 31
_NUMBER = re.compile(r"[-+]?(?:\d*\.\d+|\d+\.?\d*)%?")
_URL = re.compile(r"https?://[!$-_a-z\\]+", re.ASCII)


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
    said, right = _number(cell), _number(gold_cell)
    if said is None or right is None:
        return said is right and cell == gold_cell
    return abs(said - right) <= abs(right) * float(rule.tolerance)


def _number(cell: str) -> float | None:
    try:
        return float(cell.replace("%", "")) / (100.0 if "%" in cell else 1.0)
    except ValueError:
        return None


def _date_near(cell: str, gold_cell: str, _rule: ColumnRule, dates: BenchmarkDates) -> bool:
    said, right = _day(cell, dates), _day(gold_cell, dates)
    if said is None or right is None:
        return said is right
    try:
        return abs((said - right).days) <= _DAYS_NEAR
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
