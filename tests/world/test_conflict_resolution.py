"""The rules by which a reader settles what pages disagree on, against the same rules said row by row."""

import datetime

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldforge.world.conflict_resolution import find_conflicts

PAGES = st.lists(st.tuples(st.integers(0, 2), st.integers(1, 4)), min_size=6, max_size=6)
"""Of each page, the authority of its kind and the day of publication."""
STATEMENTS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5), st.integers(-1, 2)), max_size=30)
"""Of a fact, by a page, a value: -1 is the true one."""


@pytest.mark.parametrize("rule", ["date", "authority", "majority"])
@settings(max_examples=40, deadline=None)
@given(pages=PAGES, statements=STATEMENTS)
def test_a_rule_settles_what_it_says(rule, pages, statements):
    mentions = pa.table(
        {
            "page": pa.array([f"page/{page:06d}" for _, page, _ in statements], pa.string()),
            "fact": pa.array([f"club/{fact:04d}#founded" for fact, _, _ in statements], pa.string()),
            "stance": pa.array(["current" if value < 0 else "mistaken" for *_, value in statements], pa.string()),
            "value": pa.array([str(value) for *_, value in statements], pa.string()),
        }
    )
    dates = [datetime.date(2030, 1, day) for _, day in pages]
    table = pa.table({"kind": [f"kind{weight}" for weight, _ in pages], "published": pa.array(dates)})
    found = find_conflicts(mentions, table, {f"kind{weight}": float(weight) for weight in range(3)}, rule)
    for fact in range(4):
        own = [(page, value) for other, page, value in statements if other == fact]
        contested = any(value >= 0 for _, value in own)
        assert (f"club/{fact:04d}#founded" in found.contested) == contested
        unsettled = contested and not settled(rule, pages, own)
        assert (f"club/{fact:04d}#founded" in found.unsettled) == unsettled


def settled(rule, pages, own):
    if rule == "majority":
        n_pages = {value: len({page for page, other in own if other == value}) for value in range(-1, 3)}
        return n_pages[-1] > max(n_pages[value] for value in range(3))
    places = [((pages[page][0] if rule == "authority" else 0, pages[page][1]), value) for page, value in own]
    top = max(place for place, _ in places)
    return all(value == -1 for place, value in places if place == top)
