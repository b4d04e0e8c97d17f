"""Speed of both scorers, beside pandas reading the same table in the same run, and beside their limits.

    python -m benchmarks scoring

Prints CPU milliseconds: of the first answer to a gold table, which has to be read too, and of the next. The answers are
right but written otherwise than gold (`12,400`, `18 June 2024`), so that every such cell has to be read. Then answers
made to be slow, each a quarter as long and whole: four times is linear.
"""

from __future__ import annotations

import io
import random
import time
from collections.abc import Callable
from functools import partial

import pandas as pd

from worldforge.scoring.answer_score import Score
from worldforge.scoring.compatible_scorer import score_compatible
from worldforge.scoring.gold_table import GoldTable
from worldforge.scoring.strict_scorer import score_strict
from worldforge.world.value_text import MONTHS

LABELS = ("Club", "Founded", "Capacity", "Opened")
PIPELINES = (
    {"preprocess": ["norm_str"], "metric": ["exact_match"]},
    {"preprocess": ["extract_number"], "metric": ["number_near"], "criterion": 0.0},
    {"preprocess": ["extract_number"], "metric": ["number_near"], "criterion": 0.05},
    {"preprocess": ["norm_date"], "metric": ["exact_match"]},
)
LIMIT_MS = 10  # strict, 4,096 cells
LIMIT_S = 60  # both, 10,000 tables of 20 rows
HOSTILE = 20_000  # rows
N_TIMES = 9
Row = tuple[str, int, int, tuple[int, int, int]]


def draw_rows(n_rows: int, draw: random.Random) -> list[Row]:
    return [
        (
            f"Velmar Rovers {row}",
            draw.randint(1868, 2008),
            draw.randint(900, 62_000),
            (draw.randint(1880, 2020), draw.randint(1, 12), draw.randint(1, 28)),
        )
        for row in range(n_rows)
    ]


def gold_of(rows: list[Row]) -> GoldTable:
    names = [label.lower() for label in LABELS]
    evaluation = {
        "unique_columns": names[:1],
        "required": names,
        "eval_pipeline": dict(zip(names, PIPELINES, strict=True)),
    }
    cells = ((club, str(founded), str(seats), "{}-{:02}-{:02}".format(*day)) for club, founded, seats, day in rows)
    return GoldTable(LABELS, tuple(cells), LABELS[:1], evaluation)


def table_of(rows: list[Row]) -> str:
    cells = (
        (club, str(founded), f"{seats:,}", f"{day} {MONTHS[month - 1]} {year}")
        for club, founded, seats, (year, month, day) in rows
    )
    return "\n".join(f"| {' | '.join(line)} |" for line in (LABELS, ["---"] * len(LABELS), *cells))


def cpu_ms(work: Callable[[], object], n_times: int = N_TIMES) -> float:
    """Return the least CPU time of `n_times` runs."""
    times = []
    for _ in range(n_times):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times) * 1e3


def measure(n_rows: int, score: Callable[[str, GoldTable], Score]) -> tuple[float, float, float]:
    """Return CPU milliseconds of scoring the first answer to a gold table, the next, and of pandas reading a table."""
    drawn = [draw_rows(n_rows, random.Random(seed)) for seed in range(N_TIMES)]
    answers = [f"```markdown\n{table_of(rows)}\n```" for rows in drawn]
    unread = zip(answers, map(gold_of, drawn), strict=True)
    first = cpu_ms(lambda: score(*next(unread)))
    table, gold = table_of(drawn[0]), gold_of(drawn[0])
    if not score(answers[0], gold).success:
        raise AssertionError("a right answer was marked down")
    later = cpu_ms(lambda: score(answers[0], gold))
    return first, later, cpu_ms(lambda: pd.read_csv(io.StringIO(table), sep="|"))


def hostile(n: int) -> dict[str, str]:
    """Answers that a scorer could take long over, each of a size that grows with `n`."""
    head = "```markdown\n| Club | Founded | Capacity | Opened |\n|---|---|---|---|\n"
    row = "| {} | 1911 | 900 | 1911-05-01 |\n"
    return {
        "rows": head + "".join(row.format(f"Club {number}") for number in range(n)) + "```",
        "one key": head + row.format("Velmar Rovers 1") * n + "```",
        "tables": (head[12:] + row.format("Velmar Rovers 1") + "\n") * (n // 3),
        "rules": head + "|---|---|---|---|\n" * n + "```",
        "cells of pipes": head + row.format("\\|" * 20 * n) + "```",
        "figures": head + row.format("1" * 40 * n) + "```",
        "quotes": head + row.format('"' * 40 * n) + "```",
        "fences": "```markdown\n" * 3 * n,
        "pipes": "|a" * 20 * n,
    }


def measure_hostile(n: int) -> None:
    gold = gold_of(draw_rows(100, random.Random(1)))
    for name, answer in hostile(n).items():
        shorter = hostile(n // 4)[name]
        told = []
        for scorer, score in (("strict", score_strict), ("compatible", score_compatible)):
            few, many = (cpu_ms(partial(score, text, gold), 3) for text in (shorter, answer))
            told.append(f"{scorer} {many:7.1f} ms, {many / few:4.1f} x a quarter")
        print(f"{name:15} {len(answer) / 1e6:5.2f} MB   {'   '.join(told)}")


def main() -> None:
    total_s = 0.0
    for name, score in (("strict", score_strict), ("compatible", score_compatible)):
        fresh, small, _ = measure(20, score)
        first, one, read = measure(1_024, score)
        _, four, _ = measure(4_096, score)
        total_s += fresh * 10
        print(
            f"{name:10}  20 rows {fresh:.2f}, then {small:.2f} ms   4,096 cells {first:.2f}, then {one:.2f} ms, "
            f"{one / read:.1f} x pandas reading it   four times the rows: {four / one:.2f} x the time"
        )
    print(f"limit of strict on 4,096 cells: {LIMIT_MS} ms; 10,000 tables by both: {total_s:.0f} s of {LIMIT_S} s")
    measure_hostile(HOSTILE)


if __name__ == "__main__":
    main()
