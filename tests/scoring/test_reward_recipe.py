"""A recipe says what a trajectory's components add up to; what it cannot mean is told with its place."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldforge.core.errors import InputError
from worldforge.scoring.reward_recipe import COMPONENTS, DEFAULT, Recipe, RewardTerm, read_recipe, reward

ROW = {
    "item_f1": 0.5,
    "format_score": 1.0,
    "n_pages_opened": 7,
    "n_completion_tokens": 2_500,
    "success": True,
    "n_tool_errors": 3,
}


@pytest.fixture
def written(tmp_path):
    def write(text):
        path = tmp_path / "recipe.yaml"
        path.write_text(text)
        return path

    return write


def test_the_default_is_item_f1_and_a_little_for_form_pages_and_length():
    assert reward(DEFAULT, ROW) == pytest.approx(0.5 + 0.1 + 0.05 - 0.025)
    assert DEFAULT.columns == ["item_f1", "format_score", "n_pages_opened", "n_completion_tokens"]
    assert reward(DEFAULT, dict.fromkeys(DEFAULT.columns, 0)) == 0.0


def test_a_file_weighs_components_in_units_and_within_bounds(written):
    recipe = read_recipe(
        written("success: 2\nn_tool_errors: {weight: -0.5, per: 2, cap: 1}\nitem_f1: {weight: 1, floor: 0.8}\n")
    )
    assert reward(recipe, ROW) == pytest.approx(2 - 0.5 + 0.8)
    errors = RewardTerm(weight=-0.5, per=2, cap=1)
    weighed = {"item_f1": RewardTerm(weight=1, floor=0.8), "success": RewardTerm(weight=2), "n_tool_errors": errors}
    assert recipe == Recipe(weighed)


def test_how_a_recipe_is_written_does_not_change_what_it_is(written):
    one = read_recipe(written("item_f1: 1\nsuccess: {weight: 2.0}\n"))
    other = read_recipe(written("success: 2\nitem_f1: {weight: 1.0, per: 1}\n"))
    assert (one.digest, one.to_json()) == (other.digest, {"item_f1": {"weight": 1.0}, "success": {"weight": 2.0}})
    assert one.digest != DEFAULT.digest


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("item_f1: 1\nformat_scor: 0.1\n", r"yaml:2:1: format_scor: unknown key.*\n.*did you mean `format_score`"),
        ("item_f1: .inf\n", "no number that can be used"),
        ("item_f1: {weight: .nan}\n", "no number that can be used"),
        ("item_f1: true\n", "must be a number, not `true`"),
        ("item_f1: much\n", "must be a number, not the text `much`"),
        ("item_f1: [1]\n", "must be a mapping, not a list"),
        ("item_f1:\n", "must be a weight, or a mapping"),
        ("item_f1: {cap: 1}\n", "missing key `weight`"),
        ("item_f1: {weight: 1, per: 0}\n", "must be at least"),
        ("item_f1: {weight: 1e300}\n", "must be at most"),
        ("item_f1: {weight: 1, floor: 2, cap: 1}\n", r"floor \(2\) is above cap \(1\)"),
        ("item_f1: {weight: 1, caps: 1}\n", "did you mean `cap`"),
        ("item_f1: 1\nitem_f1: 2\n", "duplicate key"),
        ("compat_item_f1: 1\n", "did you mean `item_f1`"),
        ("{}\n", "at least one component"),
        ("- item_f1\n", "a mapping of components"),
        ("item_f1: {weight: 1\n", "a bracket is not closed"),
        ("", "empty"),
    ],
)
def test_what_is_no_recipe_is_an_input_error_with_its_place(written, text, said):
    with pytest.raises(InputError, match=said):
        read_recipe(written(text))


def test_a_file_that_is_not_there_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_recipe(tmp_path / "none.yaml")


@pytest.mark.parametrize("row", [{"item_f1": 0.5}, {"item_f1": 0.5, "coverage": None}])
def test_a_row_that_lacks_a_component_is_told_how_to_get_it(row):
    with pytest.raises(InputError, match="no `coverage`") as refused:
        reward(Recipe({"item_f1": RewardTerm(weight=1), "coverage": RewardTerm(weight=1)}), row)
    assert "worldforge rescore" in refused.value.hint


numbers = st.floats(-1e6, 1e6)
terms = st.builds(RewardTerm, weight=numbers, per=st.floats(1e-6, 1e12), cap=st.none() | numbers)


@given(st.dictionaries(st.sampled_from(COMPONENTS), terms, min_size=1), st.data())
def test_a_reward_is_always_a_finite_number(given_terms, data):
    recipe = Recipe(given_terms)
    row = {name: data.draw(st.integers(0, 2**63 - 1) | st.floats(0, 1e9) | st.booleans()) for name in recipe.columns}
    assert math.isfinite(reward(recipe, row))
