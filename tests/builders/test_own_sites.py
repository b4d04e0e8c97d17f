"""Addresses of official pages: a column says where they stand, few pages tell it, and answers hold it."""

import json

import numpy as np
import pyarrow as pa
import pytest
from command import worldforge

from generators.values import website
from worldforge.core.chance import Stream
from worldforge.core.errors import InputError
from worldforge.entry_points.play_run import rollout
from worldforge.environments.answer_rows import answer_table
from worldforge.schema.spec_loader import load_spec
from worldforge.scoring.compatible_scorer import score_compatible
from worldforge.scoring.gold_table import gold_of
from worldforge.scoring.strict_scorer import score_strict
from worldforge.world.world import open_world

WEBSITE = {"generator": "values.website", "params": {"name": "= name"}, "label": "official website", "missing": 0.25}
STATES = ["town", "founded", "stadium", "capacity", "colours", "website"]
TASKS = {
    "list": None,
    "sites": {
        "family": "list",
        "about": ["club"],
        "count": 6,
        "rows": {"low": 2, "high": 12},
        "columns": {"low": 2, "high": 4},
        "include": ["website"],
    },
    "paths": {"family": "list", "about": ["player"], "count": 4, "columns": {"low": 6, "high": 9}, "paths": 0.8},
}


def spec_of(folder, pages=None, tasks=None, attributes=None):
    spec = {
        "name": "sites",
        "extends": "quickstart",
        "types": {"club": {"attributes": {"website": WEBSITE, **(attributes or {})}}},
        "pages": {"club_official": {"states": STATES, "address": "website", **(pages or {})}},
        "tasks": tasks or TASKS,
    }
    (folder / "sites.yaml").write_text(json.dumps(spec), encoding="utf-8")
    return folder / "sites.yaml"


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sites")
    worldforge("build", spec_of(folder), "-o", folder / "world")
    return open_world(folder / "world")


@pytest.fixture(scope="module")
def asked(world):
    tasks = [task for task in world.tasks if task.id.startswith("task/sites-")]
    assert len(tasks) == 6
    return tasks


def test_an_official_page_stands_where_the_table_says_and_who_has_no_address_has_none(world):
    clubs = world.entities("club").to_pylist()
    given = {club["name"]: club["website"] for club in clubs if club["website"]}
    assert 0 < len(given) < len(clubs) and len(set(given.values())) == len(given)
    pages = world.pages.to_pylist()
    official = {page["url"]: page for page in pages if page["kind"] == "club_official"}
    assert official.keys() == set(given.values())
    assert all(name in official[url]["title"] for name, url in given.items())


def test_only_the_page_itself_and_the_encyclopedia_tell_the_address(world):
    pages, kinds, told = world.pages.to_pylist(), set(), set()
    for mention in world.mentions.to_pylist():
        if mention["fact"].endswith("#website"):
            page = pages[int(str(mention["page"]).rpartition("/")[2])]
            assert page["text"][mention["start"] : mention["end"]] == mention["value"]
            kinds.add(page["kind"])
            told.add(mention["fact"])
    assert kinds == {"club_official", "club_article"}
    assert len(told) == sum(club["website"] is not None for club in world.entities("club").to_pylist())


def test_answers_hold_addresses_and_no_condition_is_on_one(world, asked):
    audit = json.loads((world.path / "audit.json").read_text())
    assert {check["check"]: check["failures"] for check in audit["checks"] if check["failures"]} == {}
    sites = {club["name"]: club["website"] for club in world.entities("club").to_pylist()}
    for task in asked:
        (place,) = (n for n, column in enumerate(task.columns) if column.kind == "address")
        assert task.labels[place] == "Official website"
        assert [row[place] for row in task.gold] == [sites[row[0]] for row in task.gold]
        assert task.evaluation["eval_pipeline"]["officialwebsite"]["metric"] == ["url_match"]
        assert "beginning with https://" in task.wording
    for task in world.tasks:
        assert "website" not in json.dumps([str(term) for term in task.conditions])
        has_any = any(column.kind == "address" for column in task.columns)
        assert has_any == ("beginning with https://" in task.wording)


def test_addresses_at_the_end_of_references_are_columns_too(world):
    paths = [column.path for task in world.tasks for column in task.columns if column.kind == "address"]
    assert "website" in paths
    assert {path for path in paths if "." in path} <= {"club.website"}


def test_an_address_is_compared_by_its_host(asked):
    gold = gold_of(asked[0])
    (place,) = (n for n, column in enumerate(asked[0].columns) if column.kind == "address")

    def scores(change):
        rows = [[*row[:place], change(row[place]), *row[place + 1 :]] for row in asked[0].gold]
        return [score(answer_table(asked[0].labels, rows), gold).success for score in (score_strict, score_compatible)]

    assert scores(lambda url: url.removesuffix("/")) == [True, True]
    assert scores(lambda url: f"[site]({url})") == [True, True]
    assert scores(lambda url: url.replace("www.", "www.the-")) == [False, False]
    assert scores(lambda url: "") == [False, False]


def test_scripted_agents_find_the_addresses(world):
    for agent in ("oracle", "searcher"):
        tally = rollout(world, agent=agent, max_steps=1000).tally
        assert tally.scores["item_f1"] > (0.999 if agent == "oracle" else 0.9)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"pages": {"address": "founded"}}, "`founded` is no column of addresses of `club`"),
        ({"pages": {"address": "webste"}}, "did you mean `website`"),
        ({"pages": {"share": 0.5}}, "`share` does not go with `address`"),
        ({"pages": {"generator": "pages.news"}}, "no host of their own"),
        ({"tasks": {"list": {"include": ["websites"]}}}, "did you mean `website`"),
        ({"tasks": {"one": {"family": "aggregate", "count": 1, "include": ["website"]}}}, "`include` does not belong"),
        ({"tasks": {"list": {"columns": {"low": 1, "high": 1}, "include": ["website"]}}}, "leaves no room"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path, changes, said):
    assert said in worldforge("validate", spec_of(tmp_path, **changes), code=2).stderr


def test_two_pages_at_one_address_are_refused_with_a_way_out(tmp_path):
    same = {"generator": "values.website", "params": {"name": "Same Name"}}
    spec = json.loads(spec_of(tmp_path).read_text())
    spec["types"] = {name: {"attributes": {"website": same}} for name in ("club", "town")}
    own = {"generator": "pages.official", "about": "town", "states": ["website"], "address": "website"}
    spec["pages"]["town_own"] = own
    (tmp_path / "sites.yaml").write_text(json.dumps(spec), encoding="utf-8")
    refused = worldforge("build", tmp_path / "sites.yaml", "-o", tmp_path / "world", code=2).stderr
    assert "another page stands at https://www.same-name.example/" in refused and "`zone`" in refused


def test_websites_are_made_of_names_and_no_two_alike():
    names = pa.array(["Velmar Rovers", "鹭湾市", "Velmar Rovers", "Recall 12"])
    made = website(Stream(3), np.arange(4), name=names).to_pylist()
    assert made[:2] == ["https://www.velmar-rovers.example/", "https://www.lu-wan-shi.example/"]
    assert len(set(made)) == 4 and made[2].startswith("https://www.velmar-rovers-")
    assert website(Stream(3), np.arange(1), name="Ada", zone="clubs").to_pylist() == ["https://www.ada.clubs.example/"]
    with pytest.raises(InputError, match="zone"):
        website(Stream(3), np.arange(1), name="Ada", zone="no dots.")


def test_strategies_keep_addresses_and_pages_together(tmp_path):
    path = spec_of(tmp_path)
    spec = json.loads(path.read_text())
    for strategy in ({"long_tail": {"detail": 2, "documented": 0.5}}, {"private": {}}):
        path.write_text(json.dumps({**spec, "strategies": strategy}), encoding="utf-8")
        changed = load_spec(path)
        kind, column = changed.pages["club_official"], changed.types["club"].attributes["website"]
        if "private" in strategy:
            assert kind.address is None
        else:
            assert (kind.share, column.missing) == (1, pytest.approx(1 - 0.75 * 0.5))
