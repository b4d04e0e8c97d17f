"""A draw belongs to its seed, path and row; streams know nothing of one another; permutations are bijections."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from worldforge.core.chance import Stream

seeds = st.integers(0, 2**63 - 1)


@given(seeds, st.lists(st.integers(0, 5000), min_size=1, max_size=50))
def test_a_row_gets_the_same_draw_whoever_asks(seed, rows):
    stream = Stream(seed).child("club", "founded")
    whole = stream.bits(np.arange(5001))
    assert stream.bits(np.array(rows)).tolist() == whole[rows].tolist()


@given(seeds, st.integers(0, 300))
def test_the_first_rows_get_the_draws_that_they_get_by_number(seed, n):
    stream = Stream(seed, "a path")
    assert stream.first_bits(n).tolist() == stream.bits(np.arange(n)).tolist()
    assert stream.first_uniform(n).tolist() == stream.uniform(np.arange(n)).tolist()


@given(seeds, st.integers(1, 3000))
def test_a_permutation_gives_each_row_a_place_of_its_own(seed, size):
    places = Stream(seed).permutation(np.arange(size), size)
    assert sorted(places.tolist()) == list(range(size))


@given(seeds, st.integers(-50, 50), st.integers(0, 40))
def test_integers_stay_in_their_bounds_and_reach_them(seed, low, width):
    drawn = Stream(seed).integers(np.arange(2000), low, low + width)
    assert drawn.min() == low and drawn.max() == low + width


def test_known_draws():
    """The streams of a world on disk must not move: these values were drawn by the first version."""
    drawn = Stream(7).child("club", "founded").bits(np.array([0, 1, 31])).tolist()
    assert drawn == [1883905750093115687, 7843500588714199774, 5676483929435583091]


def test_paths_are_independent_also_between_a_row_and_its_double():
    rows = np.arange(10_000)
    first, second = Stream(1).child("a").uniform(rows), Stream(1).child("b").uniform(rows)
    for left, right in [
        (first, second),
        (first[:-1], first[1:]),
        (first[:5000], first[rows[:5000] * 2]),
        (first[:4999], first[rows[:4999] * 2 + 1]),
        (first, Stream(2).child("a").uniform(rows)),
    ]:
        assert abs(np.corrcoef(left, right)[0, 1]) < 0.05
        assert mutual_information(left, right) < 0.02


def mutual_information(left, right, bins=8):
    """Mutual information of two samples over a grid, in nats; chance alone gives about (bins-1)^2 / 2n."""
    joint = np.histogram2d(left, right, bins=bins)[0] / len(left)
    chance = joint.sum(1, keepdims=True) * joint.sum(0, keepdims=True)
    seen = joint > 0
    return float((joint[seen] * np.log(joint[seen] / chance[seen])).sum())
