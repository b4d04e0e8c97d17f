"""Names beside names in Chinese: how they are cut short, how pages introduce them and list who shares a name."""

import json
import re

import numpy as np
import pyarrow as pa
import pytest

from generators.names import short
from worldforge.agents.answer import answer_table
from worldforge.build import build
from worldforge.builders.pages.aliases import SORTS, sort_of
from worldforge.builders.tasks.gates import wording_reason
from worldforge.core.chance import Stream
from worldforge.rollouts.scores import score_row
from worldforge.schema.load import load_spec
from worldforge.scoring.aliases import gold_with_aliases
from worldforge.world.task import Task, TaskColumn
from worldforge.world.terms import Condition
from worldforge.world.world import open_world

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
  list: {family: list, about: all, count: 8}
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
    found = [short(Stream(seed), np.arange(9), of=pa.array(of)).to_pylist() for seed in range(20)]
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
                (word,) = re.findall(rf"({'|'.join(SORTS)}){alias}[，。]", pages[name])
                told.add(word)
                assert (word == "外文名为") == alias.isascii()
                assert (word in ("简称", "又称")) == (set(alias) <= set(name))
    assert told >= {"简称", "原名", "外文名为"}
    assert json.loads((world.path / "audit.json").read_text())["checks"][0]["n_failed"] == 0


def test_sorts_of_other_names():
    pairs = [("安溪师范大学", "安师大"), ("安溪市", "安溪"), ("安溪市", "鹭湾市"), ("陈维远", "Chen Weiyuan")]
    names, aliases = (pa.array(column) for column in zip(*pairs, ("Velmar", "维尔马"), ("Velmar", None), strict=True))
    assert [SORTS[n] for n in sort_of(names, aliases)][:5] == ["简称", "又称", "原名", "外文名为", "中文名为"]


def test_pages_call_by_aliases_and_search_finds_them(world):
    kinds = dict(zip(world.pages["id"].to_pylist(), world.pages["kind"].to_pylist(), strict=True))
    by_alias = [one for one in world.mentions.to_pylist() if one["stance"] == "alias"]
    assert {kinds[one["page"]] for one in by_alias} == {"college_article", "person_article", "people"}
    assert {one["fact"].partition("#")[2] for one in by_alias} == {"name", "college"}
    checks = json.loads((world.path / "audit.json").read_text())["checks"]
    assert not [one for one in checks if one["n_failed"]] and len(world.tasks) == 8


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
        assert text.count(f"- [{name}](https://") == names.count(name) == text.count("学者，任教学校：")
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
    columns = (TaskColumn("name", "Club", "text"),)
    gold = (("Velmar Rovers",),)
    task = Task("task/list-0000", "list", "club", "en", asked, "", (term,), columns, ("Club",), {}, gold, (), ())
    found = wording_reason(task, {"Velmar Rovers": ("V.R.", "Velmar")})
    assert reason in found and bool(found) == bool(reason)
