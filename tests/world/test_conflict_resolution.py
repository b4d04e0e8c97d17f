"""The rules by which a reader settles what pages disagree on, against the same rules said row by row."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from worldforge.world.conflict_resolution import latest_is_true, majority_is_true

STATEMENTS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 5), st.integers(0, 2), st.integers(0, 3), st.integers(-1, 2)),
    max_size=30,
)
"""Of a fact, by a page, of an authority, on a day, a value: -1 is the true one."""


def columns(statements):
    facts, page, authority, day, value = np.array(statements, np.int64).reshape(-1, 5).T
    return facts, page, authority.astype(float), day, value


@given(STATEMENTS)
def test_the_last_of_most_authority_is_right_or_not(statements):
    facts, _, authority, day, value = columns(statements)
    found = latest_is_true(facts, authority, day, value == -1, 4)
    for fact in range(4):
        own = [(a, d, v) for f, _, a, d, v in statements if f == fact]
        top = max(((a, d) for a, d, _ in own), default=None)
        assert found[fact] == (bool(own) and all(v == -1 for a, d, v in own if (a, d) == top))


@given(STATEMENTS)
def test_most_pages_agree_or_not(statements):
    facts, page, _, _, value = columns(statements)
    found = majority_is_true(facts, page, value, 4)
    for fact in range(4):
        pages = {v: len({p for f, p, _, _, own in statements if f == fact and own == v}) for v in range(-1, 3)}
        assert found[fact] == (pages[-1] > max(pages[v] for v in range(3)))
