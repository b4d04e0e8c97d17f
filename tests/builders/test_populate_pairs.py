"""Pairs: all of a group meet one another as often as they should, once a round, at fair sides."""

import collections

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldforge.builders.populate.populate_stage import populate
from worldforge.builders.populate.relation_rows import count_meetings, draw_meetings
from worldforge.core.chance import Stream
from worldforge.core.errors import InputError
from worldforge.core.progress import Progress
from worldforge.schema.spec import WorldSpec
from worldforge.world.stable_ids import rows_of

SIZES = st.lists(st.integers(0, 9), min_size=1, max_size=5)


def drawn(sizes, legs, seed=1, unpaired=2):
    """Draw meetings in groups of these sizes: the group of each entity, and (source, target, round) a row."""
    groups = np.repeat(np.arange(-1, len(sizes)), [unpaired, *sizes])
    groups = groups[np.argsort(Stream(seed).child("mixed").bits(np.arange(len(groups))), kind="stable")]
    met = draw_meetings(Stream(seed), groups, legs)
    assert count_meetings(groups, legs) == len(met.sources)
    return groups.tolist(), list(zip(*(column.tolist() for column in met), strict=True))


@given(SIZES, st.integers(1, 3), st.integers(0, 50))
def test_all_of_a_group_meet_as_often_as_there_are_legs(sizes, legs, seed):
    groups, met = drawn(sizes, legs, seed)
    times = collections.Counter(frozenset((one, other)) for one, other, _ in met)
    due = {
        frozenset((one, other)): legs
        for one in range(len(groups))
        for other in range(one)
        if groups[one] == groups[other] >= 0
    }
    assert times == due


@given(SIZES, st.integers(1, 3))
def test_nobody_meets_two_in_a_round_and_no_round_is_wasted(sizes, legs):
    groups, met = drawn(sizes, legs)
    seen = [(entity, number) for one, other, number in met for entity in (one, other)]
    assert len(set(seen)) == len(seen)
    for group, size in enumerate(sizes):
        rounds = {number for one, _, number in met if groups[one] == group}
        n_rounds = (size - 1) | 1 if size > 1 else 0
        assert rounds == set(range(1, legs * n_rounds + 1))


@given(SIZES, st.integers(1, 4))
def test_sides_change_from_leg_to_leg_and_are_shared_within_one(sizes, legs):
    groups, met = drawn(sizes, legs)
    leg_of = [(number - 1) // ((sizes[groups[one]] - 1) | 1) for one, _, number in met]
    sides = {(frozenset((one, other)), leg): one < other for (one, other, _), leg in zip(met, leg_of, strict=True)}
    assert all(sides[pair, leg - 1] != first for (pair, leg), first in sides.items() if leg)
    homes = collections.Counter((one, leg) for (one, _, _), leg in zip(met, leg_of, strict=True))
    aways = collections.Counter((other, leg) for (_, other, _), leg in zip(met, leg_of, strict=True))
    assert all(abs(homes[key] - aways[key]) <= 1 for key in homes | aways)


def test_rows_are_ordered_by_source_then_round_and_drawn_by_the_seed():
    _, met = drawn([6, 5], 2)
    assert [(one, number) for one, _, number in met] == sorted((one, number) for one, _, number in met)
    assert drawn([6, 5], 2) == drawn([6, 5], 2)
    assert draw_meetings(Stream(2), np.zeros(6, int), 1).targets.tolist() != [
        *draw_meetings(Stream(3), np.zeros(6, int), 1).targets.tolist()
    ]


def test_a_group_is_paired_alike_whatever_other_groups_there_are():
    few = draw_meetings(Stream(5), np.array([0, 0, 0, 0, 0]), 2)
    many = draw_meetings(Stream(5), np.array([0, 0, 0, 0, 0, 1, 1, 1]), 2)
    assert all((one == other[many.sources < 5]).all() for one, other in zip(few, many, strict=True))


def leagues(*, club_count=20, legs=2, within="league", missing=0.2, columns=None, **more):
    return {
        "name": "leagues",
        "seed": 4,
        "types": {
            "country": {"count": 2, "name": {"generator": "names.region"}},
            "league": {
                "count": 4,
                "name": {"generator": "names.place"},
                "attributes": {"country": {"references": "country"}},
            },
            "club": {
                "count": club_count,
                "name": {"generator": "names.town"},
                "attributes": {"league": {"references": "league", "missing": missing}},
                "derived": {
                    "wins": {"over": "match", "sql": "count(*) filter (where goals > against)"},
                    "away": {"over": "match.target", "sql": "count(*)"},
                    "last": {"over": "match", "sql": "max(round)"},
                },
            },
            **more,
        },
        "relations": {
            "match": {
                "source": "club",
                "target": "club",
                "pairs": {"legs": legs} | ({"within": within} if within else {}),
                "columns": {
                    "goals": {"generator": "values.integer", "params": {"low": 0, "high": 5}},
                    "against": {"generator": "values.integer", "params": {"low": 0, "high": "= round + 1"}},
                }
                | (columns or {}),
            }
        },
    }


def made(tree):
    return populate(WorldSpec.model_validate(tree), Progress())


def groups_and_pairs(tables):
    league = dict(zip(tables["club"]["id"].to_pylist(), tables["club"]["league"].to_pylist(), strict=True))
    return league, list(zip(*(tables["match"][end].to_pylist() for end in ("source", "target")), strict=True))


def test_a_world_pairs_within_a_reference_and_leaves_out_those_without():
    tables = made(leagues())
    assert tables["match"].column_names == ["id", "source", "target", "round", "goals", "against"]
    league, pairs = groups_and_pairs(tables)
    assert None in league.values()
    wanted = {(a, b) for a in league for b in league if a != b and league[a] == league[b] is not None}
    assert len(pairs) == len(set(pairs)) and set(pairs) == wanted
    assert (tables["match"]["against"].to_numpy() <= tables["match"]["round"].to_numpy() + 1).all()
    assert tables["club"]["away"].to_pylist() == [sum(b == club for _, b in pairs) for club in league]


def test_a_path_may_lead_over_several_references():
    tables = made(leagues(within="league.country", missing=0.0, legs=1))
    league, pairs = groups_and_pairs(tables)
    country = dict(zip(tables["league"]["id"].to_pylist(), tables["league"]["country"].to_pylist(), strict=True))
    sizes = collections.Counter(country[one] for one in league.values()).values()
    assert len(pairs) == sum(size * (size - 1) // 2 for size in sizes)


@pytest.mark.parametrize("club_count", [1, 2, 3])
def test_small_worlds_have_tables_too(club_count):
    match = made(leagues(club_count=club_count, within=None, legs=3))["match"]
    assert match.num_rows == 3 * club_count * (club_count - 1) // 2
    assert match.schema.field("round").type == "int64"


def test_other_tables_and_columns_change_nothing():
    before = made(leagues())["match"]
    other = {"ship": {"count": 7, "name": {"generator": "names.place"}}}
    after = made(leagues(columns={"crowd": {"generator": "values.integer", "params": {"low": 1, "high": 9}}}, **other))
    assert after["match"].drop_columns(["crowd"]) == before


def test_more_rows_than_a_table_can_have_are_refused():
    tree = leagues(club_count=100_000, missing=0.0)
    tree["types"]["league"]["count"] = 1
    tree["types"]["club"]["name"] = {"generator": "names.person"}
    with pytest.raises(InputError, match="match: 9,999,900,000 rows are more than a table can have") as raised:
        made(tree)
    assert "within" in raised.value.hint


def test_ends_are_those_of_ids():
    tables = made(leagues())
    assert rows_of(tables["match"]["source"]).max() < 20
