"""A world's tables through the tools, as an agent meets them."""

import json

import pytest
from database_isles import RECORDS, Client, write_isles
from hypothesis import given
from hypothesis import strategies as st

from worldforge.environments.database.environment import DatabaseEnvironment
from worldforge.world.world import open_world


@pytest.fixture(scope="module")
def isles(tmp_path_factory):
    return DatabaseEnvironment(write_isles(tmp_path_factory.mktemp("isles")))


@pytest.fixture
def ask(isles):
    return Client(isles)


def test_tables_say_what_they_hold(ask):
    tables = {table["table"]: table for table in ask("list_tables")["tables"]}
    assert {name: table["n_records"] for name, table in tables.items()} == {"region": 3, "town": 6, "twinned": 3}
    columns = {column["name"]: column for column in tables["town"]["columns"]}
    assert columns["region"] == {"name": "region", "type": "text", "references": "region"}
    assert columns["population"] == {"name": "population", "type": "integer", "label": "inhabitants", "unit": "people"}
    assert columns["age"]["read_only"] and columns["name"]["required"] and columns["opened"]["type"] == "date"
    assert tables["twinned"]["columns"][1] == {
        "name": "source",
        "type": "text",
        "references": "town",
        "required": True,
    }


def test_the_quickstart_world_is_seen_as_its_tables_are(quickstart):
    world = open_world(quickstart)
    ask = Client(DatabaseEnvironment(world))
    described = {table["table"]: table for table in ask("list_tables")["tables"]}
    assert set(described) == {*world.spec.types, *world.spec.relations}
    for name, table in world.tables().items():
        assert [column["name"] for column in described[name]["columns"]] == table.column_names
        written = json.loads(json.dumps(table.to_pylist(), default=lambda date: date.isoformat()))
        assert ask.all(name, limit=100) == written


def test_nothing_of_tasks_is_a_table(quickstart):
    ask = Client(DatabaseEnvironment(open_world(quickstart)))
    for name in (
        "tasks",
        "task",
        "set_aside",
        "mentions",
        "pages",
        "main.club",
        "information_schema.tables",
        "_changed_club",
    ):
        ask("list_records", table=name)
        assert ask.error == "unknown_table"


def test_a_list_is_ordered_filtered_and_counted(ask):
    found = ask(
        "list_records",
        table="town",
        filters=[{"column": "population", "comparison": ">=", "value": 200}],
        order_by="chartered",
        descending=True,
        limit=3,
    )
    assert [record["name"] for record in found["records"]] == ["Fell", "Brask", "Corvo"]
    assert found["n_total"] == 5 and found["table"] == "town"
    following = ask(
        "list_records",
        table="town",
        filters=[{"column": "population", "comparison": ">=", "value": 200}],
        order_by="chartered",
        descending=True,
        cursor=found["next_cursor"],
    )
    assert [record["name"] for record in following["records"]] == ["Dunmar", "Étain"]
    assert following["next_cursor"] is None and following["n_total"] == 5


@pytest.mark.parametrize(
    ("column", "comparison", "value", "names"),
    [
        ("name", "=", "Corvo", ["Corvo"]),
        ("name", "contains", "É", ["Étain"]),
        ("name", "contains", "AR", ["Arbel", "Dunmar"]),
        ("name", "contains", "%", []),
        ("region", "=", "region/0001", ["Dunmar", "Étain", "Fell"]),
        ("region", "!=", "region/0001", ["Arbel", "Brask", "Corvo"]),
        ("opened", "<", "1995-01-01", ["Arbel", "Dunmar"]),
        ("opened", "=", None, ["Brask", "Fell"]),
        ("opened", "!=", None, ["Arbel", "Corvo", "Dunmar", "Étain"]),
        ("chartered", "!=", 1200, ["Brask", "Corvo", "Fell"]),
        ("capital", "=", True, ["Brask", "Fell"]),
        ("share", ">", 0.35, ["Corvo", "Fell"]),
        ("id", "=", "town/0002", ["Corvo"]),
        ("aliases", "=", [], None),
        ("population", "<=", 2**63, None),
    ],
)
def test_filters(ask, column, comparison, value, names):
    shown = ask("list_records", table="town", filters=[{"column": column, "comparison": comparison, "value": value}])
    if names is None:
        assert ask.error in ("malformed_request", "bad_filter")
    else:
        assert [record["name"] for record in shown["records"]] == names


def test_aliases_are_searched_too(ask):
    filters = [{"column": "aliases", "comparison": "contains", "value": "of velm"}]
    assert [record["name"] for record in ask("list_records", table="region", filters=filters)["records"]] == ["Velm"]


def test_records_come_in_the_order_asked_and_the_missing_are_named(ask):
    got = ask(
        "get_records", table="town", ids=["town/0004", "town/0099", "town/0001", "town/0004", "club/0001", "town/1"]
    )
    assert got["records"] == [RECORDS["town"][4], RECORDS["town"][1]]
    assert [failure["item"] for failure in got["failures"]] == ["town/0099", "club/0001", "town/1"]
    assert {failure["code"] for failure in got["failures"]} == {"not_found"} and ask.error == ""


def test_a_batch_of_which_nothing_can_be_done_is_an_error(ask):
    got = ask("get_records", table="town", ids=["town/0099"])
    assert got["isError"] and got["records"] == [] and ask.error == "not_found"


def test_what_is_created_is_there_for_later_calls_alone_of_this_session(ask, isles):
    made = ask("create_records", table="town", records=[{"name": "Gorm", "region": "region/0002", "population": 70}])
    assert made["records"] == [
        {
            "id": "town/0006",
            "name": "Gorm",
            "aliases": [],
            "region": "region/0002",
            "population": 70,
            "chartered": None,
            "opened": None,
            "capital": None,
            "age": None,
            "share": 1.0,
        }
    ]
    assert ask("get_records", table="town", ids=["town/0006"])["records"] == made["records"]
    assert ask("list_tables")["tables"][1]["n_records"] == 7
    assert len(ask.all("town")) == 7
    other = Client(isles)
    assert other.all("town") == RECORDS["town"] and other.all("region") == RECORDS["region"]


def test_computed_columns_follow(ask):
    ask("update_records", table="town", ids=["town/0000"], changes={"population": 900, "chartered": 1831})
    moved = ask("update_records", table="town", ids=["town/0000"], changes={"region": "region/0001"})["records"][0]
    assert moved["age"] == 200 and moved["share"] == 0.38
    sarn, velm, _ = ask.all("region")
    assert (sarn["towns"], sarn["people"], sarn["largest"]) == (2, 500, 300)
    assert (velm["towns"], velm["people"], velm["largest"]) == (4, 2400, 900)
    assert [record["share"] for record in ask.all("town")] == [0.38, 0.4, 0.6, 0.17, 0.21, 0.25]
    ask("update_records", table="town", ids=["town/0003"], changes={"population": 401})
    assert [record["share"] for record in ask.all("town")][3:] == [0.17, 0.21, 0.25]
    ask("delete_records", table="town", ids=["town/0001"])
    assert ask.all("region")[0]["people"] == 300


def test_what_cannot_be_computed_is_not_done(ask):
    biggest = 2**63 - 1
    said = ask("update_records", table="town", ids=["town/0000", "town/0001"], changes={"population": biggest})
    assert ask.error == "bad_value" and "omputed" in said["message"]
    assert ask.all("town") == RECORDS["town"] and ask.all("region") == RECORDS["region"]
    made = ask("create_records", table="town", records=[{"name": "Gorm"}])
    assert made["records"][0]["id"] == "town/0006"


def test_a_batch_fails_in_part(ask):
    made = ask(
        "create_records",
        table="twinned",
        records=[
            {"source": "town/0001", "target": "town/0002", "since": 1999},
            {"source": "town/0001", "target": "town/0002"},
            {"source": "town/0001", "target": "town/0077"},
            {"source": "town/0001", "target": "region/0001"},
            {"source": "town/0001"},
            {"source": "town/0001", "target": "town/0003", "since": "1999"},
            {"source": "town/0001", "target": "town/0003", "until": 2000},
            {"source": "town/0001", "target": "town/0003", "id": "twinned/0009"},
            {"source": "town/0001", "target": "town/0003"},
        ],
    )
    assert [record["id"] for record in made["records"]] == ["twinned/0003", "twinned/0004"] and ask.error == ""
    assert [(failure["item"], failure["code"]) for failure in made["failures"]] == [
        ("records[1]", "already_exists"),
        ("records[2]", "bad_reference"),
        ("records[3]", "bad_reference"),
        ("records[4]", "bad_value"),
        ("records[5]", "bad_value"),
        ("records[6]", "unknown_column"),
        ("records[7]", "bad_value"),
    ]


def test_a_record_that_others_refer_to_is_kept(ask):
    said = ask("delete_records", table="town", ids=["town/0000", "town/0001", "town/0005"])
    assert said["records"] == [{"id": "town/0001"}]
    assert [failure["code"] for failure in said["failures"]] == ["still_referenced"] * 2
    assert said["failures"][0]["message"].startswith("2 records refer to town/0000: 2 by twinned.source.")
    assert said["failures"][1]["message"].startswith("1 record refers to town/0005: 1 by twinned.target.")
    ask("delete_records", table="twinned", ids=["twinned/0000", "twinned/0001"])
    assert ask("delete_records", table="town", ids=["town/0000"])["records"] == [{"id": "town/0000"}]
    assert ask("get_records", table="town", ids=["town/0000"])["failures"][0]["code"] == "not_found"


def test_a_record_that_refers_to_itself_can_go(ask):
    ask("update_records", table="region", ids=["region/0002"], changes={"part_of": "region/0002"})
    assert ask("delete_records", table="region", ids=["region/0002"])["records"] == [{"id": "region/0002"}]


def test_an_id_is_not_given_twice(ask):
    ask("create_records", table="region", records=[{"name": "Nord"}])
    ask("delete_records", table="region", ids=["region/0003"])
    assert ask("create_records", table="region", records=[{"name": "Nord"}])["records"][0]["id"] == "region/0004"


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({}, "bad_value"),
        ({"nickname": "x"}, "unknown_column"),
        ({"id": "town/0009"}, "bad_value"),
        ({"age": 5}, "bad_value"),
        ({"name": None}, "bad_value"),
        ({"name": ""}, "bad_value"),
        ({"name": 5}, "bad_value"),
        ({"name": "x" * 10_001}, "bad_value"),
        ({"name": "Brask"}, "already_exists"),
        ({"region": "region/0009"}, "bad_reference"),
        ({"region": "town/0001"}, "bad_reference"),
        ({"population": 1.5}, "bad_value"),
        ({"population": True}, "bad_value"),
        ({"population": 2**63}, "bad_value"),
        ({"chartered": 2**31}, "bad_value"),
        ({"opened": "30 June 2031"}, "bad_value"),
        ({"opened": "2031-02-30"}, "bad_value"),
        ({"opened": "20310630"}, "bad_value"),
        ({"capital": 1}, "bad_value"),
        ({"aliases": "x"}, "bad_value"),
        ({"aliases": [1]}, "bad_value"),
        ({"population": {"$gt": 1}}, "bad_value"),
    ],
)
def test_what_a_column_does_not_take(ask, changes, error):
    ask("update_records", table="town", ids=["town/0000"], changes=changes)
    assert ask.error == error
    assert ask.all("town") == RECORDS["town"]


def test_a_cell_may_be_emptied_and_a_list_of_texts_set(ask):
    changed = ask("update_records", table="town", ids=["town/0000"], changes={"region": None, "aliases": ["A", "é\0'"]})
    assert changed["records"][0]["region"] is None and changed["records"][0]["aliases"] == ["A", "é\0'"]
    changed = ask("update_records", table="town", ids=["town/0000"], changes={"aliases": None})
    assert changed["records"][0]["aliases"] == [] and changed["records"][0]["share"] is None


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("list_records", {"table": "towns"}, "unknown_table"),
        ("list_records", {"table": "town", "order_by": "size"}, "unknown_column"),
        ("list_records", {"table": "town", "order_by": "aliases"}, "bad_order"),
        ("list_records", {"table": "town", "limit": 101}, "limit_too_large"),
        ("list_records", {"table": "town", "limit": 0}, "limit_too_large"),
        ("list_records", {"table": "town", "limit": 10**30}, "limit_too_large"),
        ("list_records", {"table": "town", "cursor": "!"}, "bad_cursor"),
        ("list_records", {"table": "town", "cursor": "é"}, "bad_cursor"),
        ("list_records", {"table": "town", "cursor": "WzEsMl0"}, "bad_cursor"),
        ("list_records", {"table": "town", "cursor": "W" * 200_000}, "bad_cursor"),
        ("get_records", {"table": "town", "ids": ["x"] * 101}, "limit_too_large"),
        ("delete_records", {"table": "town", "ids": ["x"] * 101}, "limit_too_large"),
        ("update_records", {"table": "town", "ids": ["x"] * 101, "changes": {}}, "limit_too_large"),
        ("create_records", {"table": "town", "records": [{}] * 101}, "limit_too_large"),
        ("create_records", {"table": "town", "records": []}, "malformed_request"),
        ("get_records", {"table": "town", "ids": []}, "malformed_request"),
        ("get_records", {"table": "town", "ids": [1]}, "malformed_request"),
        ("get_records", {"table": "town"}, "malformed_request"),
        ("list_records", {"table": "town", "where": "1=1"}, "malformed_request"),
        ("create_records", {"table": "town", "records": ["x"]}, "malformed_request"),
        ("update_records", {"table": "town", "ids": ["town/0000"], "changes": []}, "malformed_request"),
        ("run_sql", {"sql": "SELECT 1"}, "unknown_tool"),
    ],
)
def test_a_call_that_cannot_be_answered_names_why(ask, name, arguments, error):
    said = ask(name, **arguments)
    assert ask.error == error and said["code"] == error and 0 < len(said["message"]) < 500


@pytest.mark.parametrize(
    ("column", "comparison", "value"),
    [
        ("population", "contains", "1"),
        ("name", "contains", 5),
        ("name", "<", None),
        ("capital", "<", True),
        ("aliases", "<", "x"),
        ("population", "=", "200"),
        ("population", "=", 10**400),
        ("share", ">", float("inf")),
        ("opened", "<", "yesterday"),
    ],
)
def test_a_filter_that_makes_no_sense_is_refused(ask, column, comparison, value):
    ask("list_records", table="town", filters=[{"column": column, "comparison": comparison, "value": value}])
    assert ask.error == "bad_filter"


def test_too_many_filters_are_refused(ask):
    one = {"column": "population", "comparison": ">", "value": 1}
    ask("list_records", table="town", filters=[one] * 21)
    assert ask.error == "bad_filter"
    assert len(ask("list_records", table="town", filters=[one] * 20)["records"]) == 6


def test_a_cursor_belongs_to_its_list(ask):
    cursor = ask("list_records", table="town", order_by="name", limit=2)["next_cursor"]
    for other in (
        {"table": "region"},
        {"table": "town", "order_by": "population"},
        {"table": "town", "descending": True},
    ):
        ask("list_records", cursor=cursor, **other)
        assert ask.error == "bad_cursor"
    assert len(ask("list_records", table="town", order_by="name", limit=3, cursor=cursor)["records"]) == 3


@pytest.mark.parametrize(
    "attack",
    [
        "'; DROP TABLE town; --",
        '" OR 1=1 --',
        'town"; DELETE FROM town; SELECT "',
        "town UNION SELECT * FROM region",
        "name) FROM town; ATTACH '/etc/passwd' --",
        "read_csv('/etc/passwd')",
        "_row",
        "rowid",
        "name\0",
        "\ud800",
    ],
)
def test_what_an_agent_writes_is_never_sql(ask, attack):
    said = {"filters": [{"column": attack, "comparison": "=", "value": 1}]}
    for how in (said, {"order_by": attack}, {"cursor": attack}):
        ask("list_records", table="town", **how)
        assert ask.error in ("unknown_column", "bad_cursor", "malformed_request")
    ask("list_records", table=attack)
    assert ask.error in ("unknown_table", "malformed_request")
    named = ask("list_records", table="town", filters=[{"column": "name", "comparison": "=", "value": attack}])
    assert named.get("records", []) == []
    made = ask("create_records", table="town", records=[{"name": attack, "region": attack}, {attack: "x", "name": "y"}])
    assert made.get("records", []) == []
    ask("delete_records", table="town", ids=[attack])
    assert ask.error in ("not_found", "malformed_request")
    made = ask("create_records", table="town", records=[{"name": attack}])
    if ask.error == "":
        assert made["records"][0]["name"] == attack
    assert ask.all("town")[:6] == RECORDS["town"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
WORDS = st.sampled_from(["town", "region", "twinned", "town/0001", "name", "population", "opened", "=", "contains"])


@given(
    st.sampled_from(
        ["list_tables", "list_records", "get_records", "create_records", "update_records", "delete_records"]
    ),
    st.dictionaries(
        st.sampled_from(["table", "filters", "order_by", "descending", "limit", "cursor", "ids", "records", "changes"]),
        WORDS
        | JSON
        | st.lists(WORDS | JSON, max_size=3)
        | st.lists(st.dictionaries(st.sampled_from(["name", "region", "column", "comparison", "value"]), WORDS | JSON)),
        max_size=5,
    ),
)
def test_whatever_is_called_is_answered(isles, name, arguments):
    ask = Client(isles)
    ask(name, **arguments)
    assert Client(isles).all("town") == RECORDS["town"]
