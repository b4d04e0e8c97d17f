"""A gold table refuses parts that do not fit, and says which."""

import copy

import pytest

from worldforge.core.errors import InputError
from worldforge.scoring.gold_table import GoldTable

EVALUATION = {
    "unique_columns": ["club"],
    "required": ["club", "foundingyear"],
    "eval_pipeline": {
        "club": {"preprocess": ["norm_str"], "metric": ["exact_match"]},
        "foundingyear": {"preprocess": ["extract_number"], "metric": ["number_near"], "criterion": 0.0},
    },
}
PARTS = {
    "columns": ("Club", "Founding year"),
    "rows": (("Velmar Rovers", "1911"),),
    "keys": ("Club",),
    "evaluation": EVALUATION,
}


def test_rules_stand_in_the_order_of_the_columns():
    key, founded = GoldTable(**PARTS).rules
    assert (key.name, key.is_key, key.metrics) == ("club", True, ("exact_match",))
    assert (founded.name, founded.is_key, founded.tolerance) == ("foundingyear", False, 0)


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        ("columns", ("Club", "club "), "two columns are called the same"),
        ("columns", ("Founding year", "Club"), "`required` says"),
        ("rows", (), "needs rows"),
        ("rows", (("Velmar Rovers",),), "each of 2 cells"),
        ("keys", (), "`unique_columns` says otherwise"),
        ("keys", ("Founding year",), "`unique_columns` says otherwise"),
        ("aliases", {"Town": {}}, "no column is called town"),
    ],
)
def test_parts_that_do_not_fit(part, value, message):
    with pytest.raises(InputError, match=message):
        GoldTable(**{**PARTS, part: value})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"metric": ["exact"]}, "unknown metric `exact`"),
        ({"preprocess": ["norm"]}, "unknown preprocess `norm`"),
        ({"criterion": None}, "share of gold, not `None`"),
        ({"criterion": -1}, "share of gold, not `-1`"),
    ],
)
def test_pipelines_that_no_scorer_knows(change, message):
    evaluation = copy.deepcopy(EVALUATION)
    evaluation["eval_pipeline"]["foundingyear"] |= change
    with pytest.raises(InputError, match=message):
        GoldTable(**{**PARTS, "evaluation": evaluation})


def test_every_column_but_a_key_needs_a_pipeline():
    key_only = {**EVALUATION, "eval_pipeline": {"foundingyear": EVALUATION["eval_pipeline"]["foundingyear"]}}
    assert GoldTable(**{**PARTS, "evaluation": key_only}).rules[0].metrics == ()
    with pytest.raises(InputError, match="no entry for column `foundingyear`"):
        GoldTable(**{**PARTS, "evaluation": {**EVALUATION, "eval_pipeline": {}}})
