"""Who refers to whom: capacities, distinct pairs, cardinalities and popularity, for any numbers that can hold."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from worldforge.builders.populate import populate
from worldforge.builders.references import Limits, Popularity, choose_slots, choose_targets
from worldforge.core.chance import Stream
from worldforge.core.errors import InputError, RowsError
from worldforge.core.progress import Silent
from worldforge.schema.spec import WorldSpec
from worldforge.world.ids import rows_of

SPREADS = st.sampled_from(["uniform", "zipf"])
SEEDS = st.integers(0, 2**63 - 1)


def rows(n):
    return np.arange(n, dtype=np.int64)


def one_after_another(share, popularity, room, owners, barred):
    """Let rows choose in turn, each the first of its list that is free: what `choose_targets` must come to."""
    left, taken, chosen = room.copy(), set(), []
    for row, number in enumerate(share):
        for place in range(8 + len(popularity.order)):
            target = int(popularity.choice(np.array([number]), np.array([place]))[0])
            if left[target] and (owners[row], target) not in taken and target != barred[row]:
                break
        else:
            return None
        left[target] -= 1
        taken.add((owners[row], target))
        chosen.append(target)
    return chosen


@settings(max_examples=150)
@given(
    seed=SEEDS,
    spread=SPREADS,
    room=st.lists(st.integers(0, 4), min_size=1, max_size=12),
    owners=st.lists(st.integers(0, 8), max_size=24),
)
def test_all_at_once_is_as_one_after_another(seed, spread, room, owners):
    room, owners = np.array(room, np.int64), np.sort(np.array(owners, np.int64))
    stream = Stream(seed)
    popularity = Popularity.draw(stream, len(room), spread, 1.0)
    limits = Limits(room=room, owners=owners, barred=owners)
    expected = one_after_another(stream.uniform(rows(len(owners))), popularity, room, owners, owners)
    if expected is None:
        with pytest.raises(RowsError):
            choose_targets(stream, rows(len(owners)), popularity, limits)
    else:
        assert choose_targets(stream, rows(len(owners)), popularity, limits).tolist() == expected


@given(seed=SEEDS, spread=SPREADS, n_targets=st.integers(1, 40), capacity=st.integers(1, 5), fill=st.floats(0, 1))
def test_capacity_holds_to_the_last_place(seed, spread, n_targets, capacity, fill):
    n_rows = round(n_targets * capacity * fill)
    popularity = Popularity.draw(Stream(seed), n_targets, spread, 1.5)
    room = np.full(n_targets, capacity)
    chosen = choose_targets(Stream(seed), rows(n_rows), popularity, Limits(room=room))
    slots = choose_slots(Stream(seed), n_rows, n_targets, capacity)
    for targets in (chosen, slots):
        assert len(targets) == n_rows
        assert np.bincount(targets, minlength=n_targets).max(initial=0) <= capacity


@given(seed=SEEDS, spread=SPREADS, n_targets=st.integers(2, 30), n_first=st.integers(0, 50))
def test_later_rows_change_no_earlier_choice(seed, spread, n_targets, n_first):
    popularity = Popularity.draw(Stream(seed), n_targets, spread, 1.0)
    limits = Limits(room=np.full(n_targets, 60 // n_targets + 1))
    chosen = choose_targets(Stream(seed), rows(60), popularity, limits)
    assert (choose_targets(Stream(seed), rows(n_first), popularity, limits) == chosen[:n_first]).all()


def test_popularity_follows_zipf_over_targets_in_an_order_of_its_own():
    popularity = Popularity.draw(Stream(4), 50, "zipf", 1.0)
    counts = np.bincount(choose_targets(Stream(4), rows(200_000), popularity, Limits()), minlength=50)
    ranked = counts[popularity.order]
    expected = 200_000 / np.arange(1, 51) / (1 / np.arange(1, 51)).sum()
    assert np.abs(ranked / expected - 1).max() < 0.1
    firsts = {int(Popularity.draw(Stream(seed), 50, "zipf", 1.0).order[0]) for seed in range(40)}
    assert len(firsts) > 15


def test_uniform_references_are_even():
    popularity = Popularity.draw(Stream(4), 20, "uniform", 1.0)
    counts = np.bincount(choose_targets(Stream(4), rows(100_000), popularity, Limits()))
    assert np.abs(counts / 5000 - 1).max() < 0.06


def relation(n_sources, n_targets, seed=1, same=False, **keys):
    """Populate one relation; return source rows, target rows."""
    name = {"generator": "names.person"}
    target = "a" if same else "b"
    tree = {
        "name": "pairs",
        "seed": seed,
        "types": {"a": {"count": n_sources, "name": name}, "b": {"count": n_targets, "name": name}},
        "relations": {"knows": {"source": "a", "target": target, **keys}},
    }
    table = populate(WorldSpec.model_validate(tree), Silent())["knows"]
    return rows_of(table["source"]), rows_of(table["target"])


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 1000),
    spread=SPREADS,
    n_sources=st.integers(1, 25),
    n_targets=st.integers(4, 25),
    low=st.integers(0, 3),
    more=st.integers(0, 2),
    spare=st.integers(2, 9),
    same=st.booleans(),
)
def test_cardinalities_hold_and_pairs_are_distinct(seed, spread, n_sources, n_targets, low, more, spare, same):
    n_reached = n_sources if same else n_targets
    assume(low + more < n_reached)
    high = n_sources * (low + more) // n_reached + spare
    least = max(0, n_sources * low // n_reached - 1)
    sources, targets = relation(
        n_sources,
        n_targets,
        seed,
        same,
        distribution=spread,
        per_source={"low": low, "high": low + more},
        per_target={"low": least, "high": max(high, n_sources)},
    )
    per_source = np.bincount(sources, minlength=n_sources)
    per_target = np.bincount(targets, minlength=n_reached)
    assert low <= per_source.min() and per_source.max() <= low + more
    assert least <= per_target.min() and per_target.max() <= max(high, n_sources)
    assert len(set(zip(sources, targets, strict=True))) == len(sources)
    assert (np.diff(sources) >= 0).all()
    assert not same or (sources != targets).all()


def test_every_source_may_meet_every_target():
    sources, targets = relation(9, 6, per_source={"low": 6, "high": 6}, distribution="zipf", exponent=3.0)
    assert sorted(zip(sources, targets, strict=True)) == [(s, t) for s in range(9) for t in range(6)]


def test_pairs_may_repeat_where_they_need_not_be_distinct():
    sources, targets = relation(40, 3, per_source={"low": 5, "high": 5}, distinct=False)
    assert len(set(zip(sources, targets, strict=True))) < len(sources) == 200


def test_every_target_gets_its_least_though_few_are_popular():
    _, targets = relation(
        200, 50, per_source={"low": 2, "high": 2}, per_target={"low": 8, "high": 9}, distribution="zipf", exponent=2.5
    )
    assert np.bincount(targets).tolist() == [8] * 50


def test_a_relation_without_rows_is_a_table_without_rows():
    sources, targets = relation(5, 5, per_source={"low": 0, "high": 0})
    assert len(sources) == len(targets) == 0


@pytest.mark.parametrize(
    ("same", "keys", "said"),
    [
        (False, {"per_source": {"low": 1, "high": 8}}, r"has [78] targets, but there are only 6 × `b`"),
        (True, {"per_source": {"low": 30, "high": 30}}, "has 30 targets, but there are only 29 × `a`"),
        (
            False,
            {"per_source": {"low": 1, "high": 1}, "per_target": {"low": 6, "high": 30}},
            "30 rows and 6 × `b` do not go with a `per_target.low` of 6",
        ),
    ],
)
def test_impossible_cardinalities_are_explained(same, keys, said):
    with pytest.raises(InputError, match=said):
        relation(30, 6, same=same, **keys)


def test_an_entity_alone_of_its_type_has_nobody_to_refer_to():
    tree = {
        "name": "alone",
        "types": {
            "hermit": {
                "count": 1,
                "name": {"generator": "names.person"},
                "attributes": {"friend": {"references": "hermit"}},
            }
        },
    }
    with pytest.raises(InputError, match=r"hermit.friend: 1 of 1 rows find none of the 1 targets free:\n  hermit/0000"):
        populate(WorldSpec.model_validate(tree), Silent())
