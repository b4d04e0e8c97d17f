"""Figures as named sites give them: posed, worded, derived from the sites' own pages, proved, and kept by the audit."""

import json
import re
from collections import defaultdict

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import worldforge

from tests.conftest import once
from worldforge.builders.tasks.question_languages import QuestionLanguage
from worldforge.core.chance import Stream
from worldforge.environments.coverage import readers_of_facts
from worldforge.environments.search.searcher.page_reading import PageReader, Reading, ReadStatement, Source
from worldforge.rollouts.factories import TaskMentions
from worldforge.schema.spec_loader import load_spec
from worldforge.world.evidence import Evidence
from worldforge.world.site_figures import SITE_FIGURES_FILE, page_sites, parted
from worldforge.world.stable_ids import split_fact
from worldforge.world.table_files import TRUE_STANCES
from worldforge.world.task import TaskColumn
from worldforge.world.world import open_world

SPEC = {
    "name": "sources",
    "extends": "quickstart",
    "types": {
        "town": {"count": 20},
        "club": {
            "count": 30,
            "attributes": {
                "website": {"generator": "values.website", "params": {"name": "= name"}, "label": "website"}
            },
        },
        "player": {"count": 30},
        "festival": {"count": 12},
    },
    "sites": {"encyclopedia": {"mistaken": 0.3}, "federation": {"mistaken": 0.1, "style": {"numbers": "point"}}},
    "web": {"settled_by": "authority"},
    "pages": {"club_official": {"address": "website"}},
    "tasks": {
        "list": None,
        "sources": {"family": "by_site", "about": ["club"], "count": 10, "columns": {"low": 3, "high": 4}},
    },
    "gates": {"searcher": {"item_f1": 0.5}},
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    def make(folder):
        spec = folder.with_suffix(".json")
        spec.write_text(json.dumps(SPEC), encoding="utf-8")
        worldforge("build", spec, "-o", folder)

    return open_world(once(tmp_path_factory, "site_figures", make))


def cells(world):
    """Each cell that a site is to give, with its fact."""
    for task in world.tasks:
        for row, facts in zip(task.gold, task.facts, strict=True):
            for cell, fact in zip(row, facts, strict=True):
                if "@" in fact:
                    yield task, cell, fact


def test_gold_is_what_each_site_says_true_or_not(world):
    pages = world.pages.to_pylist()
    said = defaultdict(set)
    for one in world.mentions.to_pylist():
        page, entity = pages[int(one["page"].removeprefix("page/"))], one["fact"].partition("#")[0]
        kind = world.spec.pages[page["kind"]]
        table, row, column = split_fact(one["fact"])
        if one["stance"] not in (*TRUE_STANCES, "outdated", "mistaken") or table != "club":
            continue
        club = world.entities("club").slice(row, 1).to_pylist()[0]
        if kind.address and page["url"] != club["website"]:
            continue
        value = club[column] if one["stance"] in TRUE_STANCES else one["value"].replace(",", "").replace(".", "")
        said[entity, column, "own" if kind.address else kind.site].add(str(value))
    n_wrong = n_cells = 0
    for _, cell, fact in cells(world):
        entity, _, path = fact.partition("#")
        column, site = parted(path)
        assert said[entity, column, site] == {cell}, fact
        n_cells += 1
        n_wrong += cell != str(world.entities("club").slice(split_fact(fact)[1], 1)[column][0].as_py())
    assert n_cells >= 40 and n_wrong >= 5, "some sites err"
    written = [
        one for one in pq.read_table(world.path / SITE_FIGURES_FILE).to_pylist() if one["id"].startswith("club/")
    ]
    assert {"own", "encyclopedia", "federation", "herald"} <= {one["site"] for one in written}
    assert all(said[one["id"], one["column"], one["site"]] == {f"{one['value']:g}"} for one in written)


def test_each_task_asks_two_sites_for_one_figure_and_says_which_they_are(world):
    assert len(world.tasks) == 10
    sites = set()
    for task in world.tasks:
        first, second = (column.path for column in task.columns[-2:])
        assert parted(first)[0] == parted(second)[0] and parted(first)[1] != parted(second)[1]
        sites |= {parted(first)[1], parted(second)[1]}
        assert any(row[-1] != row[-2] for row in task.gold), "nobody asks for the same figure twice"
        assert task.columns[-1].label in task.wording
        for site in (parted(first)[1], parted(second)[1]):
            title = "its own website" if site == "own" else world.spec.sites[site].title
            assert f"according to {title}" in task.wording.replace("according to the ", "according to ")
            assert site == "own" or f"({title}: www." in task.wording or f"; {title}: www." in task.wording
    assert "encyclopedia" in sites


def test_the_query_of_a_task_runs_on_the_world(world):
    for task in world.tasks:
        found = world.database().sql(task.query).fetchall()
        assert [tuple(row[1:]) for row in found] == list(task.gold)


def test_the_searcher_asks_the_sites_and_reaches_most_of_it(world):
    assert all(task.measures.searcher_f1 >= 0.5 for task in world.tasks)
    assert np.mean([task.measures.searcher_f1 for task in world.tasks]) > 0.9


def test_explain_shows_what_the_site_says_and_where(world):
    task, cell, fact = next(one for one in cells(world) if parted(one[2])[1] == "encyclopedia")
    done = worldforge("explain", world.path, fact)
    assert f"{fact} = {cell}  (as pages of the site `encyclopedia` give it)" in done.stdout
    urls = re.findall(r"https://([^/]*)/", done.stdout)
    assert urls and set(urls) == {page["site"] for page in world.pages.to_pylist() if page["kind"] == "club_article"}
    assert fact in worldforge("explain", world.path, task.id).stdout
    done = worldforge("explain", world.path, "club/0001#capacity@nowhere", code=2)
    assert "no column `capacity@nowhere`" in done.stderr


def test_an_environment_without_pages_sets_such_tasks_aside(world, tmp_path):
    options = ("--environment", "database", "--agent", "oracle", "--out", tmp_path)
    done = worldforge("rollout", world.path, *options, code=2)
    assert "none of 10 episodes can be played: it asks for figures by site" in done.stderr


def test_the_audit_finds_nothing_until_a_figure_is_another(world, tmp_path):
    copy = tmp_path / "world"
    copy.mkdir()
    for path in world.path.iterdir():
        (copy / path.name).symlink_to(path)
    (copy / "audit.json").unlink()
    (copy / SITE_FIGURES_FILE).unlink()
    table = pq.read_table(world.path / SITE_FIGURES_FILE)
    audit = json.loads((world.path / "audit.json").read_text())
    assert {check["check"]: check["n_failed"] for check in audit["checks"] if check["n_failed"]} == {}
    (checked,) = (check for check in audit["checks"] if check["check"] == "site figures")
    assert checked["n_checked"] == table.num_rows > 100
    values = table["value"].to_pylist()
    changed = table.set_column(3, "value", pa.array([values[0] + 1, *values[1:]]))
    pq.write_table(changed, copy / SITE_FIGURES_FILE)
    done = worldforge("audit", copy, code=None)
    assert done.returncode != 0 and f"do not say {values[0] + 1:g}" in done.stdout + done.stderr


def test_a_figure_counts_as_shown_on_its_sites_pages_alone(world):
    task, _, fact = next(one for one in cells(world) if parted(one[2])[1] == "encyclopedia")
    shown_to = readers_of_facts(TaskMentions(world, world.tasks))
    evidence, place = Evidence(world.mentions, page_sites(world)), _place(task, fact)

    def shown(mention, altered=()):
        page, text = int(evidence.page[mention]), world.pages["text"][int(evidence.page[mention])].as_py()
        seen = {"disclosed": [{"page": page, "start": 0, "end": len(text)}], "altered": [{"fact": f} for f in altered]}
        return shown_to(task)("web_extractor", text, seen)

    own = evidence.of(fact)
    assert len(own) and all(place in shown(mention) for mention in own)
    assert all(place not in shown(mention, [fact.partition("@")[0]]) for mention in own), "a control altered it"
    elsewhere = [one for one in evidence.of(fact.partition("@")[0]) if evidence.page[one] not in evidence.page[own]]
    assert elsewhere and all(place not in shown(mention) for mention in elsewhere)


def _place(task, fact):
    (at,) = ((r, c) for r, row in enumerate(task.facts) for c, one in enumerate(row) if one == fact)
    return at[0] * len(task.columns) + at[1]


def test_an_index_of_facts_that_others_map_knows_the_sites(world, tmp_path):
    evidence = Evidence(world.mentions, page_sites(world))
    evidence.write(tmp_path)
    mapped = Evidence.written(tmp_path)
    facts = [fact for _, _, fact in cells(world)]
    assert all(evidence.of(fact).tolist() == mapped.of(fact).tolist() != [] for fact in facts)
    assert all(len(Evidence(world.mentions).of(fact)) == 0 for fact in facts), "without sites nothing is known of them"


def test_a_reader_notes_which_site_gives_a_figure(world):
    reader, sites = PageReader(world), page_sites(world)
    rows = np.flatnonzero(sites.owners >= 0)[:2].tolist()
    own, other = (f"club/{int(sites.owners[row]):04d}" for row in rows)
    stated = [ReadStatement(f"{club}#capacity", 1200, "1,200") for club in (own, other)]
    relative = ReadStatement(f"{own}#founded", None, "", f"{other}#founded", 3)
    reading = Reading(Source(rows[0], "Home", None, 1.0), [*stated, relative])
    found = reader.with_site_figures(reading, {"club#capacity": ["own", "herald"], "club#founded": ["own"]})
    assert [one.fact for one in found.statements[3:]] == [f"{own}#capacity@own"], "on the club itself, as a figure"
    assert reader.with_site_figures(reading, {}) is reading


@pytest.mark.parametrize(
    ("topic", "path", "label", "sentence"),
    [
        ("food", "seats@inspectorate", "Number of seats according to the Office of Markets and Inns",
         "(Office of Markets and Inns: www.office-markets-inns.example)"),
        ("food", "menu@own", "Price of the set menu according to its own website (cowries)", ""),
        ("food_zh", "seats@guidebook", "“去哪儿吃”所列座位数", "（去哪儿吃：www.qu-na-er-chi.example）"),
        ("food_zh", "menu@own", "官网所列套餐价格（贝币）", ""),
    ],
)  # fmt: skip
def test_labels_and_questions_name_the_site_in_both_languages(topic, path, label, sentence):
    spec = load_spec(topic)
    language = QuestionLanguage(spec, spec.languages[0], {}, None)
    (column,) = language.label_columns("restaurant", [TaskColumn(path, "", "integer")])
    assert column.label == label
    if sentence:
        assert sentence in language.about_sites([column], Stream(1))
    assert language.about_sites([TaskColumn("seats", "", "integer")], Stream(1)) == ""


def test_a_spec_whose_sites_never_err_is_told(tmp_path):
    path = tmp_path / "spec.json"
    spec = {key: value for key, value in SPEC.items() if key not in ("sites", "web", "gates")}
    path.write_text(json.dumps(spec), encoding="utf-8")
    done = worldforge("validate", path, code=2)
    assert "two sites never give different figures" in done.stderr


def test_no_site_is_called_as_entities_own(tmp_path):
    path = tmp_path / "spec.json"
    path.write_text(json.dumps({**SPEC, "sites": {**SPEC["sites"], "own": {"title": "Own"}}}), encoding="utf-8")
    done = worldforge("validate", path, code=2)
    assert "`own` stands for the site that an entity has itself" in done.stderr
