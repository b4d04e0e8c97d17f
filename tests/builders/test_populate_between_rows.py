"""What holds between rows: found as brute force finds it, drawn again where it can be, and told with its rows."""

import datetime

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldforge.builders.audit.check_tables import check_between_rows
from worldforge.builders.audit.finding import Finding
from worldforge.builders.populate import constraint_redraw
from worldforge.builders.populate.constraint_redraw import find_cycles, find_overlaps, find_shared
from worldforge.builders.populate.populate_stage import populate
from worldforge.builders.populate.reference_columns import draw_parents
from worldforge.builders.populate.reference_targets import Popularity
from worldforge.core.chance import Stream
from worldforge.core.errors import InputError
from worldforge.core.progress import Progress
from worldforge.schema.spec import Constraint, WorldSpec
from worldforge.world.database import connect
from worldforge.world.stable_ids import entity_ids, rows_of

KEY = st.none() | st.sampled_from(["a", "b", "c"])
WHEN = st.none() | st.integers(0, 9)
MANY = settings(max_examples=60, deadline=None)
FEW = settings(max_examples=25, deadline=None)  # of those that open a database


def broken_in_audit(constraint, **columns):
    """The rows that the audit counts as broken in a table `t`, and what it says."""
    n_rows = len(next(iter(columns.values())))
    table = pa.table({"id": entity_ids("t", np.arange(n_rows)), **columns})
    finding = Finding("constraints")
    check_between_rows(finding, connect({"t": table}), Constraint(on="t", **constraint))
    return finding


def texts(values):
    return pa.array(values, pa.string())


def years(values):
    return pa.array(values, pa.int32())


def all_of(n_rows):
    return np.ones(n_rows, bool)


def keys_of(one, other, day):
    return {(side, day) for side in (one, other) if side is not None and day is not None}


@MANY
@given(st.lists(st.tuples(KEY, KEY, WHEN, st.booleans()), max_size=12))
def test_rows_that_share_are_found_as_by_comparing_all(rows):
    ends, days = [[row[side] for row in rows] for side in (0, 1)], [row[2] for row in rows]
    movable = np.array([row[3] for row in rows], bool)
    keys = [keys_of(*row[:3]) for row in rows]
    turn = sorted(range(len(rows)), key=lambda row: (movable[row], row))
    expected = [
        row
        for place, row in enumerate(turn)
        if movable[row] and any(keys[row] & keys[earlier] for earlier in turn[:place])
    ]
    found = find_shared([[texts(ends[0]), texts(ends[1])], [years(days)]], movable)
    assert found.rows.tolist() == sorted(expected)
    assert all(keys[row] & keys[beside] for row, beside in zip(found.rows, found.beside, strict=True))


@FEW
@given(st.lists(st.tuples(KEY, KEY, WHEN), max_size=12))
def test_the_audit_finds_the_same_rows_that_share(rows):
    columns = {"source": texts([r[0] for r in rows]), "target": texts([r[1] for r in rows])}
    days = years([r[2] for r in rows])
    faults = find_shared([[columns["source"], columns["target"]], [days]], all_of(len(rows)))
    finding = broken_in_audit({"unique": [["source", "target"], "day"]}, **columns, day=days)
    assert bool(finding.n_failed) == bool(len(faults.rows))
    keys = [keys_of(*row) for row in rows]
    for line in finding.failures:
        first, second = (int(part.split(":")[0][2:]) for part in line.split(" and "))
        assert keys[first] & keys[second]


def overlap(one, other):
    """Whether two periods (owner, begin, end) of one owner have more than an edge in common."""
    if None in (one[0], other[0], one[1], other[1]) or one[0] != other[0]:
        return False
    ends = [99 if period[2] is None else period[2] for period in (one, other)]
    return not (ends[0] <= other[1] or ends[1] <= one[1])


def backwards(period):
    return None not in period and period[2] < period[1]


@FEW
@given(st.lists(st.tuples(KEY, WHEN, WHEN), max_size=10), st.booleans())
def test_periods_that_overlap_are_found_as_by_comparing_all(periods, earlier):
    whole = [period for period in periods if not backwards(period)]
    clashing = {
        row
        for row, one in enumerate(whole)
        for other in range(len(whole))
        if other != row and overlap(one, whole[other])
    }
    columns = texts([p[0] for p in whole]), years([p[1] for p in whole]), years([p[2] for p in whole])
    found = find_overlaps(*columns, all_of(len(whole)), earlier=earlier)
    assert set(found.rows) <= clashing and bool(clashing) == bool(len(found.rows))
    assert all(overlap(whole[row], whole[beside]) for row, beside in zip(found.rows, found.beside, strict=True))
    left = [one for row, one in enumerate(whole) if row not in set(found.rows)]
    assert not any(overlap(one, other) for place, one in enumerate(left) for other in left[:place])
    for row, beside in zip(found.rows, found.beside, strict=True):
        assert (whole[row][1] <= whole[beside][1]) if earlier else (whole[row][1] >= whole[beside][1])
    audited = broken_in_audit(
        {"exclusive": {"per": "owner"}}, **dict(zip(("owner", "from", "until"), columns, strict=True))
    )
    assert bool(audited.n_failed) == bool(clashing)


@FEW
@given(st.lists(st.tuples(KEY, WHEN, WHEN), max_size=8))
def test_a_period_that_ends_before_it_begins_is_broken(periods):
    columns = texts([p[0] for p in periods]), years([p[1] for p in periods]), years([p[2] for p in periods])
    wrong = {row for row, period in enumerate(periods) if backwards(period)}
    assert wrong <= set(find_overlaps(*columns, all_of(len(periods)), earlier=False).rows)
    audited = broken_in_audit(
        {"exclusive": {"per": "owner"}}, **dict(zip(("owner", "from", "until"), columns, strict=True))
    )
    assert audited.n_failed >= len(wrong)


def test_only_rows_that_may_move_are_at_fault():
    owners, begins, ends = texts(["a", "a", "a"]), years([1, 3, 20]), years([9, 5, None])
    may_move = np.array([True, False, False])
    found = find_overlaps(owners, begins, ends, may_move, earlier=False)
    assert (found.rows.tolist(), found.beside.tolist()) == ([0], [1])
    assert not len(find_overlaps(owners, begins, ends, np.array([False, False, True]), earlier=False).rows)


def test_one_period_may_begin_on_the_day_on_which_another_ends():
    days = [datetime.date(2030, 1, day) for day in (1, 5, 9)]
    found = find_overlaps(
        texts(["a", "a"]), pa.array([days[1], days[0]]), pa.array([days[2], days[1]]), all_of(2), earlier=False
    )
    assert not len(found.rows)


@FEW
@given(st.lists(st.integers(-1, 9), min_size=10, max_size=10))
def test_rows_that_come_back_are_the_knots_of_the_graph(references):
    graph = nx.DiGraph([(row, to) for row, to in enumerate(references) if to >= 0])
    expected = {node for cycle in nx.simple_cycles(graph) for node in cycle}
    assert set(find_cycles(np.array(references)).tolist()) == expected
    ids = texts([None if to < 0 else f"t/{to:04d}" for to in references])
    finding = broken_in_audit({"acyclic": "parent"}, parent=ids)
    assert finding.n_failed == len(list(nx.simple_cycles(graph)))


def integer(low, high, **more):
    return {"generator": "values.integer", "params": {"low": low, "high": high}, **more}


def firms(*constraints, n=300, seed=3, attributes=(), **columns):
    """Firms that refer to firms, and people who work for them on days."""
    tree = {
        "name": "between",
        "seed": seed,
        "types": {
            "firm": {
                "count": n,
                "name": {"generator": "names.organisation"},
                "attributes": {
                    "parent": {"references": "firm", "acyclic": True},
                    "grade": integer(1, 40),
                    **dict(attributes),
                },
                "derived": {"half": {"sql": "grade // 2"}},
            },
            "person": {"count": 120, "name": {"generator": "names.person"}},
        },
        "relations": {
            "serves": {
                "source": "person",
                "target": "firm",
                "per_source": {"low": 0, "high": 3},
                "columns": {"day": integer(1, 12), "until": integer(1, 60, missing=0.1), **columns},
            },
        },
        "constraints": list(constraints),
    }
    return populate(WorldSpec.model_validate(tree), Progress())


FREE = firms()


@pytest.mark.parametrize("more", [{}, {"missing": 0.3}, {"distribution": "zipf", "exponent": 1.2}])
@pytest.mark.parametrize("n", [1, 2, 300])
def test_an_acyclic_reference_never_comes_back(more, n):
    tables = firms(
        {"on": "firm", "acyclic": "parent"}, n=n, attributes={"parent": {"references": "firm", "acyclic": True, **more}}
    )
    parents = rows_of(tables["firm"]["parent"])
    assert nx.is_directed_acyclic_graph(nx.DiGraph([(row, to) for row, to in enumerate(parents.tolist()) if to >= 0]))
    n_null = int((parents < 0).sum())
    assert n_null == 1 if not more.get("missing") else n_null >= 1
    if n == 300 and more.get("missing"):
        assert 60 < n_null < 125
    if n == 300 and "exponent" in more:
        held = np.bincount(parents[parents >= 0], minlength=n)
        assert held.max() > 60
    if n == 300 and not more:
        assert np.bincount(parents[parents >= 0]).max() < 20


@pytest.mark.parametrize(("distribution", "exponent"), [("uniform", 1.0), ("zipf", 1.0), ("zipf", 2.0)])
def test_acyclic_references_spread_as_popularity_says(distribution, exponent):
    """Of five rows, the last in rank refers to each of the others as often as its weight says."""
    counts = np.zeros(5)
    for seed in range(600):
        stream = Stream(seed).child("t", "parent")
        popularity = Popularity.draw(stream, 5, distribution, exponent)
        ids = entity_ids("t", np.arange(5))
        drawn = rows_of(draw_parents(ids, popularity, stream, np.arange(5)))
        rank = np.argsort(popularity.order)
        assert drawn[popularity.order[0]] == -1 and all(rank[drawn[drawn >= 0]] < rank[drawn >= 0])
        counts[rank[drawn[popularity.order[4]]]] += 1
    weights = np.arange(1, 5) ** -exponent if distribution == "zipf" else np.ones(4)
    assert np.allclose(counts[:4] / 600, weights / weights.sum(), atol=0.06)


def test_a_free_reference_comes_back_and_is_told():
    with pytest.raises(InputError) as caught:
        firms({"on": "firm", "acyclic": "owner"}, attributes={"owner": {"references": "firm"}})
    first, *shown = caught.value.message.splitlines()
    assert first.startswith("firm: ") and "of 300 rows break the constraint `acyclic: owner`:" in first
    assert shown[0].startswith("  firm/0") and "owner = firm/0" in shown[0]


def test_what_rows_share_is_told_with_both_rows():
    with pytest.raises(InputError, match=r"rows break the constraint `unique: \[target, day\]`:\n  serves/") as caught:
        firms({"on": "serves", "unique": ["target", "day"]}, n=20)
    line = caught.value.message.splitlines()[1]
    row, other = int(line.split("/")[1][:4]), int(line.rpartition("/")[2].rstrip(")"))
    table = firms(n=20)["serves"].select(["target", "day"]).to_pylist()
    assert "(beside serves/" in line and other < row and table[row] == table[other]


def test_rows_that_share_are_drawn_again_and_no_others():
    kept = firms({"on": "serves", "unique": ["target", "day"], "redraw": "day"}, n=100)["serves"]
    pairs = list(zip(kept["target"].to_pylist(), kept["day"].to_pylist(), strict=True))
    assert len(set(pairs)) == len(pairs)
    free = firms(n=100)["serves"]
    seen, first = set(), []
    for row, pair in enumerate(zip(free["target"].to_pylist(), free["day"].to_pylist(), strict=True)):
        first += [row] if pair not in seen else []
        seen.add(pair)
    before, after = (one["day"].to_numpy()[first] for one in (free, kept))
    assert len(first) < free.num_rows and (before == after).mean() > 0.9
    assert kept.drop_columns(["day"]) == free.drop_columns(["day"])


def test_a_derived_column_may_be_unique_by_drawing_what_it_is_made_of():
    kept = firms({"on": "firm", "unique": ["half"], "redraw": "grade"}, n=15)["firm"]
    assert len(set(kept["half"].to_pylist())) == 15


def test_what_cannot_be_unique_is_told_after_the_last_attempt(monkeypatch):
    monkeypatch.setattr(constraint_redraw, "ATTEMPTS", 20)
    with pytest.raises(InputError, match=r"`unique: \[grade\]` after `grade` was drawn 20 times again"):
        firms({"on": "firm", "unique": ["grade"], "redraw": "grade"}, n=60)


def nothing_overlaps(table, owner):
    rows = table.select([owner, "day", "until"]).to_pylist()
    held = [(row[owner], row["day"], row["until"]) for row in rows]
    return not any(overlap(one, other) for place, one in enumerate(held) for other in held[:place])


PERIOD = {"day": integer(1, 1000), "until": integer("= day + 1", "= day + 200")}


def test_ends_of_periods_are_drawn_again_until_none_overlaps():
    period = {"per": "target", "begin": "day", "end": "until"}
    assert not nothing_overlaps(firms(**PERIOD)["serves"], "target")
    kept = firms({"on": "serves", "exclusive": period, "redraw": "until"}, **PERIOD)
    assert nothing_overlaps(kept["serves"], "target")


def test_owners_of_periods_are_drawn_again_until_none_overlaps():
    period = {"per": "owner", "begin": "day", "end": "until"}
    columns = {**PERIOD, "owner": {"references": "firm", "missing": 0.1}}
    kept = firms({"on": "firm", "exclusive": period, "redraw": "owner"}, attributes=columns)
    assert nothing_overlaps(kept["firm"], "owner")
    assert not nothing_overlaps(firms(attributes=columns)["firm"], "owner")
