"""Names beside names in Chinese: how they are cut short, how pages introduce them and list who shares a name."""

import json
import re

import numpy as np
import pyarrow as pa
import pytest

from generators.names import in_chinese, short
from generators.names.invented_words import vocabulary
from generators.names.transliteration import in_characters
from worldforge.builders.pages.alias_choice import alias_kind
from worldforge.builders.tasks.gates import wording_reason
from worldforge.core.chance import Stream
from worldforge.entry_points.build_world import build
from worldforge.environments.answer_rows import answer_table
from worldforge.rollouts.scores import score_row
from worldforge.schema.spec_loader import load_spec
from worldforge.scoring.alias_judge import gold_with_aliases
from worldforge.world.task import Task, TaskColumn
from worldforge.world.task_terms import Condition
from worldforge.world.world import open_world

KINDS = "原名|简称|又称|外文名为|中文名为|曾用名"
SPEC = """
name: chengshi
seed: 7
languages: [zh]
types:
  town:
    count: 24
    label: 城镇
    name: {generator: names.town, params: {culture: chinese}}
    attributes:
      area: {generator: values.integer, params: {low: 9, high: 900}, label: 面积}
  college:
    count: 30
    label: 大学
    name: {generator: names.university, params: {culture: chinese, town: = town.name}, aliases: {share: 0.7, used: 0.5}}
    attributes:
      town: {references: town, label: 所在地}
      founded: {generator: values.year, params: {low: 1880, high: 2010}, label: 成立年份}
  person:
    count: 50
    label: 学者
    name:
      generator: names.person
      params: {culture: chinese}
      namesakes: 0.2
      aliases: {share: 0.6, used: 0.5, forms: [former, transliterated]}
    attributes:
      college: {references: college, label: 任教学校}
pages:
  college_article: {generator: pages.encyclopedia, about: college}
  person_article: {generator: pages.encyclopedia, about: person}
  people: {generator: pages.directory, about: person, by: college.town}
  person_names: {generator: pages.disambiguation, about: person}
tasks:
  list: {family: list, about: all, count: 5}
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("called_chinese")
    (folder / "world.yaml").write_text(SPEC, encoding="utf-8")
    build(load_spec(folder / "world.yaml"), folder / "world")
    return open_world(folder / "world")


def test_chinese_names_are_cut_short_as_they_are_spoken():
    of = [
        "安溪市",
        "安溪师范大学",
        "鹭湾第一中学",
        "蝉州飞虎足球俱乐部",
        "橘丘理工大学",
        "陈维远",
        "安溪银行",
        "安洲银行",
        "",
    ]
    found = [short(Stream(seed), np.arange(9), of=pa.array(of)).to_pylist() for seed in range(12)]
    drawn = [set(column) for column in zip(*found, strict=True)]
    assert drawn[:6] == [
        {"安溪"},
        {"安师大", "安溪师大"},
        {"鹭一中", "鹭湾一中"},
        {"蝉州飞虎"},
        {"橘理工", "橘丘理工"},
        {None},
    ]
    assert drawn[6:] == [{None}] * 3  # 安行 would be both


def test_pages_say_what_sort_of_name_it_is(world):
    pages = {page["title"]: page["text"] for page in world.pages.to_pylist() if page["kind"].endswith("article")}
    told = set()
    for kind in ("college", "person"):
        table = world.entities(kind)
        for name, aliases in zip(table["name"].to_pylist(), table["aliases"].to_pylist(), strict=True):
            for alias in aliases if table["name"].to_pylist().count(name) == 1 else ():
                (word,) = re.findall(rf"({KINDS}){alias}[，。]", pages[name])
                told.add(word)
                assert (word == "外文名为") == alias.isascii()
                assert (word in ("简称", "又称")) == (set(alias) <= set(name))
    assert told >= {"简称", "原名", "外文名为"}
    assert json.loads((world.path / "audit.json").read_text())["checks"][0]["n_failed"] == 0


@pytest.mark.parametrize(
    ("name", "alias", "number", "kind"),
    [
        ("安溪师范大学", "安师大", 0, "简称"),
        ("安溪市", "安溪", 0, "又称"),
        ("安溪市", "鹭湾市", 0, "原名"),
        ("安溪市", "鹭湾市", 1, "曾用名"),
        ("陈维远", "Chen Weiyuan", 0, "外文名为"),
        ("Velmar", "维尔马", 0, "中文名为"),
    ],
)
def test_kinds_of_other_names(name, alias, number, kind):
    assert alias_kind(name, alias, number) == kind


def test_pages_call_by_aliases_and_search_finds_them(world):
    kinds = dict(zip(world.pages["id"].to_pylist(), world.pages["kind"].to_pylist(), strict=True))
    by_alias = [one for one in world.mentions.to_pylist() if one["stance"] == "alias"]
    assert {kinds[one["page"]] for one in by_alias} == {"college_article", "person_article", "people"}
    assert {one["fact"].partition("#")[2] for one in by_alias} == {"name", "college"}
    checks = json.loads((world.path / "audit.json").read_text())["checks"]
    assert not [one for one in checks if one["n_failed"]] and len(world.tasks) == 5


def test_an_alias_in_chinese_is_right(world):
    known, told = world.other_names, 0
    for task in world.tasks:
        rows = [[known.get(cell, [cell])[-1] for cell in row] for row in task.gold]
        told += rows != [list(row) for row in task.gold]
        assert score_row(gold_with_aliases(world, task), answer_table(task.labels, rows))["success"], task.id
    assert told


def test_pages_of_shared_names_are_in_chinese(world):
    names = world.entities("person")["name"].to_pylist()
    shared = {name for name in names if names.count(name) > 1}
    pages = {page["title"]: page["text"] for page in world.pages.to_pylist() if page["kind"] == "person_names"}
    assert pages.keys() == {f"{name}（消歧义）" for name in shared}
    for title, text in pages.items():
        name = title.removesuffix("（消歧义）")
        assert text.count(f"- [{name}（") == names.count(name) == text.count("学者，任教学校：")
        assert not re.search(r"[A-Za-z]", re.sub(r"\(https?://[^)]*\)", "", text))


@pytest.mark.parametrize(
    ("asked", "condition", "reason"),
    [
        ("List all clubs in Ostren, such as V.R., that are old.", "Ostren", "gives away `Velmar Rovers` by `V.R.`"),
        ("List all clubs in Velmar that are old.", "Velmar", ""),  # the town's name, which is given
        ("List all clubs in Ostren that are old, Velmar included.", "Ostren", "by `Velmar`"),
        ("List all clubs in Ostren that are old.", "Ostren", ""),
    ],
)
def test_a_question_that_holds_an_alias_gives_the_answer_away(asked, condition, reason):
    term = Condition("town", "=", "town/0001", condition, "text")
    columns = (TaskColumn("name", "Club", "text", is_key=True),)
    gold = (("Velmar Rovers",),)
    task = Task("task/list-0000", "list", "club", "en", asked, "", (term,), columns, {}, gold, (), ())
    found = wording_reason(task, {"Velmar Rovers": ("V.R.", "Velmar")})
    assert reason in found and bool(found) == bool(reason)


MIXED = """
name: mixed
seed: 7
languages: [en, zh]
types:
  town:
    count: 16
    name: {generator: names.town, params: {culture: keldric}, aliases: {share: 1, used: 0.8, forms: [transliterated]}}
    attributes:
      people: {generator: values.integer, params: {low: 900, high: 9000}}
  club:
    count: 40
    name:
      generator: names.club
      params: {culture: keldric, town: = town.name}
      aliases: {share: 1, used: 0.8, forms: [transliterated, initials]}
    attributes:
      town: {references: town}
      founded: {generator: values.year, params: {low: 1880, high: 2010}}
pages:
  town_article: {generator: pages.encyclopedia, about: town, share: 0.5}
  town_zh: {generator: pages.encyclopedia, about: town, language: zh, unless: town_article}
  club_zh: {generator: pages.encyclopedia, about: club, language: zh}
  clubs: {generator: pages.directory, about: club, by: town, language: zh}
  clubs_en: {generator: pages.directory, about: club}
tasks:
  list: {family: list, about: [club], count: 6, language: both}
translations:
  zh: {town: 城镇, club: 足球俱乐部, people: 人口, founded: 成立年份}
"""


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mixed")
    (folder / "world.yaml").write_text(MIXED, encoding="utf-8")
    build(load_spec(folder / "world.yaml"), folder / "world")
    return open_world(folder / "world")


def is_chinese(text):
    return re.search(r"[\u3400-\u9fff]", text) is not None


def test_towns_and_their_clubs_sound_alike(mixed):
    heard = dict(zip(*(mixed.entities("town")[name].to_pylist() for name in ("name", "aliases")), strict=True))
    clubs = mixed.entities("club")
    towns = dict(zip(mixed.entities("town")["id"].to_pylist(), mixed.entities("town")["name"].to_pylist(), strict=True))
    known = 0
    for town, aliases in zip(clubs["town"].to_pylist(), clubs["aliases"].to_pylist(), strict=True):
        chinese = [alias for alias in aliases if is_chinese(alias)]
        assert all(heard[towns[town]][0] in alias for alias in chinese)
        known += len(chinese)
    assert known > 15


def test_pages_use_other_names_in_their_own_script(mixed):
    pages = {page["id"]: page for page in mixed.pages.to_pylist()}
    by_alias = [one for one in mixed.mentions.to_pylist() if one["stance"] == "alias"]
    introducing = {"town_article", "club_zh"}  # there all other names are told
    for one in by_alias:
        page = pages[one["page"]]
        assert page["kind"] in introducing or is_chinese(one["value"]) == (page["language"] == "zh")
    names = set(mixed.entities("town")["name"].to_pylist())
    titled = [page for page in pages.values() if page["kind"] == "town_zh" and page["title"] not in names]
    assert titled
    for page in titled:
        (name,) = re.findall(r"原名(\w+)。", page["text"])
        assert name in names and page["title"] in mixed.other_names[name]
    assert not [one for one in json.loads((mixed.path / "audit.json").read_text())["checks"] if one["n_failed"]]


def test_chinese_questions_call_by_chinese_names_and_answers_in_either_are_right(mixed):
    called = [
        condition.written
        for task in mixed.tasks
        for condition in task.conditions
        if task.language == "zh" and condition.value.startswith("town/")
    ]
    told = {one["value"] for one in mixed.mentions.to_pylist() if one["stance"] == "alias"}
    assert {name for name in called if is_chinese(name)} and set(filter(is_chinese, called)) <= told
    for task in mixed.tasks:
        assert task.language == "zh" or not is_chinese(task.wording)
        rows = [[mixed.other_names.get(cell, [cell])[0] for cell in row] for row in task.gold]
        gold = gold_with_aliases(mixed, task)
        assert score_row(gold, answer_table(task.labels, task.gold))["success"]
        assert score_row(gold, answer_table(task.labels, rows))["success"]


@pytest.mark.parametrize(
    ("name", "chinese"),
    [
        ("Velmar", "韦尔马尔"),
        ("Alvano Barabesko", "阿尔瓦诺·巴拉贝斯科"),
        ("Royal University of Velmar", "韦尔马尔皇家大学"),
        ("Velmar Institute of Mining", "韦尔马尔矿业学院"),
        ("River Velmar", "韦尔马尔河"),
        ("Velmar United", "韦尔马尔联队"),
        ("Barabesko & Tarn Savings Bank", "巴拉贝斯科与塔尔恩储蓄银行"),
        ("Velmar–Ostarn Line", "韦尔马尔—奥斯塔尔恩线"),
        ("Aldencombe", "阿尔登库姆"),
        ("Njördal", "尼约尔达尔"),
        ("鹭湾大学", "鹭湾大学"),
        ("lamb stew", None),
        (None, None),
    ],
)
def test_latin_names_in_characters(name, chinese):
    assert in_chinese(Stream(1), np.arange(1), of=pa.array([name], pa.string())).to_pylist() == [chinese]


@pytest.mark.parametrize("culture", ["sarnese", "keldric", "ombari", "english"])
def test_nearly_all_invented_words_sound_unlike(culture):
    for sort in ("given", "family", "place", "region"):
        words = vocabulary(culture, sort)[:300].to_pylist()
        heard = [in_characters(word) for word in words]
        assert all(re.fullmatch(r"[\u3400-\u9fff]{2,10}", text) for text in heard)
        assert len(set(heard)) > 0.6 * len(words)
