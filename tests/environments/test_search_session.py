import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldforge.core.errors import InputError
from worldforge.environments.disclosure import Disclosure
from worldforge.environments.registry import dialect_named
from worldforge.environments.search.dialects import AGENT_WORLD, SEARCH_DIALECTS
from worldforge.environments.search.environment import SearchEnvironment
from worldforge.environments.search.requests import SearchRequest
from worldforge.environments.search.text_form import parse_page
from worldforge.environments.search.views import page_parts
from worldforge.models.chat import ToolCall
from worldforge.world.world import World

ERRORS = {
    "malformed_request",
    "unknown_tool",
    "nothing_found",
    "page_not_found",
    "part_not_found",
    "key_not_found",
    "key_exists",
}


def test_a_search_shows_results(ask):
    seen = ask("web_search", query="Velmar town")
    assert seen.error == "" and seen.rendering.source == "engine" and seen.disclosed == ()
    assert seen.text.startswith(
        "[1] https://wiki.example/0\nTitle: Velmar\nSnippet: Velmar is a town.\nDate: Jun 18, 2024\n\n[2] https"
    )
    assert seen.text.endswith("Date: N/A")


def blocks(text, *queries, page=1):
    return AGENT_WORLD.parse(SearchRequest(queries, page), text).blocks


def test_a_query_brings_ten_results_and_says_how_to_see_more(ask):
    seen = ask("web_search", query="ferry")
    (first,) = blocks(seen.text, "ferry")
    assert [result.rank for result in first.results] == list(range(1, 11)) and first.more
    assert seen.text.endswith('\n\nMore results: repeat the call with "page": 2.')
    (second,) = blocks(ask("web_search", query="ferry", page=2).text, "ferry", page=2)
    assert [result.rank for result in second.results] == [11, 12] and not second.more
    assert len({result.url for result in first.results + second.results}) == 12
    last = ask("web_search", query="ferry", page=3)
    assert last.text == 'No results for "ferry" on page 3.' and last.error == "nothing_found"


def test_several_queries_stand_under_their_names(ask):
    queries = ("pier 3", "unheard of", "Velmar")
    seen = ask("web_search", queries=list(queries))
    pier, unheard, velmar = blocks(seen.text, *queries)
    assert pier.results[0].title == "Ferry 3" and velmar.results[0].title == "Velmar"
    assert unheard.results == () and seen.error == ""
    assert [line for line in seen.text.splitlines() if line.startswith("Query: ")] == [
        'Query: "pier 3"',
        'Query: "unheard of"',
        'Query: "Velmar"',
    ]


def test_a_query_without_results_says_so(ask):
    seen = ask("web_search", query="unheard\nof " + "x" * 1000)
    assert seen.error == "nothing_found" and len(seen.text) < 300 and "\n" not in seen.text


def test_a_page_is_shown_verbatim_and_disclosed(ask, environment):
    seen = ask("web_extractor", url="https://wiki.example/0")
    view = parse_page(seen.text)
    assert (view.url, view.title, view.date.isoformat(), view.n_parts) == (
        "https://wiki.example/0",
        "Velmar",
        "2024-06-18",
        1,
    )
    assert view.body == environment.index.store.cells(0, "text")[0]
    assert seen.disclosed == (Disclosure(0, 0, len(view.body)),)


def test_a_long_page_is_read_part_by_part_as_its_first_lines_say(ask, environment):
    text = environment.index.store.cells(1, "text")[0]
    part, body, disclosed = "1", "", []
    while part:
        seen = ask("web_extractor", url="https://wiki.example/1", part=int(part))
        body += parse_page(seen.text).body
        disclosed += [(shown.start, shown.end) for shown in seen.disclosed]
        _, _, part = seen.text.split("\n\n")[0].partition('For the next, repeat the call with "part": ')
        part = part.rstrip(".")
    assert body == text and disclosed == page_parts(text) and len(disclosed) > 2


@pytest.mark.parametrize("part", [0, -1, 99])
def test_a_part_that_is_not_there_is_named(ask, part):
    seen = ask("web_extractor", url="https://wiki.example/0", part=part)
    assert seen.error == "part_not_found" and "has 1" in seen.text


def test_a_page_that_is_not_there_is_named(ask):
    seen = ask("web_extractor", url="https://nowhere.example/a")
    assert seen.error == "page_not_found" and "https://nowhere.example/a" in seen.text


def test_notes_are_kept_for_one_session(ask, environment):
    assert ask("dict_memory", action="retrieve", key="plan").error == "key_not_found"
    assert ask("dict_memory", action="update", key="plan", value="x").error == "key_not_found"
    assert ask("dict_memory", action="add", key="plan", value="open the clubs").error == ""
    assert ask("dict_memory", action="add", key="plan", value="again").error == "key_exists"
    assert ask("dict_memory", action="retrieve", key="plan").text == "open the clubs"
    ask("dict_memory", action="update", key="plan", value="écrire")
    ask("dict_memory", action="add", key="b", value="")
    assert json.loads(ask("dict_memory", action="retrieve_all").text) == {"plan": "écrire", "b": ""}
    ask("dict_memory", action="remove", key="b")
    assert json.loads(ask("dict_memory", action="retrieve_all").text) == {"plan": "écrire"}
    other = environment.session()
    call = ToolCall("1", "dict_memory", '{"action": "retrieve_all"}')
    assert asyncio.run(other.step(call)).text == "{}"
    ask("dict_memory", action="remove_all")
    assert ask("dict_memory", action="retrieve_all").text == "{}"


@pytest.mark.parametrize(
    ("name", "raw", "said"),
    [
        ("web_search", "", "JSON"),
        ("web_search", "[" * 100_000, "JSON"),
        ("web_search", '"\ud800"', "object"),
        ("web_search", "{}", "query"),
        ("web_search", '{"query": ""}', "query"),
        ("web_search", '{"queries": []}', "query"),
        ("web_search", '{"query": "a", "queries": ["b"]}', "either"),
        ("web_search", '{"queries": ["a", ""]}', "queries.1"),
        ("web_search", '{"query": 3}', "string"),
        ("web_search", '{"query": "a", "page": 0}', "page"),
        ("web_search", '{"query": "a", "limit": 3}', "limit"),
        ("web_search", json.dumps({"queries": ["a"] * 6}), "5"),
        ("web_search", '"query"', "object"),
        ("web_extractor", '{"part": 1}', "url"),
        ("web_extractor", '{"url": "https://wiki.example/0", "part": "2"}', "integer"),
        ("dict_memory", '{"action": "forget", "key": "a"}', "retrieve_all"),
        ("dict_memory", '{"action": "add", "key": "a"}', "value"),
        ("dict_memory", '{"action": "remove"}', "key"),
        ("dict_memory", '{"action": "retrieve", "key": "\\ud800"}', "JSON"),
    ],
)
def test_a_malformed_request_is_told_what_is_wrong(ask, name, raw, said):
    seen = ask(name, raw=raw)
    assert seen.error == "malformed_request" and seen.text.startswith("Error: malformed request: ")
    assert said in seen.text and len(seen.text) < 500


@pytest.mark.parametrize("name", ["google", "", "x\n" * 1000, "\ud800"])
def test_an_unknown_tool_is_told_the_known_ones(ask, name):
    seen = ask(name, query="a")
    assert len(seen.text.encode()) < 400 and "\n" not in seen.text
    assert seen.error == "unknown_tool" and "web_search, web_extractor, dict_memory" in seen.text


def test_an_environment_is_made_of_a_world_or_of_its_index(environment, tmp_path):
    assert SearchEnvironment(environment.index).index is environment.index
    with pytest.raises(InputError, match="no search index"):
        SearchEnvironment(World(tmp_path, {}))


@pytest.mark.parametrize(
    ("dialect", "search", "browse"),
    [
        ("agentworld", "web_search", "web_extractor"),
        ("widesearch", "search_global", "text_browser_view"),
        ("plain", "search", "visit"),
    ],
)
def test_one_web_is_seen_in_any_dialect(environment, dialect, search, browse):
    spoken = dialect_named(dialect)
    session = SearchEnvironment(environment.index, spoken).session()
    found = asyncio.run(session.step(ToolCall("1", search, '{"query": "Velmar town"}')))
    (block,) = spoken.parse(SearchRequest(("Velmar town",)), found.text).blocks
    url = block.results[0].url
    opened = asyncio.run(session.step(ToolCall("2", browse, json.dumps({"url": url}))))
    assert parse_page(opened.text).body == environment.index.page(url).text
    assert opened.disclosed == (Disclosure(0, 0, len(environment.index.page(url).text)),)


ARGUMENTS = st.dictionaries(
    st.sampled_from(["query", "queries", "url", "page", "part", "count", "action", "key", "value", "other"]),
    st.one_of(
        st.none(),
        st.integers(),
        st.text(max_size=20),
        st.sampled_from(["https://wiki.example/1", "add", "retrieve", "ferry"]),
        st.lists(st.text(max_size=8), max_size=7),
    ),
    max_size=4,
)


@given(
    st.sampled_from(list(SEARCH_DIALECTS.values())),
    st.integers(0, 3),
    st.none() | st.text(max_size=12),
    ARGUMENTS.map(json.dumps) | st.text(st.characters(), max_size=30),
)
@settings(max_examples=400)
def test_whatever_is_called_an_observation_comes_back(environment, dialect, tool, other, arguments):
    name = dialect.tools[tool % len(dialect.tools)]["function"]["name"] if other is None else other
    session = SearchEnvironment(environment.index, dialect).session()
    seen = asyncio.run(session.step(ToolCall("1", name, arguments)))
    assert seen.text and seen.error in ERRORS | {""}
    assert seen.error == "nothing_found" or bool(seen.error) == seen.text.startswith("Error: ")
    seen.text.encode()
