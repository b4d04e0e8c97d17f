"""WideSearch's own scoring, reproduced with its defects, for comparison with published results.

Written after the benchmark's description (arXiv 2508.07999) and its published evaluation, and compared with that on
thousands of answers (docs/scoring.md). There are two revisions of it: commit f726273, and what pull request 8 made of
that in October 2025, where a column of whole numbers becomes one of fractions if the other side's is one.

Kept on purpose: one column too many makes everything 0; only the first fenced table counts; rows with equal keys go
before the judge maps keys, so two aliases of one row both count and recall can exceed 1; types are guessed from a
column's other cells (`2020` becomes `2020.0`); two unreadable dates are near; `u` is contained in `unitedkingdom`;
a column with two metrics counts twice above the line and once below.

What differs: what a date leaves out comes from a fixed day, not from the day of scoring (`benchmark_metrics.py`, which
also bounds how many dates are read); 0 for an answer of over 16 million characters, for a line of over 4,096 cells,
and where two columns have one name.

For rewards use `strict.py`.
"""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Iterator
from typing import Literal

from worldforge.scoring.alias_judge import Judge
from worldforge.scoring.answer_score import Score, UnscorableError, score_of, zero
from worldforge.scoring.benchmark_metrics import DAY, BenchmarkDates, preprocess_column, score_column
from worldforge.scoring.gold_table import ColumnRule, GoldTable
from worldforge.scoring.pandas_table import TextTable, columns_differ, read_answer, read_gold

Revision = Literal["f726273", "pull-8"]

VERSION = "widesearch-compatible-2"
"""Of the first revision; the other's has its name behind."""


def score_compatible(
    answer: str,
    gold: GoldTable,
    judge: Judge | None = None,
    *,
    revision: Revision = "f726273",
    day: datetime.date = DAY,
) -> Score:
    """Score the text of an answer as WideSearch does, in one of its revisions, on a certain day.

    Without a judge, column and key names stay as they are and columns to be judged are compared by exact match.
    Recall, precision and F1 can exceed 1 where a judge maps several of the answer's keys to one. Never raises for what
    an answer holds.
    """
    version = version_of(revision)
    dates = BenchmarkDates(day)
    try:
        given, right = _with_gold_columns(read_answer(answer, len(gold.rules)), gold, judge), read_gold(gold)
        if revision == "pull-8":
            given, right = _cast(given, right), _cast(right, given)
        given, right = _first_of_key(given, gold), _first_of_key(right, gold)
        given = _with_gold_keys(given, right, gold, judge)
        given, right = _preprocessed(given, gold, dates), _preprocessed(right, gold, dates)
        return _score(given, right, gold, judge, dates, version)
    except UnscorableError as error:
        return zero(version, str(error))


def version_of(revision: Revision) -> str:
    """Name this scorer and the benchmark's revision that it reproduces."""
    return VERSION if revision == "f726273" else f"{VERSION}+{revision}"


def _cast(table: TextTable, other: TextTable) -> TextTable:
    """Return a table whose columns of whole numbers are of fractions where the other side's are."""
    cast = TextTable(table)
    for name, cells in table.items():
        if (table.kinds[name], other.kinds[name]) == ("i", "f"):
            cast[name] = [str(float(cell)) for cell in cells]
    return cast


def _with_gold_columns(given: TextTable, gold: GoldTable, judge: Judge | None) -> TextTable:
    gold_names = [rule.name for rule in gold.rules]
    names = list(given)
    if judge is not None and set(names) != set(gold_names):
        mapped = judge.match(names, gold_names)
        names = [mapped.get(name, name) for name in names]
    if sorted(names) != sorted(gold_names):
        raise columns_differ(names)
    renamed = TextTable(zip(names, given.values(), strict=True))
    renamed.kinds = dict(zip(names, given.kinds.values(), strict=True))
    return renamed


def _first_of_key(table: TextTable, gold: GoldTable) -> TextTable:
    first: dict[tuple[str, ...], int] = {}
    for row, key in enumerate(_keys(table, gold)):
        first.setdefault(key, row)
    return table.keep(list(first.values()))


def _keys(table: TextTable, gold: GoldTable) -> Iterator[tuple[str, ...]]:
    return zip(*(table[rule.name] for rule in gold.rules if rule.is_key), strict=True)


def _with_gold_keys(given: TextTable, right: TextTable, gold: GoldTable, judge: Judge | None) -> TextTable:
    mapped = TextTable(given)
    for rule in gold.rules:
        if judge is not None and _is_judged_key(rule):
            names = judge.match(given[rule.name], right[rule.name])
            mapped[rule.name] = [names.get(cell, cell) for cell in given[rule.name]]
    return mapped


def _is_judged_key(rule: ColumnRule) -> bool:
    return rule.is_key and ("exact_match" in rule.metrics or "llm_judge" in rule.metrics)


def _preprocessed(table: TextTable, gold: GoldTable, dates: BenchmarkDates) -> TextTable:
    steps = {rule.name: rule.preprocess for rule in gold.rules}
    return TextTable((name, preprocess_column(cells, steps[name], dates)) for name, cells in table.items())


def _score(
    given: TextTable, right: TextTable, gold: GoldTable, judge: Judge | None, dates: BenchmarkDates, version: str
) -> Score:
    """Join the rows on the key, every row of the answer with every gold row, in gold's order, and score the cells."""
    rows_of: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for row, key in enumerate(_keys(given, gold)):
        rows_of[key].append(row)
    pairs = [(row, gold_row) for gold_row, key in enumerate(_keys(right, gold)) for row in rows_of.get(key, ())]
    cells = _cell_scores(given.keep([a for a, _ in pairs]), right.keep([b for _, b in pairs]), gold, judge, dates)
    width = len(gold.rules)
    items = (sum(map(sum, cells)), given.n_rows * width, right.n_rows * width)
    rows = (sum(map(min, zip(*cells, strict=True))), given.n_rows, right.n_rows)
    reason = "" if pairs else "no row has a key of the gold table"
    return score_of(items, rows, version, same=_is_same(given, right, gold), reason=reason)


def _cell_scores(
    given: TextTable, right: TextTable, gold: GoldTable, judge: Judge | None, dates: BenchmarkDates
) -> list[list[float]]:
    """Score the joined rows: one column a metric of each column, and one of ones a key."""
    columns: list[list[float]] = []
    for rule in gold.rules:
        if rule.is_key:
            columns.append([1.0] * given.n_rows)
        else:
            cells = given[rule.name], right[rule.name]
            columns += [score_column(metric, *cells, rule, judge, dates) for metric in dict.fromkeys(rule.metrics)]
    return columns


def _is_same(given: TextTable, right: TextTable, gold: GoldTable) -> bool:
    """Tell whether both tables are equal but for the order of rows; never where keys are judged, as in the original."""
    judged = any(_is_judged_key(rule) for rule in gold.rules)
    same_columns = not judged and list(given) == list(right)
    return same_columns and sorted(zip(*given.values(), strict=True)) == sorted(zip(*right.values(), strict=True))
