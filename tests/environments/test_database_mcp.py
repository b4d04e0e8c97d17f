"""The MCP dialect: calls read, results written and read back, tools as servers list them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldforge.environments.database.mcp_dialect import MCP
from worldforge.environments.database.requests import (
    CreateRequest,
    DeleteRequest,
    Filter,
    GetRequest,
    ListRequest,
    TablesRequest,
    UpdateRequest,
)
from worldforge.environments.database.views import RecordsView
from worldforge.environments.search.requests import SearchRequest
from worldforge.environments.search.views import SearchView
from worldforge.environments.views import ErrorView, Failure
from worldforge.models.chat import ToolCall

texts = st.text(st.characters(codec="utf-8"), max_size=12)
cells = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
records = st.lists(st.dictionaries(texts, cells | st.lists(texts, max_size=3), max_size=4), max_size=4).map(tuple)
failures = st.lists(st.builds(Failure, texts, texts, texts), max_size=3).map(tuple)
ids = st.lists(texts, min_size=1, max_size=250).map(tuple)
changes = st.dictionaries(texts, cells, max_size=3)
asked = {
    "tables": st.just(TablesRequest()),
    "list": st.builds(
        ListRequest,
        texts,
        st.lists(st.builds(Filter, texts, st.sampled_from(["=", "<", "contains"]), cells), max_size=3).map(tuple),
        texts,
        st.booleans(),
        st.integers(1, 100),
        texts,
    ),
    "get": st.builds(GetRequest, texts, ids),
    "create": st.builds(CreateRequest, texts, st.lists(changes, min_size=1, max_size=250).map(tuple)),
    "update": st.builds(UpdateRequest, texts, ids, changes),
    "delete": st.builds(DeleteRequest, texts, ids),
}


@st.composite
def requests_and_views(draw):
    verb = draw(st.sampled_from(list(asked)))
    request = draw(asked[verb])
    if verb == "tables":
        return request, RecordsView("tables", "", draw(records))
    return request, RecordsView(
        verb=verb,
        table=draw(texts),
        records=draw(records),
        failures=draw(failures),
        next_cursor=draw(texts) if verb == "list" else "",
        n_total=draw(st.none() | st.integers(0)),
        renamed=draw(st.dictionaries(texts, texts, max_size=2)),
    )


@given(requests_and_views())
def test_what_is_written_is_read_back(pair):
    request, view = pair
    text = MCP.write(request, view)
    assert MCP.parse(request, text) == view
    assert "\n" not in text and ('"isError":true' in text.split('"records"')[0]) == bool(
        view.failures and not view.records
    )


@given(st.sampled_from(list(asked)).flatmap(asked.get), texts, texts)
def test_an_error_is_read_back(request, code, message):
    assert MCP.parse(request, MCP.write(request, ErrorView(code, message))) == ErrorView(code, message)


@given(st.sampled_from(list(asked)).flatmap(asked.get))
def test_what_is_asked_is_read_as_it_was_meant(request):
    read = [MCP.read(ToolCall("1", name, json.dumps(said))) for name, said in MCP.ask(request)]
    items = getattr(request, "ids", None) or getattr(request, "records", None)
    if items is None:
        assert read == [request]
        return
    parts = [getattr(one, "ids", None) or getattr(one, "records", None) for one in read]
    assert tuple(item for part in parts for item in part) == items and max(map(len, parts)) <= 100
    assert {one.table for one in read} == {request.table} and {type(one) for one in read} == {type(request)}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Error: 429",
        "[]",
        '{"table":"club","records":[{"id":"club/0001"}],"n_to',
        '{"table":"club","records":[{"id":"club/0001"}]} and more',
        '{"table":"club","records":[1]}',
        '{"table":"club","records":[],"note":"x"}',
        '{"table":1,"records":[]}',
        '{"table":"club","records":[],"failures":[{"item":"x"}]}',
        '{"isError":true,"code":"x"}',
        '{"tables":[]}',
        "[" * 100_000,
        "\ud800",
    ],
)
def test_another_form_is_not_read(text):
    assert MCP.parse(GetRequest("club", ("club/0001",)), text) is None


def test_a_search_is_not_its_business():
    search = SearchRequest(("a",))
    assert MCP.parse(search, '{"table":"club","records":[]}') is None
    with pytest.raises(ValueError, match="no tool for a SearchRequest"):
        MCP.ask(search)
    with pytest.raises(ValueError, match="no words for a SearchView"):
        MCP.write(search, SearchView(()))


def test_results_are_compact_and_keys_keep_their_order():
    view = RecordsView("list", "club", ({"id": "club/0001", "name": "Été"},), next_cursor="abc", n_total=3)
    text = '{"table":"club","records":[{"id":"club/0001","name":"Été"}],"n_total":3,"next_cursor":"abc"}'
    assert MCP.write(ListRequest("club"), view) == text
    failed = RecordsView("get", "club", (), (Failure("club/9", "not_found", "no"),))
    text = (
        '{"isError":true,"table":"club","records":[],"failures":[{"item":"club/9","code":"not_found","message":"no"}]}'
    )
    assert MCP.write(GetRequest("club", ("club/9",)), failed) == text


def test_a_call_that_cannot_be_read_gets_an_mcp_error():
    said = MCP.read(ToolCall("1", "get_records", '{"table": "club"}'))
    assert said.error == "malformed_request"
    assert json.loads(said.message)["isError"] is True and "`ids`" in json.loads(said.message)["message"]


def test_tools_have_whole_schemas():
    tools = [tool["function"] for tool in MCP.tools]
    assert [tool["name"] for tool in tools] == [
        "list_tables",
        "list_records",
        "get_records",
        "create_records",
        "update_records",
        "delete_records",
    ]
    text = json.dumps(tools)
    assert "$ref" not in text and "$defs" not in text and '"title"' not in text
    for tool in tools:
        assert tool["description"] and tool["parameters"]["additionalProperties"] is False
        for described in tool["parameters"]["properties"].values():
            assert described["description"] and described["type"]


@pytest.mark.parametrize(
    ("name", "arguments", "holds"),
    [
        ("list_tables", {}, True),
        ("list_records", {"table": "club", "filters": [{"column": "a", "comparison": "<", "value": None}]}, True),
        ("list_records", {"table": "club", "filters": [{"column": "a", "comparison": "like", "value": "x"}]}, False),
        ("list_records", {"table": "club", "filters": [{"column": "a", "comparison": "<"}]}, False),
        ("list_records", {"table": "club", "limit": 5, "descending": True}, True),
        ("list_records", {"table": "club", "limit": "5"}, False),
        ("get_records", {"table": "club", "ids": ["a"]}, True),
        ("get_records", {"table": "club", "ids": "a"}, False),
        ("create_records", {"table": "club", "records": [{"a": 1}]}, True),
        ("create_records", {"table": "club", "records": [1]}, False),
        ("update_records", {"table": "club", "ids": ["a"], "changes": {}}, True),
        ("update_records", {"table": "club", "ids": ["a"]}, False),
    ],
)
def test_schemas_say_what_calls_may_be(name, arguments, holds):
    jsonschema = pytest.importorskip("jsonschema")
    schema = next(one["function"]["parameters"] for one in MCP.tools if one["function"]["name"] == name)
    assert jsonschema.Draft202012Validator(schema).is_valid(arguments) is holds
    assert isinstance(MCP.read(ToolCall("1", name, json.dumps(arguments))), ErrorView) is not holds
