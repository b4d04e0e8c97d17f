"""Each fault by itself on the quickstart world: seen, on record, different by session and attempt, gone in the end."""

import asyncio
import json
import time

import pytest
from control_calls import Desk, results_in

from worldforge.environments.controls.control_plan import load_controls
from worldforge.environments.search.text_form import parse_page
from worldforge.models.chat import ToolCall
from worldforge.world.world import open_world

ERRORS = {"rate_limited": "429", "server_error": "500", "timeout": "timed out"}
FAULTS = {
    "errors.rate=1": set(ERRORS),
    "truncation.rate=1": {"truncated"},
    "malformed.rate=1": {"malformed_response"},
    "partial.rate=1": {"partial_results"},
    "batch.rate=1": {""},
    "stale.rate=1,stale.changed=1": {""},
}


@pytest.fixture(scope="module")
def desk(quickstart):
    return Desk(open_world(quickstart))


def _calls(desk):
    return [
        ("web_search", {"queries": ["Montulascia", "Falonelle"]}),
        ("web_extractor", {"url": desk.url("town_article")}),
    ]


@pytest.mark.parametrize("controls", FAULTS)
def test_a_fault_is_seen_and_on_record_until_the_call_goes_through(desk, controls):
    name, _, _ = controls.partition(".")
    ask, plain = desk.caller(f"none,{controls}"), desk.caller()
    touched = 0
    for tool, arguments in _calls(desk):
        whole = plain(tool, **arguments)
        most = getattr(load_controls("none"), name).most_in_a_row
        seen = [ask(tool, **arguments) for _ in range(most + 1)]
        assert seen[-1] == whole
        for one in seen[:-1]:
            assert one.controls in ((), (name,)) and bool(one.controls) == (one.text != whole.text)
            assert not one.controls or one.error in FAULTS[controls]
            touched += bool(one.controls)
    assert touched >= 1


def test_errors_are_those_asked_for_and_said_as_tools_say_them(desk):
    for kind, words in ERRORS.items():
        seen = desk.caller(f"none,errors.rate=1,errors.kinds=[{kind}]")("web_search", query="Montulascia")
        assert seen.error == kind and words in seen.text and seen.disclosed == ()
        assert seen.latency_s == (30.0 if kind == "timeout" else 0.0)


def test_errors_come_at_their_rate_and_differ_by_session(desk):
    made = desk.search.controls(load_controls("none,errors.rate=0.3"))

    def failed(task, seed):
        session = desk.search.session(controls=made.session(task, seed))
        calls = [ToolCall("1", "web_search", json.dumps({"query": f"pier {number}"})) for number in range(60)]
        return tuple(bool(asyncio.run(session.step(call)).controls) for call in calls)

    runs = [failed(task, seed) for task in ("task/list-0001", "task/list-0002") for seed in (1, 2, 3)]
    assert len(set(runs)) == 6 and failed("task/list-0001", 1) == runs[0]
    assert 0.2 < sum(map(sum, runs)) / 360 < 0.4


def test_a_fault_depends_on_how_often_the_call_was_made(desk):
    def seen(*queries):
        ask = desk.caller("none,errors.rate=0.5")
        return [(query, ask("web_search", query=query).error) for query in queries]

    mixed, alone = seen("a", "b", "a", "b", "a", "a"), seen("a", "a", "a", "a")
    assert [one for one in mixed if one[0] == "a"] == alone
    assert len({error for _, error in seen(*["Velmar"] * 20)}) > 1


@pytest.mark.parametrize("most", [1, 3, 5])
def test_persistence_pays_whatever_goes_wrong(desk, most):
    rates = ["errors", "truncation", "malformed", "partial", "batch", "stale"]
    settings = ",".join(f"{name}.rate=1,{name}.most_in_a_row={most}" for name in rates)
    ask, plain = desk.caller(f"none,{settings}"), desk.caller()
    for tool, arguments in _calls(desk):
        seen = [ask(tool, **arguments) for _ in range(2 * most + 2)]
        assert [not one.controls for one in seen] == ([False] * most + [True]) * 2
        assert seen[most] == plain(tool, **arguments)


def test_latency_is_written_down(desk):
    seen = [desk.caller("none,latency.rate=1", seed=seed)("web_search", query="Montulascia") for seed in range(20)]
    plain = desk.caller()("web_search", query="Montulascia")
    assert all(one.text == plain.text and one.controls == ("latency",) and not one.error for one in seen)
    assert all(0.5 <= one.latency_s <= 8 for one in seen) and len({one.latency_s for one in seen}) == 20
    assert plain.latency_s == 0


def test_latency_is_waited_for_only_where_it_is_to_be_real(desk):
    seconds = "latency.seconds={low: 0.2, high: 0.2}"
    for real, low, high in ((False, 0, 0.15), (True, 0.2, 2)):
        ask = desk.caller(f"none,latency.rate=1,{seconds},latency.real={str(real).lower()}")
        begun = time.monotonic()
        assert ask("dict_memory", action="retrieve_all").latency_s == 0.2
        assert low <= time.monotonic() - begun < high


def test_truncated_texts_are_the_beginning_and_say_so(desk):
    for database, call in (
        (False, ("web_extractor", {"url": desk.url("club_statistics")})),
        (True, ("list_records", {"table": "town"})),
    ):
        whole = desk.caller(database=database)(call[0], **call[1]).text
        seen = desk.caller("none,truncation.rate=1", database=database)(call[0], **call[1])
        kept, _, said = seen.text.partition("… [response truncated")
        assert whole.startswith(kept) and said and 0.15 < len(kept) / len(whole) < 0.85


def test_malformed_answers_are_no_json(desk):
    calls = [(False, "web_search", {"query": "Montulascia"}), (False, "web_extractor", {"url": desk.url("club_news")})]
    calls += [(True, "list_tables", {}), (True, "list_records", {"table": "town"})]
    for seed in range(8):
        for database, tool, arguments in calls:
            seen = desk.caller("none,malformed.rate=1", seed=seed, database=database)(tool, **arguments)
            assert seen.text.startswith("{") and seen.error == "malformed_response"
            with pytest.raises(ValueError):
                json.loads(seen.text)


def test_partial_results_are_the_first(desk):
    whole = results_in(desk.caller()("web_search", query="Montulascia"))
    seen = results_in(desk.caller("none,partial.rate=1")("web_search", query="Montulascia"))
    assert 1 <= len(seen) < 10 and whole[: len(seen)] == seen
    listed = json.loads(desk.caller("none,partial.rate=1", database=True)("list_records", table="town", limit=30).text)
    assert [one["id"] for one in listed["records"]] == [f"town/{n:04d}" for n in range(len(listed["records"]))]
    assert len(listed["records"]) < 30 and listed["n_total"] == 60


def test_queries_of_a_batch_fail_by_themselves(desk):
    queries = ["Montulascia", "Falonelle", "stadium"]
    whole = desk.caller()("web_search", queries=queries).text.split('Query: "')[1:]
    for seed in range(10):
        seen = desk.caller("none,batch.rate=0.6", seed=seed)("web_search", queries=queries)
        blocks = seen.text.split('Query: "')[1:]
        failed = [number for number, block in enumerate(blocks) if "Error: 503" in block]
        assert len(blocks) == 3 and len(failed) < 3 and bool(failed) == (seen.controls == ("batch",))
        assert all(blocks[n].strip() == whole[n].strip() for n in range(3) if n not in failed)


def test_changes_of_a_batch_that_fail_are_not_made(desk):
    ask = desk.caller("none,batch.rate=1", database=True)
    ids = ["town/0001", "town/0002", "town/0003"]
    changed = json.loads(ask("update_records", table="town", ids=ids, changes={"population": 7}).text)
    failed = [failure["item"] for failure in changed["failures"]]
    assert len(failed) == 2 and set(failed) < set(ids)
    shown = {}
    for id_ in ids:
        (record,) = json.loads(ask("get_records", table="town", ids=[id_]).text)["records"]
        shown[id_] = record["population"] == 7
    assert shown == {id_: id_ not in failed for id_ in ids}


def test_a_stale_page_says_so_shows_lower_figures_and_is_up_to_date_when_opened_again(desk):
    columns, pages = {"elevation", "population"}, desk.world.pages.select(["id", "kind", "url"]).to_pylist()
    found = {}
    for row in desk.world.mentions.to_pylist():
        entity, column = row["fact"].split("#")
        if entity.startswith("town/") and column in columns and row["stance"] == "current":
            found.setdefault((row["page"], entity), set()).add(column)
    articles = {page["id"]: page["url"] for page in pages if page["kind"] == "town_article"}
    page, town = next(place for place, own in found.items() if own == columns and place[0] in articles)
    ask, url = desk.caller("none,stale.rate=1,stale.changed=1,stale.most_in_a_row=2"), articles[page]
    first, second, *later = (ask("web_extractor", url=url) for _ in range(6))
    current = desk.caller()("web_extractor", url=url)
    assert later == [current] * 4
    for old in (first, second):
        view = parse_page(old.text)
        assert view.notice.startswith("Cached copy from ") and view.notice.endswith("the page may have changed since.")
        own = [one for one in old.altered if one.fact.startswith(f"{town}#")]
        assert {one.fact.partition("#")[2] for one in own} == columns
        for one in own:
            assert int(one.shown.replace(",", "")) < int(one.true.replace(",", ""))
            assert f" {one.shown} " in view.body and f" {one.true} " not in view.body


def test_faults_have_no_part_in_keys_but_where_the_view_is_another(desk):
    made = desk.search.controls(load_controls("none,errors.rate=0.5,stale.rate=1"))
    session = made.session("task/list-0001", 1)
    assert session.on(0).key == ""


def test_no_controls_are_no_controls(desk):
    made = desk.search.controls(load_controls("none"))
    assert made.session("task/list-0001", 1) is None
    late = desk.search.controls(load_controls("curriculum"))
    assert late.session("task/list-0001", 1, 0.0) is None
    assert late.session("task/list-0001", 1, 0.5) is not None
