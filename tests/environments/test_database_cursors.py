"""A walk over cursors shows each record once that stays as it is, whatever the session does in between."""

import pytest
from database_isles import RECORDS, Client, write_isles
from hypothesis import given, settings
from hypothesis import strategies as st

from worldforge.environments.database.environment import DatabaseEnvironment
from worldforge.world.world import open_world

NEW = 8  # towns that are there beside those of the world


@pytest.fixture(scope="module")
def isles(tmp_path_factory):
    return DatabaseEnvironment(write_isles(tmp_path_factory.mktemp("isles")))


@pytest.fixture(scope="module")
def built(quickstart):
    return DatabaseEnvironment(open_world(quickstart))


@pytest.mark.parametrize(
    ("order", "limit"), [("", 7), ("until", 1), ("until", 100), ("goals", 13), ("source", 7), ("id", 50)]
)
@pytest.mark.parametrize("descending", [False, True])
def test_a_walk_shows_every_record_once(built, order, descending, limit):
    ask = Client(built)
    filters = [{"column": "appearances", "comparison": "<", "value": 60}]
    how = {"filters": filters, "order_by": order, "descending": descending}
    walked = ask.all("plays_for", limit=limit, **how)
    assert sorted(record["id"] for record in walked) == sorted(
        record["id"] for record in ask.all("plays_for", limit=100) if record["appearances"] < 60
    )
    cells = [record[order] for record in walked if order and record[order] is not None]
    assert cells == sorted(cells, reverse=descending)


def changes():
    return st.lists(
        st.one_of(
            st.tuples(st.just("create"), st.integers(0, 9)),
            st.tuples(st.just("delete"), st.integers(0, 6 + NEW)),
            st.tuples(st.just("reorder"), st.integers(0, 6 + NEW), st.integers(0, 9)),
            st.tuples(st.just("touch"), st.integers(0, 6 + NEW), st.integers(0, 9)),
        ),
        max_size=3,
    )


def town(row):
    return f"town/{row:04d}"


@settings(max_examples=40)
@given(
    st.lists(st.none() | st.integers(0, 9), min_size=NEW, max_size=NEW), st.booleans(), st.lists(changes(), max_size=8)
)
def test_a_walk_holds_while_the_session_writes(isles, populations, descending, between):
    ask = Client(isles)
    made = [{"name": f"New {number}", "population": population} for number, population in enumerate(populations)]
    ask("create_records", table="town", records=made)
    steady = {record["id"]: record["population"] for record in ask.all("town")}
    at_first, walked, cursor, n_made = dict(steady), [], "", 0
    how = {"order_by": "population", "descending": descending, "limit": 3}
    for batch in [*between, *[[]] * 20]:
        page = ask("list_records", table="town", cursor=cursor, **how)
        walked += [record["id"] for record in page["records"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
        for kind, row, *value in batch:
            if kind == "create":
                n_made += 1
                ask("create_records", table="town", records=[{"name": f"Late {n_made}", "population": row}])
            elif kind == "delete":
                gone = ask("delete_records", table="town", ids=[town(row)])["records"]
                for record in gone:
                    steady.pop(record["id"], None)
            elif kind == "reorder":
                ask("update_records", table="town", ids=[town(row)], changes={"population": value[0]})
                steady.pop(town(row), None)
            else:
                ask("update_records", table="town", ids=[town(row)], changes={"chartered": 1000 + value[0]})
    assert cursor is None
    order = [id_ for id_ in walked if id_ in steady]
    assert sorted(order) == sorted(steady)  # each once
    there = [id_ for id_ in order if at_first[id_] is not None]
    assert order == sorted(there, key=lambda id_: (-at_first[id_] if descending else at_first[id_], id_)) + sorted(
        set(order) - set(there)
    )


def test_a_cursor_is_the_same_in_every_session(isles):
    first, second = (Client(isles)("list_records", table="town", limit=2, order_by="opened") for _ in range(2))
    assert first == second and first["next_cursor"]
    following = Client(isles)("list_records", table="town", order_by="opened", cursor=first["next_cursor"])
    assert {record["id"] for record in first["records"] + following["records"]} == {r["id"] for r in RECORDS["town"]}
