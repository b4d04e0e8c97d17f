"""Who refers to whom: capacities, distinct pairs, cardinalities and popularity, for any numbers that can hold."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from worldforge.builders.populate.populate_stage import populate
from worldforge.builders.populate.reference_targets import Popularity, TargetLimits, choose_targets, place_rows
from worldforge.core.chance import Stream
from worldforge.core.errors import InputError
from worldforge.core.progress import Progress
from worldforge.schema.spec import WorldSpec
from worldforge.world.stable_ids import rows_of

SPREADS = st.sampled_from(["uniform", "zipf"])
SEEDS = st.integers(0, 2**63 - 1)


def rows(n):
    return np.arange(n, dtype=np.int64)


def one_after_another(share, popularity, room, owners, barred):
    """Let rows choose in turn, each the first of its list that is free: what `choose_targets` must come to."""
    left, taken, chosen = room.copy(), set(), []
    for row, number in enumerate(share):
        for turn in range(8 + len(popularity.order)):
            target = int(popularity.choice(np.array([number]), np.array([turn]))[0])
            if left[target] and (owners[row], target) not in taken and target != barred[row]:
                break
        else:
            chosen.append(len(room))
            continue
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
    limits = TargetLimits(room=room, owners=owners, barred=owners)
    expected = one_after_another(stream.uniform(rows(len(owners))), popularity, room, owners, owners)
    assert choose_targets(stream, rows(len(owners)), popularity, limits).tolist() == expected


@given(seed=SEEDS, spread=SPREADS, n_targets=st.integers(1, 40), capacity=st.integers(1, 5), fill=st.floats(0, 1))
def test_capacity_holds_to_the_last_place(seed, spread, n_targets, capacity, fill):
    n_rows = round(n_targets * capacity * fill)
    popularity = Popularity.draw(Stream(seed), n_targets, spread, 1.5)
    room = np.full(n_targets, capacity)
    chosen = choose_targets(Stream(seed), rows(n_rows), popularity, TargetLimits(room=room))
    assert len(chosen) == n_rows
    counts = np.bincount(chosen, minlength=n_targets)
    assert len(counts) == n_targets and counts.max() <= capacity


@given(seed=SEEDS, spread=SPREADS, n_targets=st.integers(2, 30), n_first=st.integers(0, 50))
def test_later_rows_change_no_earlier_choice(seed, spread, n_targets, n_first):
    popularity = Popularity.draw(Stream(seed), n_targets, spread, 1.0)
    limits = TargetLimits(room=np.full(n_targets, 60 // n_targets + 1))
    chosen = choose_targets(Stream(seed), rows(60), popularity, limits)
    assert (choose_targets(Stream(seed), rows(n_first), popularity, limits) == chosen[:n_first]).all()


def test_popularity_follows_zipf_over_targets_in_an_order_of_its_own():
    popularity = Popularity.draw(Stream(4), 50, "zipf", 1.0)
    counts = np.bincount(choose_targets(Stream(4), rows(200_000), popularity, TargetLimits()), minlength=50)
    ranked = counts[popularity.order]
    expected = 200_000 / np.arange(1, 51) / (1 / np.arange(1, 51)).sum()
    assert np.abs(ranked / expected - 1).max() < 0.1
    firsts = {int(Popularity.draw(Stream(seed), 50, "zipf", 1.0).order[0]) for seed in range(40)}
    assert len(firsts) > 15


def test_uniform_references_are_even():
    popularity = Popularity.draw(Stream(4), 20, "uniform", 1.0)
    counts = np.bincount(choose_targets(Stream(4), rows(100_000), popularity, TargetLimits()))
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
    table = populate(WorldSpec.model_validate(tree), Progress())["knows"]
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


def test_no_source_has_more_targets_than_there_are():
    sources, _ = relation(40, 3, per_source={"low": 1, "high": 10**30}, per_target={"low": 0, "high": 10**30})
    assert set(np.bincount(sources)) == {1, 2, 3}


def test_pairs_may_repeat_where_they_need_not_be_distinct():
    sources, targets = relation(40, 3, per_source={"low": 5, "high": 5}, distinct=False)
    assert len(set(zip(sources, targets, strict=True))) < len(sources) == 200


@pytest.mark.parametrize("spread", ["uniform", "zipf"])
def test_a_full_house_seats_everybody_and_nobody_twice(spread):
    popularity = Popularity.draw(Stream(5), 1200, spread, 1.2)
    owners = np.repeat(rows(1200), 3)
    limits = TargetLimits(room=np.full(1200, 3), owners=owners, barred=owners)
    assert (choose_targets(Stream(5), rows(3600), popularity, limits) == 1200).any()  # else nothing is exchanged
    seats = place_rows(Stream(5), rows(3600), popularity, limits)
    assert np.bincount(seats).tolist() == [3] * 1200
    assert len(np.unique(owners * 1200 + seats)) == 3600 and (owners != seats).all()


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
        (False, {"per_source": {"low": 7, "high": 8}}, "30 of 210 rows find no `b` that is free"),
        (True, {"per_source": {"low": 30, "high": 30}}, "30 of 900 rows find no `a` that is free"),
        (False, {"per_source": {"low": 10**9, "high": 10**9}, "distinct": False}, "more than a table can have"),
        (
            False,
            {"per_source": {"low": 1, "high": 1}, "per_target": {"low": 6, "high": 30}},
            "6 rows are missing to give every `b` its `per_target.low` of 6",
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
    with pytest.raises(InputError, match=r"hermit.friend: 1 of 1 rows find no `hermit` that is free:\n  hermit/0000"):
        populate(WorldSpec.model_validate(tree), Progress())


def test_a_capacity_beyond_all_counting_is_no_limit():
    tree = {
        "name": "wide",
        "types": {
            "a": {
                "count": 9,
                "name": {"generator": "names.person"},
                "attributes": {"b": {"references": "b", "capacity": 10**30}},
            },
            "b": {"count": 2, "name": {"generator": "names.person"}},
        },
    }
    assert populate(WorldSpec.model_validate(tree), Progress())["a"]["b"].null_count == 0


def test_columns_of_a_relation_without_rows_are_empty_too():
    year = {"generator": "values.year", "params": {"low": "= 2000 + length(source.name)", "high": 2031}}
    name = {"generator": "names.person"}
    knows = {"source": "a", "target": "a", "per_source": {"low": 0, "high": 0}, "columns": {"since": year}}
    tree = {"name": "none", "types": {"a": {"count": 4, "name": name}}, "relations": {"knows": knows}}
    table = populate(WorldSpec.model_validate(tree), Progress())["knows"]
    assert table.num_rows == 0 and str(table.schema.field("since").type) == "int32"
