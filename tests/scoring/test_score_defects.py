"""The known defects of the benchmark's scoring: the compatible scorer has each of them, the strict one has none."""

import pytest
from scoring_examples import (
    DATE_NEAR,
    EXACT_NUMBER,
    IN_MATCH,
    JUDGED,
    NUMBER,
    TEXT,
    URL,
    Synonyms,
    fenced,
    gold_table,
)

from worldforge.scoring.compatible_scorer import score_compatible
from worldforge.scoring.strict_scorer import score_strict

ALIASES = {"The Rovers": "Velmar Rovers", "Rovers of Velmar": "Velmar Rovers"}


def clubs(rows=(("Velmar Rovers", "1911"),), **aliases):
    return gold_table({"Club": TEXT, "Founded": NUMBER}, rows, aliases=aliases)


@pytest.mark.parametrize(("n_aliases", "recall", "f1"), [(2, 2.0, 4 / 3), (5, 5.0, 5 / 3)])
def test_aliases_of_one_row(n_aliases, recall, f1):
    aliases = {f"Rovers, {number}": "Velmar Rovers" for number in range(n_aliases)}
    answer = fenced(["Club", "Founded"], [[alias, "1911"] for alias in aliases])
    original = score_compatible(answer, clubs(), Synonyms(aliases))
    assert (original.item_recall, original.row_recall) == (recall, recall)
    assert original.item_f1 == pytest.approx(f1)
    strict = score_strict(answer, clubs(Club=aliases))
    assert (strict.item_precision, strict.item_recall) == (1 / n_aliases, 1)
    assert strict.row_f1 == strict.item_f1 < 1


def test_one_extra_column():
    answer = fenced(["Club", "Founded", "Colours"], [["Velmar Rovers", "1911", "claret"]])
    original = score_compatible(answer, clubs())
    assert (original.item_f1, original.reason) == (0, "columns differ: club, founded, colours")
    strict = score_strict(answer, clubs())
    assert (strict.item_precision, strict.item_recall, strict.row_f1) == (2 / 3, 1, 1)
    assert not strict.success


def test_one_missing_column():
    answer = fenced(["Club"], [["Velmar Rovers"]])
    assert score_compatible(answer, clubs()).item_f1 == 0
    strict = score_strict(answer, clubs())
    assert (strict.item_precision, strict.item_recall, strict.row_f1) == (1, 1 / 2, 0)


def test_a_second_fenced_table():
    gold = clubs([("Velmar Rovers", "1911"), ("Torvik City", "1898")])
    answer = "\n".join(fenced(["Club", "Founded"], [row]) for row in gold.rows)
    assert score_compatible(answer, gold).item_recall == 1 / 2
    assert score_strict(answer, gold).success


def test_a_blank_elsewhere_in_the_column():
    gold = gold_table({"Club": TEXT, "Founded": TEXT}, [("Velmar Rovers", "2020"), ("Torvik City", "1898")])
    answer = fenced(["Club", "Founded"], [["Velmar Rovers", "2020"], ["Torvik City", ""]])
    assert score_compatible(answer, gold).item_recall == 2 / 4
    assert score_strict(answer, gold).item_recall == 3 / 4


def test_two_dates_that_cannot_be_read():
    gold = gold_table({"Club": TEXT, "Opened": DATE_NEAR}, [("Velmar Rovers", "not recorded")])
    answer = fenced(["Club", "Opened"], [["Velmar Rovers", "some day soon"]])
    assert score_compatible(answer, gold).item_f1 == 1
    assert score_strict(answer, gold).item_f1 == 1 / 2


@pytest.mark.parametrize("said", ["u", "the", "", "land"])
def test_one_letter_of_the_gold_cell(said):
    gold = gold_table(
        {"Club": TEXT, "Country": IN_MATCH}, [("Velmar Rovers", "Isles of the Southern Sea, an old land")]
    )
    answer = fenced(["Club", "Country"], [["Velmar Rovers", said or "**"]])
    assert score_compatible(answer, gold).item_f1 == 1
    assert score_strict(answer, gold).item_f1 == 1 / 2


def test_the_same_row_spelt_twice():
    gold = clubs()
    answer = fenced(["Club", "Founded"], [["Velmar Rovers", "1911"], ["**velmar  rovers**", "1911"]])
    assert score_compatible(answer, gold).item_recall == 2
    assert score_strict(answer, gold).item_recall == 1


def test_two_metrics_of_one_column():
    both = {"preprocess": ["norm_str"], "metric": ["exact_match", "in_match"]}
    gold = gold_table({"Club": TEXT, "Colours": both}, [("Velmar Rovers", "claret")])
    answer = fenced(gold.columns, gold.rows)
    assert score_compatible(answer, gold).item_recall == 3 / 2
    assert score_strict(answer, gold).item_recall == 1


def test_no_address_in_either_cell():
    gold = gold_table({"Club": TEXT, "Site": URL}, [("Velmar Rovers", "none of its own")])
    answer = fenced(["Club", "Site"], [["Velmar Rovers", "unknown"]])
    assert score_compatible(answer, gold).item_f1 == 1
    assert score_strict(answer, gold).item_f1 == 1 / 2


def test_an_address_that_cannot_be_taken_apart_makes_everything_zero():
    gold = gold_table({"Club": TEXT, "Site": URL}, [("Velmar Rovers", "https://rovers.sarn"), ("Torvik City", "none")])
    answer = fenced(["Club", "Site"], [["Velmar Rovers", "https://rovers.sarn"], ["Torvik City", "http://[x"]])
    assert score_compatible(answer, gold).item_f1 == 0
    assert score_strict(answer, gold).item_f1 == 3 / 4


def test_the_first_number_of_several():
    gold = clubs()
    answer = fenced(["Club", "Founded"], [["Velmar Rovers", "1911 or 1912 or 1913"]])
    assert score_compatible(answer, gold).item_f1 == 1
    assert score_strict(answer, gold).item_f1 == 1 / 2


def test_success_although_a_cell_is_wrong():
    gold = gold_table({"Season": EXACT_NUMBER | {"metric": []}, "Gate": NUMBER | {"preprocess": []}}, [("1911", "")])
    answer = fenced(gold.columns, gold.rows)
    original = score_compatible(answer, gold)
    assert original.success
    assert original.item_f1 == 1 / 2
    assert score_strict(answer, gold).item_f1 == 1


class Strangers(Synonyms):
    """A judge whom nothing pleases."""

    def grade(self, cells, gold_cells, criterion):
        assert criterion == "the same colour"
        return [0.0] * len(cells)


def test_a_judge_is_asked_of_columns_keys_and_cells():
    gold = gold_table({"Club": TEXT, "Colours": JUDGED}, [("Velmar Rovers", "claret")])
    answer = fenced(["Team", "Colours"], [["The Rovers", "wine red"]])
    names = {"team": "club", "The Rovers": "Velmar Rovers", "wine red": "claret"}
    assert score_compatible(answer, gold, Synonyms(names)).success
    assert score_compatible(answer, gold, Strangers(names)).item_f1 == 1 / 2
    assert score_compatible(answer, gold).reason.startswith("columns differ")


def test_without_a_judge_words_decide():
    gold = gold_table({"Club": TEXT, "Colours": JUDGED}, [("Velmar Rovers", "claret"), ("Torvik City", "green")])
    answer = fenced(gold.columns, [["Velmar Rovers", "Claret"], ["Torvik City", "emerald"]])
    for score in (score_strict(answer, gold), score_compatible(answer, gold)):
        assert score.item_f1 == 3 / 4
        assert score.row_f1 == 1 / 2


def test_a_judge_that_gives_two_columns_one_name():
    answer = fenced(["Club", "Founded", "Since"], [["Velmar Rovers", "1911", "1911"]])
    assert score_compatible(answer, clubs(), Synonyms({"since": "founded"})).item_f1 == 0
