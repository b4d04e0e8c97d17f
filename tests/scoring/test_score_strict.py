"""The strict scorer: what counts, what costs, and what agrees with what."""

import pytest
from scoring_examples import DATE, DATE_NEAR, EXACT_NUMBER, IN_MATCH, NUMBER, TEXT, URL, fenced, gold_table

from worldforge.scoring.strict_scorer import VERSION, score_strict

CLUBS = [("Velmar Rovers", "1911", "12400"), ("Torvik City", "1898", "900"), ("Sund Athletic", "1902", "3150")]
GOLD = gold_table({"Club": TEXT, "Founded": EXACT_NUMBER, "Capacity": NUMBER}, CLUBS)
LABELS = GOLD.columns


def item(rows, labels=LABELS, gold=GOLD):
    score = score_strict(fenced(labels, rows), gold)
    return score.item_precision, score.item_recall


def cell(pipeline, gold_cell, said, label="It"):
    """Whether `said` agrees with `gold_cell` in a column of this pipeline."""
    gold = gold_table({"Club": TEXT, label: pipeline}, [("Velmar Rovers", gold_cell)])
    return score_strict(fenced(gold.columns, [["Velmar Rovers", said]]), gold).success


def test_a_partial_answer():
    rows = [["Velmar Rovers", "1911", "12,400"], ["Torvik City", "1899", "900"], ["Nowhere United", "1", "2"]]
    score = score_strict(fenced(LABELS, rows), GOLD)
    assert (score.item_precision, score.item_recall, score.item_f1) == (5 / 9, 5 / 9, pytest.approx(5 / 9))
    assert (score.row_precision, score.row_recall) == (1 / 3, 1 / 3)
    assert (score.version, score.reason, score.success) == (VERSION, "", False)


def test_what_costs_precision_and_what_costs_recall():
    assert item(CLUBS) == (1, 1)
    assert item(CLUBS[:2]) == (1, 2 / 3)
    assert item([*CLUBS, CLUBS[0]]) == (9 / 12, 1)
    assert item([row[:2] for row in CLUBS], LABELS[:2]) == (1, 6 / 9)
    assert item([[*row, "x"] for row in CLUBS]) == (9 / 12, 1)  # a cell beyond the last column
    assert item([[*row, row[1]] for row in CLUBS], [*LABELS, "Founded"]) == (9 / 12, 1)


def test_two_statements_about_one_cell_are_wrong_in_any_order():
    right, wrong = ["Velmar Rovers", "1911", "12400"], ["Velmar Rovers", "1912", "12400"]
    assert item([right, wrong]) == item([wrong, right]) == (2 / 6, 2 / 9)
    assert item([[*right, "1912"]], [*LABELS, "Founded"]) == (2 / 4, 2 / 9)
    assert item([[*right, "Torvik City"]], [*LABELS, "Club"]) == (0, 0)


def test_reasons_for_nothing():
    def reason(answer):
        return score_strict(answer, GOLD).reason

    assert reason("The Rovers, founded in 1911.") == "no table"
    assert reason(fenced(["Founded"], [["1911"]])) == "no table has the key columns: club"
    assert reason(fenced(LABELS, [["Nowhere United", "1911", "900"]])) == "no row has a key of the gold table"
    assert reason("x" * 1_000_001).startswith("answer longer than")


def test_keys_of_two_columns_and_of_numbers():
    gold = gold_table(
        {"Club": TEXT, "Season": EXACT_NUMBER, "Goals": EXACT_NUMBER}, [("A", "1911", "3"), ("A", "1912", "4")], 2
    )
    assert score_strict(fenced(["Goals", "Season", "Club"], [["4", "1912", "a"], ["3", "1911.0", "A"]]), gold).success
    assert score_strict(fenced(["Goals", "Club"], [["4", "A"]]), gold).item_f1 == 0


def test_a_gold_row_that_repeats_a_key_counts_once():
    gold = gold_table({"Club": TEXT, "Founded": EXACT_NUMBER}, [("A", "1"), ("B", "2"), ("a", "3")])
    assert score_strict(fenced(gold.columns, gold.rows[:2]), gold).success


def test_aliases():
    aliases = {"Club": {"The Rovers": "Velmar Rovers", "Torvik City": "Sund Athletic"}, "Town": {"Old Velm": "Velmar"}}
    gold = gold_table(
        {"Club": TEXT, "Town": TEXT}, [("Velmar Rovers", "Velmar"), ("Torvik City", "Torvik")], aliases=aliases
    )
    assert score_strict(fenced(gold.columns, [["the rovers", "Old Velm"], ["Torvik City", "Torvik"]]), gold).success


@pytest.mark.parametrize(
    ("gold_cell", "said"),
    [
        ("Velmar Park", "**velmar  park**"),
        ("Velmar Park", "[Velmar Park](https://sarnipedia.sarn/Velmar_Park)"),
        ("St John's", "St John’s"),
        ("Velmar–Torvik", "Velmar-Torvik"),
        ("red | white", "red \\| white"),
        ("café", "cafe\u0301"),
    ],
)
def test_words_agree(gold_cell, said):
    assert cell(TEXT, gold_cell, said)


@pytest.mark.parametrize("said", ["Velmar", "Velmar Park 2", "", "Vélmar Park", "-"])
def test_words_differ(said):
    assert not cell(TEXT, "Velmar Park", said)


@pytest.mark.parametrize(
    "said", ["12400", "12,400", "12 400", "12,400 seats", "12.4 thousand", "about 12,400 (all seats, 2020)"]
)
def test_numbers_agree(said):
    assert cell(EXACT_NUMBER, "12400", said)


@pytest.mark.parametrize(
    "said", ["12401", "12,400 or 12,500", "12400-12500", "n/a", "", "B12400", "12,4000", "1240", "-12400"]
)
def test_numbers_differ(said):
    assert not cell(EXACT_NUMBER, "12400", said)


@pytest.mark.parametrize(
    ("gold_cell", "said"), [("12.5", "12.5 %"), ("0.125", "12.5%"), ("12.5%", "0.125"), ("5%", "5.0 %")]
)
def test_percentages_agree(gold_cell, said):
    assert cell(EXACT_NUMBER, gold_cell, said, "Turnout (%)")


def test_a_percentage_is_no_count():
    assert not cell(EXACT_NUMBER, "1896", "1896%", "Founding year")
    assert not cell(EXACT_NUMBER, "45", "百分之45", "Goals")
    assert cell(EXACT_NUMBER, "0.125", "12.5%", "Weight")


def test_numbers_near():
    assert cell(NUMBER, "100", "105")
    assert cell(NUMBER, "-100", "-95")
    assert not cell(NUMBER, "100", "105.01")
    assert cell(NUMBER, "0", "0.0")
    assert not cell(NUMBER, "0", "0.001")


def test_whole_numbers_beyond_a_float():
    assert not cell(EXACT_NUMBER, "9007199254740993", "9007199254740992")


@pytest.mark.parametrize(
    "said", ["18 June 2024", "June 18, 2024", "2024/06/18", "Tuesday, 18 June 2024", "18/06/2024", "2024年6月18日"]
)
def test_dates_agree(said):
    assert cell(DATE, "2024-06-18", said)


@pytest.mark.parametrize("said", ["19 June 2024", "June 2024", "2024", "18 June", "soon", "", "2024-18-06"])
def test_dates_differ(said):
    assert not cell(DATE, "2024-06-18", said)


def test_a_day_and_month_that_could_be_swapped_is_no_day():
    assert not cell(DATE, "2024-06-07", "06/07/2024")
    assert not cell(DATE, "2024-07-06", "06/07/2024")
    assert cell(DATE, "2024-06-06", "06/06/2024")


def test_dates_near():
    assert cell(DATE_NEAR, "2024-06-18", "2024-07-19")
    assert cell(DATE_NEAR, "2024-06-18", "June 2024")
    assert not cell(DATE_NEAR, "2024-06-18", "2024-07-20")
    assert not cell(DATE_NEAR, "2024-01-15", "2024")
    assert cell(DATE_NEAR, "2024", "2024")


def test_what_cannot_be_read_agrees_with_itself_alone():
    for pipeline in (DATE, DATE_NEAR, NUMBER, EXACT_NUMBER):
        assert cell(pipeline, "not recorded", "Not  recorded")
        assert not cell(pipeline, "not recorded", "unknown")
        assert not cell(pipeline, "not recorded", "")


@pytest.mark.parametrize("said", ["Southern Isles", "isles", "SOUTHERN", "Sarn"])
def test_contained(said):
    assert cell(IN_MATCH, "Southern Isles (Sarn)", said)


@pytest.mark.parametrize("said", ["s", "South", "Sarn Isles", "Southern Isles (Sarn) or not", "", "()"])
def test_not_contained(said):
    assert not cell(IN_MATCH, "Southern Isles (Sarn)", said)


def test_addresses():
    assert cell(URL, "https://www.rovers.sarn/club", "see http://Rovers.sarn/other (official)")
    assert cell(URL, "https://rovers.sarn", "[site](https://rovers.sarn/en)")
    assert not cell(URL, "https://rovers.sarn", "https://rovers.sarn.fake.sarn")
    assert not cell(URL, "https://rovers.sarn", "https://rovers.sarn and https://city.sarn")
    assert not cell(URL, "https://rovers.sarn", "")


def test_every_metric_of_a_column_must_agree():
    both = {"preprocess": ["norm_str"], "metric": ["in_match", "exact_match"]}
    assert not cell(both, "Southern Isles", "Isles")
    assert cell({"preprocess": ["norm_str"], "metric": []}, "Southern Isles", "southern isles")
