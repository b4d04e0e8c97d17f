"""Ranks and firsts in groups, against a plain loop."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from worldforge.core.arrays import first_in_group, rank_in_group

GROUPS = st.lists(st.integers(-3, 6), max_size=60)


@given(GROUPS)
def test_ranks_count_the_earlier_rows_of_the_group(groups):
    expected = [groups[:place].count(group) for place, group in enumerate(groups)]
    assert rank_in_group(np.array(groups, np.int64)).tolist() == expected


@given(GROUPS)
def test_firsts_are_where_the_group_begins(groups):
    assert first_in_group(np.array(groups, np.int64)).tolist() == [groups.index(group) for group in groups]
