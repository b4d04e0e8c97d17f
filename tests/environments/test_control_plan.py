import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldforge.core.errors import InputError
from worldforge.environments.controls.control_plan import (
    CONTROLS,
    PRESETS,
    ControlPlan,
    Errors,
    Schedule,
    WrongFacts,
    load_controls,
)
from worldforge.schema.problems import SpecError

NAMES = [
    "pagination", "withheld", "snippets", "distractors", "fields", "wrong_facts",
    "errors", "latency", "truncation", "partial", "malformed", "batch", "stale",
]  # fmt: skip
RATES = st.floats(0, 1)
SECTION = st.fixed_dictionaries(
    {"rate": RATES}, optional={"tasks": RATES, "sessions": RATES, "from_turn": st.integers(0, 9)}
)
PLAN = st.fixed_dictionaries({}, optional={"seed": st.integers(0, 2**63 - 1), **dict.fromkeys(NAMES, SECTION)})


def test_a_plan_has_a_section_for_each_control_and_does_nothing_by_default():
    assert list(CONTROLS) == NAMES
    assert ControlPlan().controls() == {} and PRESETS["none"].controls() == {}


def test_no_preset_shows_wrong_facts():
    for name in PRESETS:
        assert all("wrong_facts" not in load_controls(name).at(place).controls() for place in (0, 0.5, 1))


def test_harsh_does_more_than_mild_in_every_control():
    mild, harsh = load_controls("mild").controls(), load_controls("harsh").controls()
    assert set(mild) < set(harsh)
    assert all(mild[name].rate < harsh[name].rate for name in mild)


def test_a_preset_is_changed_by_what_follows_its_name():
    plan = load_controls("mild,errors.rate=0.3,errors.kinds=[timeout,server_error],seed=4")
    assert (plan.seed, plan.errors.rate, plan.errors.kinds) == (4, 0.3, ["timeout", "server_error"])
    assert plan.errors.most_in_a_row == load_controls("mild").errors.most_in_a_row
    assert plan.snippets == load_controls("mild").snippets


def test_a_file_may_begin_from_a_preset(tmp_path):
    file = tmp_path / "controls.yaml"
    file.write_text("preset: harsh\nseed: 3\nstale: {rate: 0.9, tools: [open]}\n")
    plan = load_controls(f"{file},wrong_facts.rate=0.5")
    assert (plan.seed, plan.stale.rate, plan.wrong_facts.rate) == (3, 0.9, 0.5)
    assert plan.withheld == load_controls("harsh").withheld


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("errors: {rate: 1.5}", "controls.yaml:1:16: errors.rate: must be at most 1, not 1.5"),
        ("seed: 1\nerrors:\n  raet: 1", "controls.yaml:3:3: errors.raet: unknown key `raet`"),
        ("erors: {}", "did you mean `errors`?"),
        ("errors: {tools: [opne]}", "did you mean `open`?"),
        ("distractors:\n  tools: [open]", "only with `search`"),
        ("errors: {kinds: []}", "at least one"),
        ("errors: {from_turn: 4, to_turn: 2}", "to_turn (2) is before from_turn (4)"),
        ("latency: {seconds: {low: 3, high: 1}}", "low (3) is above high (1)"),
        ("preset: hash", "did you mean `harsh`?"),
        ("schedule: {from: none, to: harhs}", "did you mean `harsh`?"),
        ("schedule: {from: none, to: {errors: {rat: 1}}}", "controls.yaml:1:38: schedule.to.errors.rat: unknown key"),
        ("- errors", "a control plan is a mapping"),
        ("errors: [", "a bracket is not closed"),
    ],
)
def test_what_is_wrong_in_a_file_is_told_with_its_place(tmp_path, text, said):
    file = tmp_path / "controls.yaml"
    file.write_text(text)
    with pytest.raises(SpecError) as raised:
        load_controls(file)
    assert said in str(raised.value) and str(file) in str(raised.value)


def test_every_problem_of_a_file_is_told(tmp_path):
    file = tmp_path / "controls.yaml"
    file.write_text("errors: {rate: 2}\nstale: {rate: -1}\n")
    with pytest.raises(SpecError) as raised:
        load_controls(file)
    assert [problem.path for problem in raised.value.problems] == ["errors.rate", "stale.rate"]


@pytest.mark.parametrize("source", ["mildd", "no/such.yaml", ""])
def test_what_is_neither_preset_nor_file_is_refused(source):
    with pytest.raises(InputError) as raised:
        load_controls(source)
    assert raised.value.hint


@pytest.mark.parametrize("change", ["errors", "errors.rate=many", "=3", "errors.rat=1"])
def test_a_change_that_cannot_be_read_is_named(change):
    with pytest.raises(SpecError, match="--controls"):
        load_controls(f"mild,{change}")


def test_a_schedule_goes_from_one_plan_to_the_other():
    plan = load_controls("curriculum")
    assert plan.at(0).controls() == {}
    assert plan.at(1).controls() == load_controls("harsh").controls()
    halfway = plan.at(0.5)
    assert halfway.errors.rate == pytest.approx(load_controls("harsh").errors.rate / 2)
    assert halfway.withheld.links == pytest.approx(load_controls("harsh").withheld.links / 2)
    assert halfway.snippets.characters == load_controls("harsh").snippets.characters


def test_a_schedule_is_over_when_it_says(tmp_path):
    file = tmp_path / "controls.yaml"
    file.write_text("schedule: {from: mild, to: {errors: {rate: 0.8}}, over: 0.5}\nwrong_facts: {rate: 0.1}\n")
    plan = load_controls(file)
    assert plan.at(0).snippets.rate == load_controls("mild").snippets.rate
    assert plan.at(0.5) == plan.at(1) and plan.at(1).errors.rate == 0.8 and plan.at(1).snippets.rate == 0
    assert plan.at(0.2).wrong_facts == plan.at(1).wrong_facts == WrongFacts(rate=0.1)


def test_what_a_plan_says_itself_stands_against_its_schedule():
    plan = load_controls("curriculum,errors.rate=0")
    assert plan.at(1).errors == Errors() and plan.at(1).stale.acts
    assert ControlPlan.model_validate(plan.to_json()).at(1).errors == Errors()


@given(PLAN, RATES)
def test_a_plan_survives_json_and_each_rate_lies_between_the_ends(said, place):
    plan = ControlPlan(schedule=Schedule(begin=ControlPlan(), to=ControlPlan.model_validate(said)))
    again = ControlPlan.model_validate(json.loads(json.dumps(plan.to_json())))
    assert again == plan and again.digest == plan.digest and again.at(place) == plan.at(place)
    for name in NAMES:
        rate = getattr(plan.at(place), name).rate
        assert 0 <= rate <= max(getattr(plan.at(1), name).rate, 1e-6)


def test_digests_differ_where_plans_do():
    plans = [*PRESETS.values(), load_controls("mild,seed=1"), load_controls("mild,errors.timeout_s=3")]
    assert len({plan.digest for plan in plans}) == len(plans)
