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
        prepared = [_norm_date(cell, dates) if step == "norm_date" else _STEPS[step](cell) for cell in prepared]
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
    pairs = zip(cells, gold_cells, strict=True)
    if metric == "number_near":
        tolerance = float(rule.tolerance)
        return [float(_number_near(*pair, tolerance)) for pair in pairs]
    if metric == "date_near":
        return [float(_date_near(*pair, dates)) for pair in pairs]
    same = _METRICS[metric]
    return [float(same(*pair)) for pair in pairs]


def _norm_str(cell: str) -> str:
    return cell.lower().strip().replace(" ", "").replace("*", "")


def _extract_number(cell: str) -> str:
    if cell.isdecimal():
        return cell
    found = _NUMBER.search(cell.replace(",", ""))
    return found[0] if found else "NULL"


def _norm_date(cell: str, dates: BenchmarkDates) -> str:
    day = dates.read(cell)
    if day is None:
        return cell
    return day.date().isoformat() if day.year > 999 else day.strftime("%Y-%m-%d")  # there without leading zeros


def _exact_match(cell: str, gold_cell: str) -> bool:
    return cell.lower() == gold_cell.lower()


def _number_near(cell: str, gold_cell: str, tolerance: float) -> bool:
    said, right = _number(cell), _number(gold_cell)
    if said is None or right is None:
        return said is right and cell == gold_cell
    return abs(said - right) <= abs(right) * tolerance


def _number(cell: str) -> float | None:
    try:
        return float(cell.replace("%", "")) / (100.0 if "%" in cell else 1.0)
    except ValueError:
        return None


def _date_near(cell: str, gold_cell: str, dates: BenchmarkDates) -> bool:
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


def _in_match(cell: str, gold_cell: str) -> bool:
    return cell in gold_cell


def _url_match(cell: str, gold_cell: str) -> bool:
    return _hosts(cell) == _hosts(gold_cell)


def _hosts(cell: str) -> set[str]:
    try:
        return {urlparse(url).netloc for url in _URL.findall(cell)}
    except ValueError as error:  # the original fails here, and gives the whole answer 0
        raise UnscorableError(f"a URL cannot be taken apart: {error}") from error


_STEPS: Mapping[Preprocess, Callable[[str], str]] = {
    "norm_str": _norm_str,
    "extract_number": _extract_number,
}
_METRICS: Mapping[Metric, Callable[[str, str], bool]] = {
    "exact_match": _exact_match,
    "in_match": _in_match,
    "url_match": _url_match,
    "llm_judge": _exact_match,
}
