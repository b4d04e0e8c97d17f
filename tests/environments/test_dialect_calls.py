import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldforge.core.errors import InputError
from worldforge.environments.database.requests import ListRequest
from worldforge.environments.registry import dialect_named
from worldforge.environments.search.dialects import SEARCH_DIALECTS
from worldforge.environments.search.requests import NoteRequest, OpenRequest, SearchRequest
from worldforge.environments.views import ErrorView
from worldforge.models.chat import ToolCall

EACH = pytest.mark.parametrize("dialect", SEARCH_DIALECTS.values(), ids=lambda dialect: dialect.name)
DIALECTS = st.sampled_from(list(SEARCH_DIALECTS.values()))
QUERIES = st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=12).map(tuple)
SCHEMA_WORDS = {
    *("type", "description", "items", "enum"),
    *("minItems", "maxItems", "minLength", "maxLength", "minimum", "maximum"),
}


def read_all(dialect, request):
    """What comes of a request that is asked for in a dialect's words."""
    return [dialect.read(ToolCall("1", name, json.dumps(given))) for name, given in dialect.ask(request)]


@given(DIALECTS, QUERIES, st.integers(1, 100))
def test_a_search_that_is_asked_for_is_read_as_it_was_meant(dialect, queries, page):
    read = read_all(dialect, SearchRequest(queries, page))
    assert tuple(query for request in read for query in request.queries) == queries
    assert {(request.page, request.size) for request in read} == {(page, 10)}


@given(DIALECTS, st.text(max_size=20), st.integers(1, 50))
def test_a_page_that_is_asked_for_is_read_as_it_was_meant(dialect, url, part):
    assert read_all(dialect, OpenRequest(url, part)) == [OpenRequest(url, part)]


@given(st.sampled_from(["add", "update"]), st.text(max_size=9), st.text(max_size=9))
def test_notes_are_agent_worlds_alone(action, key, value):
    request = NoteRequest(action, key or "k", value or "v")
    assert read_all(dialect_named("agentworld"), request) == [request]
    for name in ("widesearch", "plain"):
        with pytest.raises(ValueError, match="no tool"):
            dialect_named(name).ask(request)


@EACH
def test_records_are_asked_for_elsewhere(dialect):
    with pytest.raises(ValueError, match="no tool for a ListRequest"):
        dialect.ask(ListRequest("club"))


def test_widesearch_lets_an_agent_choose_how_many_results_it_sees():
    dialect = dialect_named("widesearch")
    assert dialect.ask(SearchRequest(("a", "b"), 3, 20)) == [
        ("search_global", {"query": "a", "count": 20, "page": 3}),
        ("search_global", {"query": "b", "count": 20, "page": 3}),
    ]
    given = '{"query": "a", "count": 200, "summary_type": "long", "use_english": true}'
    assert dialect.read(ToolCall("1", "search_global", given)) == SearchRequest(("a",), 1, 200)
    asked = '{"url": "https://a", "description": "who founded it"}'
    assert dialect.read(ToolCall("1", "text_browser_view", asked)) == OpenRequest("https://a")


def test_plain_takes_one_query_as_a_word_or_several_as_a_list():
    dialect = dialect_named("plain")
    assert dialect.read(ToolCall("1", "search", '{"query": "a b"}')) == SearchRequest(("a b",))
    assert dialect.read(ToolCall("1", "search", '{"query": ["a", "b"]}')) == SearchRequest(("a", "b"))
    assert dialect.read(ToolCall("1", "visit", '{"url": "https://a", "goal": "dates"}')) == OpenRequest("https://a")


@pytest.mark.parametrize(
    ("dialect", "name", "raw", "said"),
    [
        ("widesearch", "search_global", "", "JSON"),
        ("widesearch", "search_global", "{}", "`query`"),
        ("widesearch", "search_global", '{"query": ""}', "`query`"),
        ("widesearch", "search_global", '{"query": ["a"]}', "`query`"),
        ("widesearch", "search_global", '{"query": "a", "count": 201}', "`count`"),
        ("widesearch", "search_global", '{"query": "a", "count": 0}', "`count`"),
        ("widesearch", "search_global", '{"query": "a", "count": "10"}', "`count`"),
        ("widesearch", "search_global", '{"query": "a", "count": 101, "page": 10}', "first 1000 results"),
        ("widesearch", "search_global", '{"query": "a", "summary_type": "tiny"}', "'short' or 'long'"),
        ("widesearch", "text_browser_view", '{"description": "all"}', "`url`"),
        ("plain", "search", '{"query": []}', "`query`"),
        ("plain", "search", '{"query": ""}', "`query.0`"),
        ("plain", "search", '{"query": ["a", 3]}', "`query.1`"),
        ("plain", "search", '{"query": {"a": 1}}', "array"),
        ("plain", "search", json.dumps({"query": ["a"] * 6}), "5"),
        ("plain", "search", '{"query": "a", "page": 101}', "`page`"),
        ("plain", "visit", '{"url": ["https://a", "https://b"]}', "`url`"),
        ("plain", "visit", '{"goal": "all"}', "`url`"),
    ],
)
def test_a_malformed_call_is_told_what_is_wrong(dialect, name, raw, said):
    read = dialect_named(dialect).read(ToolCall("1", name, raw))
    assert isinstance(read, ErrorView) and read.error == "malformed_request"
    assert read.message.startswith("Error: malformed request: ") and said in read.message and len(read.message) < 500


@EACH
def test_a_tool_of_another_dialect_is_unknown(dialect):
    known = [tool["function"]["name"] for tool in dialect.tools]
    foreign = {"web_search", "search_global", "search"} - set(known)
    for name in foreign:
        read = dialect.read(ToolCall("1", name, '{"query": "a"}'))
        assert read.error == "unknown_tool" and ", ".join(known) in read.message


@EACH
def test_schemas_tell_what_calls_take(dialect):
    for tool in dialect.tools:
        function = tool["function"]
        assert function["description"] and function["parameters"]["additionalProperties"] is False
        for described in function["parameters"]["properties"].values():
            assert set(described) <= SCHEMA_WORDS
            assert described["description"] and described["type"]


@EACH
def test_every_dialect_can_go_on(dialect):
    search, browse, *_ = [tool["function"]["parameters"] for tool in dialect.tools]
    assert "page" in search["properties"] and "part" in browse["properties"]
    assert browse["required"] == ["url"]


def test_dialects_have_names():
    assert all(dialect_named(name).name == name for name in ("agentworld", "widesearch", "plain", "mcp"))
    with pytest.raises(InputError, match="no dialect `wide`") as caught:
        dialect_named("wide")
    assert "agentworld, widesearch, plain, mcp" in caught.value.hint
