"""Series: rows of one owner follow one another, and columns may follow from the row before."""

import collections
import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldforge.builders.populate import constraint_redraw
from worldforge.builders.populate.populate_stage import populate
from worldforge.core.errors import InputError
from worldforge.core.progress import Progress
from worldforge.schema.column_dependencies import creation_steps, cycles, dependency_graph
from worldforge.schema.spec import WorldSpec


def year(low, high, **more):
    return {"generator": "values.year", "params": {"low": low, "high": high}, **more}


def number(low, high, **more):
    return {"generator": "values.number", "params": {"low": low, "high": high, "decimals": 2}, **more}


TENURE = {
    "from": year("= coalesce(previous.until, 1900)", "= coalesce(previous.until, 1900) + 5"),
    "until": year("= from + 1", "= from + 9"),
}
PRICES = {"price": number("= coalesce(previous.price * 0.9, 100)", "= coalesce(previous.price * 1.1, 200)")}


def tree(relation, *, constraints=(), seed=5, types=None):
    return {
        "name": "firms",
        "seed": seed,
        "types": {
            "person": {"count": 40, "name": {"generator": "names.person"}},
            "firm": {"count": 8, "name": {"generator": "names.place"}, "attributes": {"founded": year(1880, 1890)}},
            "city": {"count": 5, "name": {"generator": "names.town"}},
        }
        | (types or {}),
        "relations": {
            "leads": {"source": "person", "target": "firm", "per_source": {"low": 0, "high": 3}, "series": "target"}
            | relation
        },
        "constraints": list(constraints),
    }


def made(*args, **how):
    return populate(WorldSpec.model_validate(tree(*args, **how)), Progress())


def by_owner(table, owner):
    """Gather the rows of each owner, by position."""
    found = collections.defaultdict(list)
    for row in table.to_pylist():
        found[row[owner]].append(row)
    return [sorted(rows, key=lambda row: row["position"]) for rows in found.values()]


def walked(table, owner):
    """Yield each row with the one before it, None for the first; positions and `previous` must agree with it."""
    for rows in by_owner(table, owner):
        assert [row["position"] for row in rows] == list(range(1, len(rows) + 1))
        for before, row in zip([None, *rows], rows, strict=False):
            assert row["previous"] == (before and before["id"])
            yield before, row


def test_periods_follow_one_another():
    table = made({"columns": TENURE})["leads"]
    assert table.column_names == ["id", "source", "target", "position", "previous", "from", "until"]
    assert table["source"].to_pylist() == sorted(table["source"].to_pylist())
    pairs = list(walked(table, "target"))
    assert any(before for before, _ in pairs)
    for before, row in pairs:
        assert (before["until"] if before else 1900) <= row["from"] < row["until"]


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 1000),
    st.sampled_from(["source", "target"]),
    st.booleans(),
    st.integers(0, 3),
    st.integers(0, 4),
)
def test_whatever_the_shape_positions_count_on_and_prices_move_little(seed, owner, distinct, low, more):
    relation = {"series": owner, "distinct": distinct, "per_source": {"low": low, "high": low + more}}
    tables = made(relation | {"columns": PRICES}, seed=seed)
    other = {"source": "target", "target": "source"}[owner]
    for before, row in walked(tables["leads"], owner):
        low_price, high_price = (before["price"] * 0.9, before["price"] * 1.1) if before else (100, 200)
        assert low_price - 0.01 <= row["price"] <= high_price + 0.01
        assert not (before and distinct) or before[other] < row[other]


@pytest.mark.parametrize("target", ["city", "person"])
def test_a_source_that_has_all_targets_has_them_in_their_order(target):
    relation = {"target": target, "series": "source", "per_source": {"low": 5, "high": 50}, "columns": PRICES}
    if target == "person":
        relation["per_source"] = {"low": 39, "high": 39}
    tables = made(relation)
    people = tables["person"]["id"].to_pylist()
    for rows in by_owner(tables["leads"], "source"):
        assert [row["target"] for row in rows] == [
            one for one in tables[target]["id"].to_pylist() if one != rows[0]["source"]
        ]
    assert len(people) == len(by_owner(tables["leads"], "source"))


def test_what_needs_no_previous_is_drawn_as_without_a_series():
    plain = {"mood": {"generator": "values.choice", "params": {"options": ["low", "high"]}}}
    with_series = made({"columns": TENURE | plain, "distinct": False})["leads"]
    without = made({"columns": plain, "distinct": False, "series": None})["leads"]
    assert with_series.select(["id", "source", "target", "mood"]) == without


def test_other_types_and_columns_change_nothing():
    more = {"ship": {"count": 3, "name": {"generator": "names.place"}}}
    columns = TENURE | {"mood": {"generator": "values.boolean"}}
    assert made({"columns": columns}, types=more)["leads"].drop_columns(["mood"]) == made({"columns": TENURE})["leads"]


def test_constraints_hold_from_row_to_row_and_are_settled_position_by_position():
    columns = {
        "from": year("= coalesce(previous.from, 1900)", "= coalesce(previous.from, 1900) + 4"),
        "city": {"references": "city"},
        "pay": {"generator": "values.integer", "params": {"low": 1, "high": 3}},
    }
    constraints = [
        {"on": "leads", "sql": "from > previous.from"},
        {"on": "leads", "sql": "city != previous.city"},
        {"on": "leads", "sql": "city.name != previous.previous.city.name"},
        {"on": "leads", "sql": "pay != previous.pay"},
    ]
    rows = {row["id"]: row for row in made({"columns": columns}, constraints=constraints)["leads"].to_pylist()}
    following = [(rows[row["previous"]], row) for row in rows.values() if row["previous"]]
    assert following
    for before, row in following:
        assert before["from"] < row["from"] and before["city"] != row["city"] and before["pay"] != row["pay"]
        if before["previous"]:
            assert rows[before["previous"]]["city"] != row["city"]


def test_only_offending_rows_are_drawn_again_and_those_after_them_follow():
    free = made({"columns": PRICES})["leads"].to_pylist()
    kept = made({"columns": PRICES}, constraints=[{"on": "leads", "sql": "position != 2 or price > previous.price"}])[
        "leads"
    ]
    by_id = {row["id"]: row for row in kept.to_pylist()}
    for before, after in zip(free, by_id.values(), strict=True):
        if after["position"] == 1:
            assert before == after
        if after["position"] == 2:
            first = by_id[after["previous"]]["price"]
            assert after["price"] > first and (before["price"] <= first or before == after)


def test_missing_and_null_follow_through():
    columns = {
        "until": year("= coalesce(previous.until, 1900) + 1", "= coalesce(previous.until, 1900) + 3", missing=0.4)
    }
    values = made({"columns": columns})["leads"]["until"]
    assert 0 < values.null_count < len(values)
    nulls = made(
        {"columns": {"grade": {"generator": "values.integer", "params": {"low": "= previous.grade", "high": 9}}}}
    )
    assert nulls["leads"]["grade"].null_count == nulls["leads"].num_rows  # the first has none before it, and so on


def test_an_owner_reads_what_its_series_comes_to():
    types = {
        "firm": {
            "count": 8,
            "name": {"generator": "names.place"},
            "derived": {
                "heads": {"over": "leads", "sql": "max(position)"},
                "gap": {"over": "leads", "sql": "sum(from - previous.until)"},
            },
        }
    }
    tables = made({"columns": TENURE}, types=types)
    rows = {owned[0]["target"]: owned for owned in by_owner(tables["leads"], "target")}
    for firm in tables["firm"].to_pylist():
        owned = rows.get(firm["id"], [])
        assert firm["heads"] == (len(owned) or None)
        assert firm["gap"] == sum(after["from"] - before["until"] for before, after in itertools.pairwise(owned))


def test_columns_that_need_one_another_through_previous_are_one_step():
    spec = WorldSpec.model_validate(tree({"columns": {**TENURE, "pay": {"generator": "values.boolean"}} | PRICES}))
    steps = {step.nodes: step.in_series for step in creation_steps(spec) if step.nodes[0][0] == "leads"}
    assert steps == {
        (("leads", "target"),): False,
        (("leads", "from"), ("leads", "until")): True,
        (("leads", "pay"),): False,
        (("leads", "price"),): True,
    }


def test_a_circle_without_previous_stays_one():
    columns = {"from": year("= until - 3", 2000), "until": year("= coalesce(previous.from, from)", 2000)}
    spec = WorldSpec.model_validate(tree({"columns": columns}))
    assert cycles(dependency_graph(spec)) == [[("leads", "from"), ("leads", "until")]]


def test_previous_does_not_open_a_circle_through_another_table():
    types = {
        "firm": {
            "count": 3,
            "name": {"generator": "names.place"},
            "derived": {"latest": {"over": "leads", "sql": "max(until)"}},
        }
    }
    columns = {"from": year("= coalesce(previous.until, 0)", "= target.latest"), "until": year("= from", 2000)}
    [cycle] = cycles(dependency_graph(WorldSpec.model_validate(tree({"columns": columns}, types=types))))
    assert ("firm", "latest") in cycle


def test_what_cannot_hold_shows_the_rows_and_the_rows_before(monkeypatch):
    monkeypatch.setattr(constraint_redraw, "ATTEMPTS", 20)
    constraints = [{"on": "leads", "sql": "previous.until < from - 100"}]
    with pytest.raises(InputError, match=r"leads: \d+ of \d+ rows break the constraint") as raised:
        made({"columns": TENURE}, constraints=constraints)
    assert "previous.until = 1" in raised.value.message and "`from` was drawn 20 times again" in raised.value.message


def seasons(**params):
    """A type of seasons, named after its number, which is drawn by chance."""
    number_of = {"generator": "values.integer", "params": {"low": 1, "high": 5000}} | params
    named = {"generator": "names.composed", "params": {"text": "= 'Season ' || number"}}
    return {"season": {"count": 30, "name": named, "attributes": {"number": number_of}}}


@pytest.mark.parametrize(
    ("relation", "descending"),
    [
        ({"source": "firm", "target": "season", "series": "source"}, False),
        ({"source": "season", "target": "firm", "series": "target"}, False),
        ({"source": "firm", "target": "season", "series": "source", "order": "target.number desc"}, True),
        ({"source": "season", "target": "firm", "series": "target", "order": "source.number desc"}, True),
    ],
)
def test_the_rows_of_a_series_go_by_the_value_of_the_other_end(relation, descending):
    tables = made(relation | {"per_source": {"low": 3, "high": 6}}, types=seasons())
    numbers = dict(zip(tables["season"]["id"].to_pylist(), tables["season"]["number"].to_pylist(), strict=True))
    assert list(numbers.values()) != sorted(numbers.values())
    other = "target" if relation["series"] == "source" else "source"
    for rows in by_owner(tables["leads"], relation["series"]):
        found = [numbers[row[other]] for row in rows]
        assert found == sorted(found, reverse=descending)
    assert all(list(walked(tables["leads"], relation["series"])))


def test_a_sequence_counts_row_by_row():
    sequence = {"generator": "values.sequence", "params": {"start": 10, "step": 5}}
    table = made({"columns": TENURE}, types=seasons(**sequence))["season"]
    assert table["number"].to_pylist() == [10 + 5 * row for row in range(30)]
    years = {"generator": "values.year_sequence", "params": {"start": 1990}}
    table = made({"columns": TENURE}, types=seasons(**years))["season"]
    assert table["name"].to_pylist()[:2] == ["Season 1990", "Season 1991"]
