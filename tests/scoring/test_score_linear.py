"""Both scorers take time linear in an answer, whatever it is made of: counted in calls, not in seconds."""

import sys

import pytest
from scoring_examples import NUMBER, TEXT, fenced, gold_table

from worldforge.scoring.compatible_scorer import score_compatible
from worldforge.scoring.strict_scorer import score_strict

GOLD = gold_table({"Club": TEXT, "Founded": NUMBER}, [(f"Club {row}", str(1900 + row)) for row in range(20)])


def table(rows):
    return fenced(["Club", "Founded"], rows)


ANSWERS = {
    "rows": lambda n: table([(f"Club {row}", "1900") for row in range(n)]),
    "one key": lambda n: table([("Club 1", str(row)) for row in range(n)]),
    "one key, written otherwise": lambda n: table([(f"Club {'*' * (row % 7)}1", "1901") for row in range(n)]),
    "tables": lambda n: "\n\n".join(["| Club | Founded |\n|---|---|\n| Club 1 | 1901 |"] * n),
    "rules": lambda n: "| Club | Founded |\n" + "|---|---|\n" * n,
    "fences": lambda n: "```markdown\n" * n,
    "lines of a pipe": lambda n: "```markdown\n| Club | Founded |\n" + "|\n" * n + "```",
    "columns": lambda n: "```markdown\n|" + "a|" * n + "\n```",
    "escaped pipes": lambda n: table([("\\|" * n, "1")]),
    "pipes": lambda n: "|a" * n,
    "figures": lambda n: table([("Club 1", "1" * n)]),
    "stars": lambda n: table([("*" * n, "1")]),
    "quotes": lambda n: table([('"' * n, "1")]),
    "links": lambda n: table([("[a](" * n, "1")]),
    "blanks": lambda n: table([(" " * n, "1")]),
}


def n_calls(work):
    """Count calls of functions, Python's own among them."""
    count = 0

    def called(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(called)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("score", [score_strict, score_compatible])
@pytest.mark.parametrize("name", ANSWERS)
def test_four_times_the_answer_is_at_most_about_four_times_the_work(name, score):
    small, large = (ANSWERS[name](n) for n in (250, 1_000))
    score(small, GOLD)  # what is imported and compiled once is no part of it
    few, many = n_calls(lambda: score(small, GOLD)), n_calls(lambda: score(large, GOLD))
    assert many <= 4.4 * few + 200


@pytest.mark.parametrize("score", [score_strict, score_compatible])
@pytest.mark.parametrize("name", ANSWERS)
def test_a_megabyte_of_anything_is_scored(name, score):
    unit = len(ANSWERS[name](1_001)) - len(ANSWERS[name](1_000))
    result = score(ANSWERS[name](min(900_000 // max(unit, 1), 60_000)), GOLD)
    assert 0 <= result.item_f1 <= 1 or score is score_compatible


def test_a_hundred_thousand_rows_are_scored_by_the_compatible_scorer_as_any_other():
    rows = [(f"Club {row}", str(1900 + row % 20)) for row in range(100_000)]
    score = score_compatible(table(rows), GOLD)
    assert (score.item_recall, score.item_precision) == (1, 20 / 100_000)
