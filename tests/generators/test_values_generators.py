"""What every draw of a value keeps: its bounds, its kind, one draw a row, the same for the same row."""

import datetime
import math
import re
import typing

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators import names, values
from worldforge.core.chance import Stream
from worldforge.core.columns import ARROW_TYPES, ValueKind
from worldforge.core.errors import InputError, RowsError
from worldforge.core.imports import load

SPREADS = st.sampled_from(["uniform", "log_uniform", "normal", "geometric"])
MANY = np.arange(20_000)


def rows(n):
    return np.arange(n, dtype=np.int64)


@given(
    low=st.integers(-(10**9), 10**9),
    span=st.integers(0, 10**6),
    step=st.integers(1, 1000),
    spread=SPREADS,
    seed=st.integers(0, 2**63 - 1),
)
def test_integers_stay_in_their_bounds_and_on_their_steps(low, span, step, spread, seed):
    low = max(low, 1) if spread == "log_uniform" else low
    drawn = values.integer(Stream(seed), rows(50), low=low, high=low + span, step=step, distribution=spread)
    numbers = drawn.to_numpy()
    assert drawn.type == pa.int64()
    assert numbers.min() >= low and numbers.max() <= low + span
    assert not ((numbers - low) % step).any()


@given(bounds=st.lists(st.tuples(st.integers(1, 3000), st.integers(0, 50)), min_size=1, max_size=30), spread=SPREADS)
def test_bounds_may_be_one_a_row(bounds, spread):
    low = np.array([low for low, _ in bounds])
    high = low + [span for _, span in bounds]
    drawn = values.year(Stream(3), rows(len(bounds)), low=pa.array(low), high=pa.array(high * 1.0), distribution=spread)
    assert drawn.type == pa.int32()
    assert (low <= drawn.to_numpy()).all() and (drawn.to_numpy() <= high).all()


@given(
    low=st.decimals(0, 1000, places=3),
    span=st.decimals(1, 1000, places=3),
    decimals=st.integers(0, 6),
    spread=SPREADS,
)
def test_numbers_stay_in_their_bounds_and_have_their_decimals(low, span, decimals, spread):
    low, high = float(low + 1), float(low + 1 + span + 1)
    drawn = values.number(Stream(5), rows(40), low=low, high=high, decimals=decimals, distribution=spread)
    assert all(low <= value <= high for value in drawn.to_pylist())
    assert all(float(f"{value:.{decimals}f}") == value for value in drawn.to_pylist())


@given(low=st.dates(), span=st.integers(0, 20_000), spread=st.sampled_from(["uniform", "normal", "geometric"]))
def test_dates_stay_in_their_bounds(low, span, spread):
    high = min(datetime.date.max.toordinal(), low.toordinal() + span)
    high = datetime.date.fromordinal(high)
    as_text = values.date(Stream(1), rows(30), low=str(low), high=str(high), distribution=spread)
    as_column = values.date(
        Stream(1), rows(30), low=pa.array([low] * 30), high=pa.array([high] * 30), distribution=spread
    )
    assert as_text.type == pa.date32() and as_text.equals(as_column)
    assert all(low <= day <= high for day in as_text.to_pylist())


def test_every_value_of_a_range_is_drawn_bounds_included():
    for spread in ("uniform", "log_uniform", "normal", "geometric"):
        drawn = values.integer(Stream(2, spread), MANY, low=1, high=6, distribution=spread)
        assert set(drawn.to_pylist()) == {1, 2, 3, 4, 5, 6}


def test_spreads_have_the_shapes_they_are_named_for():
    def draw(spread, **bounds):
        return values.integer(Stream(8), MANY, distribution=spread, **bounds).to_numpy()

    assert abs(draw("uniform", low=0, high=99).mean() - 49.5) < 0.7
    normal = draw("normal", low=0, high=600)
    assert abs(normal.mean() - 300) < 3 and 92 < normal.std() < 102
    log_uniform = draw("log_uniform", low=10, high=9999)
    assert abs((log_uniform < 100).mean() - 1 / 3) < 0.02
    counts = np.bincount(draw("geometric", low=0, high=9))
    assert np.allclose(counts[1:5] / counts[:4], np.exp(-0.5), atol=0.04)


def test_a_row_keeps_its_value_whatever_other_rows_are_drawn():
    for name in ("integer", "year", "number"):
        draw = getattr(values, name)
        whole = draw(Stream(4), rows(1000), low=1, high=900).to_numpy()
        some = np.array([3, 500, 999])
        assert (draw(Stream(4), some, low=1, high=900).to_numpy() == whole[some]).all()


def test_impossible_bounds_name_their_rows():
    low, high = pa.array([5, 9, 5, 8]), pa.array([6, 7, 5, 7])
    with pytest.raises(RowsError, match=r"`low` is above `high` \(9 > 7, 8 > 7\) in 2 of 4 rows") as caught:
        values.integer(Stream(0), rows(4), low=low, high=high)
    assert list(caught.value.rows) == [1, 3]


@pytest.mark.parametrize(
    ("name", "params", "said"),
    [
        ("integer", {"low": "x", "high": 3}, "`low` must be a number"),
        ("integer", {"low": 1, "high": True}, "`high` must be a number"),
        ("integer", {"low": 1, "high": float("nan")}, "beyond what can be drawn"),
        ("integer", {"low": 1, "high": 3, "step": 0}, "`step` must be"),
        ("integer", {"low": 1, "high": 3, "distribution": "zipf"}, "unknown distribution `zipf`"),
        ("integer", {"low": 0, "high": 3, "distribution": "log_uniform"}, "`low` above 0"),
        ("number", {"low": 0, "high": 3, "decimals": 7}, "`decimals` must be"),
        ("date", {"low": "soon", "high": "2000-01-01"}, "`low` must be a day"),
        ("date", {"low": "1999-01-01", "high": "2000-01-01", "distribution": "log_uniform"}, "no logarithm"),
        ("choice", {"options": []}, "at least one option"),
        ("choice", {"options": ["a", "b"], "weights": [1]}, "1 weights for 2 options"),
        ("choice", {"options": ["a", "b"], "weights": [0, 0]}, "not all 0"),
        ("boolean", {"share": 1.5}, "not between 0 and 1"),
        ("occupation", {"locale": "xx_XX"}, "no job list for the locale `xx_XX`"),
        ("code", {"pattern": "X-\\0"}, "makes 1 codes, and 3 are asked for"),
        ("code", {"pattern": "A" * 20}, "makes .* codes"),
        ("version", {"major": 0}, "`major` must be a whole number of at least 1"),
        ("time", {"low": "25:00"}, "`low` must be a time"),
        ("time", {"low": "07:00", "high": "06:00"}, "`low` is above `high`"),
        ("time", {"step": 0}, "`step` must be"),
    ],
)
def test_what_cannot_be_drawn_is_explained(name, params, said):
    with pytest.raises(InputError, match=said):
        getattr(values, name)(Stream(0), rows(3), **params)


def test_choices_follow_their_weights():
    drawn = values.choice(Stream(6), MANY, options=["a", "b", "c", "d"], weights=[1, 0, 3, 0]).to_pylist()
    assert set(drawn) == {"a", "c"}
    assert abs(drawn.count("c") / len(drawn) - 0.75) < 0.01


def test_booleans_follow_their_share():
    drawn = values.boolean(Stream(6), MANY, share=0.2).to_numpy(zero_copy_only=False)
    assert abs(drawn.mean() - 0.2) < 0.01
    assert not values.boolean(Stream(6), MANY, share=0).to_numpy(zero_copy_only=False).any()
    assert values.boolean(Stream(6), MANY, share=1).to_numpy(zero_copy_only=False).all()


@given(pattern=st.text(alphabet="Aa0-/é\\", min_size=1, max_size=7), seed=st.integers(0, 2**63 - 1))
def test_codes_follow_their_pattern_and_never_repeat(pattern, seed):
    classes = {"A": "[A-Z]", "a": "[a-z]", "0": "[0-9]"}
    parts = re.findall(r"\\.|.", pattern)
    n_codes = math.prod({"A": 26, "a": 26, "0": 10}.get(part, 1) for part in parts)
    drawn = values.code(Stream(seed), rows(min(n_codes, 40)), pattern=pattern).to_pylist()
    shape = "".join(classes.get(part, re.escape(part[-1])) for part in parts)
    assert all(re.fullmatch(shape, text) for text in drawn)
    assert len(set(drawn)) == len(drawn)


def test_a_code_stays_when_rows_are_added_and_all_are_used():
    every = values.code(Stream(3), rows(260), pattern="A0").to_pylist()
    assert len(set(every)) == 260
    assert values.code(Stream(3), np.array([5, 7]), pattern="A0").to_pylist() == [every[5], every[7]]


def test_versions_reach_their_bounds_and_are_never_nothing():
    drawn = set(values.version(Stream(3), MANY, major=1, minor=2, patch=1).to_pylist())
    every = {f"{a}.{b}.{c}" for a in range(2) for b in range(3) for c in range(2)}
    assert drawn == every - {"0.0.0"}


def test_times_lie_between_their_bounds_on_their_steps():
    drawn = set(values.time(Stream(3), MANY, low="09:50", high="10:10", step=5).to_pylist())
    assert drawn == {"09:50", "09:55", "10:00", "10:05", "10:10"}
    assert min(values.time(Stream(3), MANY).to_pylist()) < "00:05"


def test_fillers_come_from_lists_of_the_locale():
    english = set(values.occupation(Stream(1), MANY).to_pylist())
    german = set(values.occupation(Stream(1), MANY, locale="de_DE").to_pylist())
    assert len(english) > 200 and not any("," in title for title in english)
    assert "Altenpfleger" in german and len(german & english) < 5
    with pytest.raises(InputError) as caught:
        values.occupation(Stream(1), rows(1), locale="xx_XX")
    assert "de_DE" in caught.value.hint
    assert "dark olive green" in set(values.colour(Stream(1), MANY).to_pylist())


def test_every_shipped_generator_says_truly_what_it_returns():
    params = {
        "values.integer": {"low": 1, "high": 2},
        "values.year": {"low": 1, "high": 2},
        "values.year_sequence": {"start": 1990},
        "values.number": {"low": 1, "high": 2},
        "values.date": {"low": "2001-01-01", "high": "2001-01-02"},
        "values.choice": {"options": ["a"]},
        "values.code": {"pattern": "A0"},
        "values.website": {"name": "Velmar Rovers"},
        "names.composed": {"text": "a"},
        "names.transliterated": {"of": "陈维远"},
        "names.in_chinese": {"of": "Velmar Rovers"},
        "names.short": {"of": "Velmar Rovers"},
        "names.initials": {"of": "Velmar Rovers"},
    }
    checked = [f"{kind.__name__[11:]}.{name}" for kind in (values, names) for name in kind.__all__]
    assert len(checked) > 12
    for name in checked:
        function = load(name)
        kind = typing.get_type_hints(function, include_extras=True)["return"].__metadata__[0]
        assert kind in typing.get_args(ValueKind)
        assert function(Stream(1), rows(5), **params.get(name, {})).type == ARROW_TYPES[kind], name
        assert len(function(Stream(1), rows(0), **params.get(name, {}))) == 0, name
