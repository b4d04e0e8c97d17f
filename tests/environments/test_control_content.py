"""Each control of content by itself on the quickstart world: seen, on record, the same in every session."""

import json
import os
import re
import subprocess
import sys

import pytest
from control_calls import Desk, results_in

from worldforge.core.files import value_digest
from worldforge.environments.controls.control_plan import load_controls
from worldforge.environments.search.requests import SearchRequest
from worldforge.environments.search.text_form import parse_page
from worldforge.world.evidence import Evidence
from worldforge.world.stable_ids import split_fact
from worldforge.world.value_formats import NUMBERS_BELOW_100, TIMES
from worldforge.world.world import open_world

QUERY = "football clubs of Montulascia"
CONTENT = [
    "pagination.rate=1,pagination.size=3",
    "withheld.rate=1,withheld.links=1",
    "snippets.rate=1,snippets.facts=0,snippets.characters=90",
    "distractors.unrelated=0.4",
    "distractors.rate=1",
    "fields.rate=1,fields.reordered=1",
    "wrong_facts.rate=1",
]


@pytest.fixture(scope="module")
def desk(quickstart):
    return Desk(open_world(quickstart))


def _walk(desk, controls, **session):
    """Make calls of every kind that reads; return what came back."""
    ask, base = desk.caller(controls, **session), desk.caller(controls, database=True, **session)
    return [
        ask("web_search", query=QUERY),
        ask("web_search", query=QUERY, page=2),
        ask("web_search", queries=["Montulascia", "stadium capacity"]),
        ask("web_extractor", url=desk.url("club_statistics")),
        ask("web_extractor", url=desk.url("club_article")),
        base("list_tables"),
        base("list_records", table="town", limit=8),
        base("get_records", table="club", ids=["club/0001", "club/0002"]),
    ]


def _digest(desk, controls):
    return value_digest([[seen.text, list(seen.controls), seen.error] for seen in _walk(desk, controls)])


@pytest.mark.parametrize("controls", CONTENT)
def test_a_control_is_seen_and_on_record(desk, controls):
    plain, shaped = _walk(desk, "none"), _walk(desk, f"none,{controls}")
    name = controls.partition(".")[0]
    assert any(name in seen.controls for seen in shaped)
    for before, after in zip(plain, shaped, strict=True):
        assert set(after.controls) <= {name} and before.controls == ()
        assert (after.text != before.text) == bool(after.controls)
        assert not after.error and bool(after.altered) == (after.controls == ("wrong_facts",))


@pytest.mark.parametrize("controls", CONTENT)
def test_a_control_shows_a_call_alike_in_every_session(desk, controls):
    first, other = (
        _walk(desk, f"none,{controls}", task=task, seed=seed) for task, seed in [("task/list-0001", 7), ("x", 8)]
    )
    assert first == other
    assert first != _walk(desk, f"none,{controls},seed=5") or controls.startswith(
        ("pagination", "snippets", "withheld")
    )


def test_what_is_shown_is_the_same_in_another_process(desk):
    controls = "harsh,errors.rate=0,malformed.rate=0,truncation.rate=0,wrong_facts.rate=0.3"
    code = (
        "import sys; sys.path[:0] = sys.argv[3:]\n"
        "from control_calls import Desk; from test_control_content import _digest\n"
        "from worldforge.world.world import open_world\n"
        "print(_digest(Desk(open_world(sys.argv[1])), sys.argv[2]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(desk.world.path), controls, os.path.dirname(__file__)],  # noqa: PTH120
        env={**os.environ, "PYTHONHASHSEED": "4711"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == _digest(desk, controls)


def test_small_pages_bring_every_result_once(desk):
    ask, small = desk.caller(), desk.caller("none,pagination.rate=1,pagination.size=4")
    long = [r.url for page in (1, 2) for r in results_in(ask("web_search", query=QUERY, page=page), page)]
    short = [small("web_search", query=QUERY, page=page) for page in range(1, 6)]
    shown = [results_in(seen, page) for page, seen in enumerate(short, 1)]
    assert [r.url for results in shown for r in results] == long
    assert [r.rank for results in shown for r in results] == list(range(1, 21))
    assert all('repeat the call with "page": 2' in seen.text for seen in short[:1])


def test_small_pages_of_records_are_gone_through_by_cursor(desk):
    ask, cursor, ids = desk.caller("none,pagination.rate=1,pagination.size=5", database=True), {}, []
    for _ in range(12):
        shown = json.loads(ask("list_records", table="town", limit=50, **cursor).text)
        ids += [record["id"] for record in shown["records"]]
        cursor = {"cursor": shown["next_cursor"]}
    assert cursor == {"cursor": None} and ids == [f"town/{number:04d}" for number in range(60)]


def test_results_about_something_else_push_none_out(desk):
    mixed = desk.caller("none,distractors.unrelated=0.3,distractors.rate=1,distractors.most=2")
    plain = desk.caller()
    wanted = [r.url for page in (1, 2) for r in results_in(plain("web_search", query=QUERY, page=page), page)]
    seen = [results_in(mixed("web_search", query=QUERY, page=page), page) for page in range(1, 6)]
    assert [r.rank for results in seen for r in results] == list(range(1, 1 + sum(map(len, seen))))
    shown = list(dict.fromkeys(r.url for results in seen for r in results))
    assert set(wanted) <= set(shown)
    first = [r.url for r in seen[0]]
    assert 2 <= len(set(first) - set(wanted)) <= 6


def test_a_distractor_is_called_alike_and_stands_high(desk):
    ask = desk.caller("none,distractors.rate=1")
    plain = [r.url for r in results_in(desk.caller()("web_search", query="Falonelle town"))]
    results = results_in(ask("web_search", query="Falonelle town"))
    (lure,) = [r for r in results if r.url not in plain[:-1]]  # one result fewer has room
    assert "Falonelle" in lure.title and lure.title != "Falonelle" and lure.rank <= 3


def test_withheld_columns_are_stated_on_pages_of_their_own(desk):
    """Each statement that no page shows any more, of those that pages made, is none that is lost."""
    ask, evidence = desk.caller("none,withheld.rate=1,withheld.links=1"), Evidence(desk.world.mentions)
    pages, mentions = desk.world.pages, desk.world.mentions
    for kind in ("club_statistics", "clubs_by_region", "players_by_town"):
        seen = ask("web_extractor", url=desk.url(kind))
        view = parse_page(seen.text)
        assert "…" in view.body and "](http" not in view.body and "withheld" in seen.controls
        row = pages["url"].to_pylist().index(view.url)
        shown = {(one.start, one.end) for one in seen.disclosed}
        for mention in range(mentions.num_rows):
            if mentions["page"][mention].as_py() != f"page/{row:06d}":
                continue
            start, end = mentions["start"][mention].as_py(), mentions["end"][mention].as_py()
            if any(first <= start and end <= last for first, last in shown):
                continue
            elsewhere = evidence.page[evidence.of(mentions["fact"][mention].as_py())]
            assert any(evidence.n_named[other] == 1 for other in elsewhere)


def test_withheld_columns_are_in_records_got_one_by_one(desk):
    ask = desk.caller("none,withheld.rate=1", database=True)
    listed = json.loads(ask("list_records", table="town", limit=2).text)["records"]
    got = json.loads(ask("get_records", table="town", ids=[record["id"] for record in listed]).text)["records"]
    assert [set(record) for record in listed] == [{"id", "name"}] * 2
    assert all({"population", "region", "mayor"} < set(record) for record in got)


def test_tables_of_pages_stay_tables(desk):
    for controls in ("withheld.rate=1", "wrong_facts.rate=1", "withheld.links=1", "stale.rate=1,stale.changed=1"):
        ask = desk.caller(f"none,{controls}")
        for kind in ("club_statistics", "town_statistics", "player_article"):
            body = parse_page(ask("web_extractor", url=desk.url(kind)).text).body
            true = parse_page(desk.caller()("web_extractor", url=desk.url(kind)).text).body
            bars = [line.count("|") for line in body.splitlines()]
            assert bars == [line.count("|") for line in true.splitlines()]


_NAMES = ("name", "source", "target")
"""Columns that say who is meant."""


def test_a_snippet_keeps_to_its_budget(desk):
    ask = desk.caller("none,snippets.rate=1,snippets.facts=1,snippets.characters=100")
    names = [name for table in desk.world.spec.types for name in desk.world.entities(table)["name"].to_pylist()]
    stated = {}
    for row in desk.world.mentions.to_pylist():
        column = "name" if row["stance"] == "relative" else row["fact"].partition("#")[2]
        stated.setdefault(row["page"], []).append((column, row["value"]))
    ids = dict(zip(desk.world.pages["url"].to_pylist(), desk.world.pages["id"].to_pylist(), strict=True))
    plain = {r.url: r for r in results_in(desk.caller()("web_search", query="stadium capacity titles"))}
    for result in results_in(ask("web_search", query="stadium capacity titles")):
        assert len(result.snippet) <= 100 and result.snippet != plain[result.url].snippet
        rest = result.snippet
        for column, value in sorted(stated[ids[result.url]], key=lambda one: -len(one[1])):
            rest = rest.replace(value, "") if column in _NAMES else rest
        for name in names:  # without a mark, as in titles
            rest = rest.replace(name, "").replace(f"{name.partition(' ')[0]}…", "…")
        told = {value for column, value in stated[ids[result.url]] if column not in _NAMES and len(value) > 2}
        told -= {*NUMBERS_BELOW_100.values()}  # differences from other clubs have them as well
        assert len([value for value in told if re.search(rf"\b{re.escape(value)}\b", rest)]) <= 1, rest


def test_a_fact_is_wrong_in_one_way_wherever_it_is_shown(desk):
    shown, true = {}, {}
    controls = "none,wrong_facts.rate=0.5"
    ask, base = desk.caller(controls), desk.caller(controls, database=True)
    seen = [ask("web_search", query=query) for query in ("Falonelle town", QUERY, "mayor elevation")]
    seen += [ask("web_extractor", url=url) for url in desk.world.pages["url"].to_pylist()[:200]]
    seen += [ask("web_extractor", url=desk.url("club_statistics", number)) for number in range(9)]
    seen += [base("get_records", table="town", ids=[f"town/{number:04d}" for number in range(60)])]
    for observation in seen:
        for one in observation.altered:
            shown.setdefault(one.fact, set()).add(_bare(desk, one.fact, one.shown))
            true.setdefault(one.fact, set()).add(_bare(desk, one.fact, one.true))
    assert len(shown) > 300
    for fact, values in shown.items():
        assert len(values) == len(true[fact]) == 1 and values != true[fact], fact


def _bare(desk, fact, value):
    """Bring the ways to write a value together: words for it, separators, names of what is referred to."""
    table, _, column = split_fact(fact)
    value = desk.world.spec.value_wordings["en"].get(f"{table}.{column}", {}).get(value, value)
    references = {("town", "region"): "region", ("club", "town"): "town"}
    target = references.get((table, column))
    if target and value.startswith(f"{target}/"):
        return desk.world.entities(target)["name"][int(value.rpartition("/")[2])].as_py()
    words = {word: number for words in (NUMBERS_BELOW_100, TIMES) for number, word in words.items()}
    value = words.get(value.lower(), value).removesuffix(" times").removesuffix(" time")
    return value.replace(",", "") if value.replace(",", "").replace(".", "").isdigit() else value


def test_no_link_gives_a_wrong_value_away(plain_world):
    """A town that is put in the place of another in a list has no link, which would lead to the true one."""
    desk = Desk(plain_world)
    seen = desk.caller("none,wrong_facts.rate=1")("web_extractor", url=desk.url("clubs_by_region"))
    lines = parse_page(seen.text).body.splitlines()
    towns = [one for one in seen.altered if one.fact.endswith("#town")]
    assert len(towns) > 5 and any(f"home town: {one.shown}" in line for one in towns for line in lines)
    assert not any(line.partition("home town: ")[2].startswith("[") for line in lines)


def test_the_dial_turns(desk):
    counts = []
    for rate in (0, 0.1, 0.5, 1):
        ask = desk.caller(f"none,wrong_facts.rate={rate}")
        facts = [
            {one.fact for one in ask("web_extractor", url=url).altered}
            for url in desk.world.pages["url"].to_pylist()[:60]
        ]
        counts.append(set().union(*facts))
    assert [len(count) > 0 for count in counts] == [False, True, True, True]
    assert counts[1] < counts[2] < counts[3]
    assert 0.05 < len(counts[1]) / len(counts[3]) < 0.15 and 0.4 < len(counts[2]) / len(counts[3]) < 0.6


def test_wrong_values_are_of_their_kind_and_never_true(desk):
    ask = desk.caller("none,wrong_facts.rate=1", database=True)
    plain = desk.caller(database=True)
    for table in ("region", "town", "club", "player", "festival", "plays_for"):
        ids = [f"{table}/{number:04d}" for number in range(min(60, desk.world.tables()[table].num_rows))]
        wrong, true = (json.loads(a("get_records", table=table, ids=ids).text)["records"] for a in (ask, plain))
        for shown, held in zip(wrong, true, strict=True):
            assert all(shown[name] == held[name] for name in ("id", "name", "source", "target") if name in held)
            for column in held:
                assert type(shown[column]) is type(held[column])
                if isinstance(held[column], int | float):
                    assert shown[column] != held[column] and (shown[column] >= 0 or held[column] < 0)


def test_what_a_session_has_changed_is_not_made_wrong(desk):
    ask = desk.caller("none,wrong_facts.rate=1", database=True)
    ask("update_records", table="town", ids=["town/0003"], changes={"population": 4321})
    shown = json.loads(ask("get_records", table="town", ids=["town/0003"]).text)["records"][0]
    assert shown["population"] == 4321


def test_fields_may_be_asked_for_by_the_names_they_are_shown_under(desk):
    ask = desk.caller("none,fields.rate=1", database=True)
    first = json.loads(ask("list_records", table="town", limit=1).text)
    shown = {column: name for name, column in first["renamed"].items()}
    assert shown["population"] != "population" and {"id", "name"}.isdisjoint(shown)
    assert ask("list_tables") == desk.caller(database=True)("list_tables")
    for name in (shown["population"], "population"):
        over = [{"column": name, "comparison": ">", "value": 100_000}]
        found = json.loads(ask("list_records", table="town", filters=over, order_by=name, limit=3).text)
        assert [record[shown["population"]] > 100_000 for record in found["records"]] == [True] * 3
    changed = json.loads(ask("update_records", table="town", ids=["town/0000"], changes={shown["population"]: 99}).text)
    assert changed["records"][0][shown["population"]] == 99


def test_controls_reach_the_calls_they_are_told_to(desk):
    seen = _walk(desk, "none,wrong_facts.rate=1,wrong_facts.tools=[open]")
    assert [seen[place].controls for place in range(8)] == [()] * 3 + [("wrong_facts",)] * 2 + [()] * 3


def test_controls_reach_the_turns_they_are_told_to(desk):
    ask = desk.caller("none,wrong_facts.rate=1,wrong_facts.from_turn=1,wrong_facts.to_turn=2")
    seen = [ask("web_extractor", url=desk.url("town_article")) for _ in range(4)]
    assert [bool(one.altered) for one in seen] == [False, True, True, False]
    assert seen[0].text == seen[3].text and seen[1].text == seen[2].text


@pytest.mark.parametrize("share", ["tasks", "sessions"])
def test_controls_reach_their_share_of_tasks_or_sessions(desk, share):
    made = desk.search.controls(load_controls(f"none,wrong_facts.rate=1,wrong_facts.{share}=0.3"))
    keys = {
        (task, seed): bool(made.session(f"task/{task}", seed).instruction) for task in range(60) for seed in range(3)
    }
    assert 0.15 < sum(keys.values()) / len(keys) < 0.45
    of_tasks = {task: {keys[task, seed] for seed in range(3)} for task in range(60)}
    assert all(len(found) == 1 for found in of_tasks.values()) == (share == "tasks")


def test_a_key_names_content_and_nothing_else(desk):
    def key(controls, **session):
        made = desk.search.controls(load_controls(controls)).session("task/list-0000", 1, **session)
        return made.effective(0, SearchRequest).key if made is not None else ""

    assert key("none") == key("none,errors.rate=1,stale.rate=1") == ""
    assert key("mild") == key("mild,errors.rate=0.9,latency.rate=0,wrong_facts.tools=[open]") != ""
    assert len({key("mild"), key("mild,seed=1"), key("harsh"), key("mild,wrong_facts.rate=0.1")}) == 4
    assert key("curriculum", place=0.501) == key("curriculum", place=0.499) != key("curriculum", place=0.6)
    assert key("curriculum", place=0) == ""


def test_a_rendering_model_is_told_what_it_must_keep_to(desk):
    def told(controls):
        made = desk.search.controls(load_controls(controls)).session("task/list-0000", 1)
        return made.instruction if made is not None else ""

    assert told("none") == told("none,errors.rate=1") == ""
    assert "do not answer" in told("mild") and "exactly as it is given" not in told("mild")
    assert "exactly as it is given" in told("none,wrong_facts.rate=0.1")


def test_gold_and_world_stay_as_they_are(desk):
    before = desk.world.manifest["files"]
    tasks = [(task.wording, task.gold, task.query) for task in desk.world.tasks]
    _walk(desk, "harsh,wrong_facts.rate=1")
    again = open_world(desk.world.path)
    assert [(task.wording, task.gold, task.query) for task in again.tasks] == tasks
    assert again.manifest["files"] == before
