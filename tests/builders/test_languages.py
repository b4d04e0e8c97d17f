"""Worlds in Chinese, and in both languages: pages, questions and what a spec must say for them."""

import json
import re

import pyarrow.parquet as pq
import pytest

from worldforge.builders.tasks.question_languages import settling_sentence
from worldforge.datasets.view import ExportContext
from worldforge.datasets.world_rows import task_rows
from worldforge.entry_points.build_world import build
from worldforge.entry_points.play_run import rollout
from worldforge.environments.answer_rows import answer_table
from worldforge.schema.problems import SpecError
from worldforge.schema.spec_loader import load_spec
from worldforge.scoring.alias_judge import gold_with_aliases
from worldforge.scoring.compatible_scorer import score_compatible
from worldforge.scoring.gold_table import gold_of
from worldforge.scoring.reward_recipe import DEFAULT
from worldforge.scoring.strict_scorer import score_strict
from worldforge.world.lexicon.lexicon import Lexicon
from worldforge.world.world import open_world
from worldforge.world_model.prose import ProseReader

SPEC = """
name: islands
seed: 5
languages: {languages}
types:
  island:
    count: 24
    name: {{generator: names.place, params: {{culture: chinese, form: "{{}}岛"}}}}
    attributes:
      settled: {{generator: values.year, params: {{low: 1500, high: 1900}}, label: year of settlement}}
      area: {{generator: values.number, params: {{low: 2, high: 900, decimals: 1}}, unit: km²}}
      people: {{generator: values.integer, params: {{low: 2000, high: 90000}}, label: number of inhabitants}}
      soil:
        generator: values.choice
        params: {{options: [clay, sand, chalk]}}
        sentences: ["{{subject}} lies on {{value}}."]
      inhabited: {{generator: values.boolean, params: {{share: 0.6}}}}
    derived:
      rocky: {{sql: "case when soil = 'chalk' then 1 else 0 end", label: degree of rock}}
  keeper:
    count: 60
    label: lighthouse keeper
    name: {{generator: names.person, params: {{culture: chinese}}}}
    attributes:
      born: {{generator: values.date, params: {{low: 1950-01-01, high: 1999-12-31}}, label: date of birth}}
      island: {{references: island}}
relations:
  visited:
    source: keeper
    target: island
    series: source
    per_source: {{low: 1, high: 3}}
    columns:
      from: {{generator: values.date, params: {{low: 2001-01-01, high: 2020-12-31}}}}
pages:
  island_article: {{generator: pages.encyclopedia, about: island}}
  island_own: {{generator: pages.official, about: island, share: 0.3}}
  keeper_article: {{generator: pages.encyclopedia, about: keeper{kind}}}
  keeper_news: {{generator: pages.news, about: keeper, share: 0.3}}
  keeper_forum: {{generator: pages.forum, about: keeper, share: 0.3}}
  keepers: {{generator: pages.directory, about: keeper, by: island, page_size: 4}}
  figures: {{generator: pages.statistics, about: island, page_size: 10}}
{more}
tasks:
  list: {{family: list, about: all, count: 8{family}}}
{asked}
translations:
  zh:
    island: 岛屿
    year of settlement: 定居年份
    area: 面积
    number of inhabitants: 居民数
    soil: 土壤
    clay: 黏土
    sand: 沙土
    chalk: 白垩土
    inhabited: 有人居住
    degree of rock: 岩石等级
    lighthouse keeper: 灯塔看守人
    date of birth: 出生日期
    Visited: 到访记录
    "{{subject}} lies on {{value}}.": "{{subject}}坐落在{{value}}上。"
"""
ASKED = """
  logic: {{family: filter, count: 2, conditions: {{low: 2, high: 3}}{family}}}
  top: {{family: ranking, count: 2{family}}}
  joined: {{family: join, count: 2{family}}}
  described: {{family: described, count: 2, rows: {{low: 2, high: 20}}{family}}}
  together: {{family: union, count: 2{family}}}
  common: {{family: intersection, count: 2, rows: {{low: 2, high: 20}}{family}}}
  gaps: {{family: completion, count: 2{family}}}
  groups: {{family: aggregate, count: 2, about: [island], columns: {{low: 3, high: 4}}{family}}}
"""
ENGLISH = re.compile(r"[A-Za-z]{2,}")
ADDRESS = re.compile(r"\(https?://[^)]*\)")


def write(folder, languages, kind="", family="", more="", asked=""):
    path = folder / "world.yaml"
    asked = asked.format(family=family)
    text = SPEC.format(languages=languages, kind=kind, family=family, more=more, asked=asked)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def chinese(tmp_path_factory):
    folder = tmp_path_factory.mktemp("chinese")
    build(write(folder, "[zh]", asked=ASKED), folder / "out")
    return open_world(folder / "out")


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mixed")
    more = "  keeper_zh: {generator: pages.encyclopedia, about: keeper, language: zh, unless: keeper_article}\n"
    more += "  islands_zh: {generator: pages.statistics, about: island, language: zh}\n"
    more += "  island_forum: {generator: pages.forum, about: island, language: zh}"
    spec = write(folder, "[en, zh]", kind=", share: 0.5", family=", language: both", more=more, asked=ASKED)
    build(spec, folder / "out")
    return open_world(folder / "out")


def failures(world):
    return [one for one in json.loads((world.path / "audit.json").read_text())["checks"] if one["n_failed"]]


def test_a_chinese_world_has_no_english_on_its_pages_and_passes_the_audit(chinese):
    assert failures(chinese) == []
    assert set(chinese.pages["language"].to_pylist()) == {"zh"}
    for title, text in zip(chinese.pages["title"].to_pylist(), chinese.pages["text"].to_pylist(), strict=True):
        words = ENGLISH.findall(ADDRESS.sub("", f"{title}\n{text}"))
        assert set(words) <= {"km"}, (words, text)
        assert "。 " not in text and " ，" not in text


def test_sites_reckon_in_currencies_called_in_chinese(tmp_path):
    toll = "{generator: values.integer, params: {low: 100, high: 900}, label: 过桥费, unit: crowns}"
    told = {"web.currencies": "{crowns: 1, marks: 2.5}", "types.island.attributes.toll": toll}
    told |= {"sites.guide": "{title: 指南, style: {currency: marks}}", "pages.island_article.site": "guide"}
    told |= {"translations.zh.crowns": "克朗", "translations.zh.marks": "马克", "tasks.list.count": "1"}
    build(load_spec(write(tmp_path, "[zh]"), [f"{key}={value}" for key, value in told.items()]), tmp_path / "out")
    world = open_world(tmp_path / "out")
    texts = [page["text"] for page in world.pages.to_pylist() if page["kind"] == "island_article"]
    assert failures(world) == [] and any(re.search(r"过桥费 \| [\d.]+马克", text) for text in texts)
    assert all(text.rstrip().endswith("*金额以马克计：100马克合250克朗。*") for text in texts)


def test_what_a_chinese_page_writes(chinese):
    pages = dict(zip(chinese.pages["id"].to_pylist(), chinese.pages["text"].to_pylist(), strict=True))
    mentions = chinese.mentions.to_pylist()
    dates = [m for m in mentions if m["fact"].endswith("#born")]
    years = [m for m in mentions if m["fact"].endswith("#settled")]
    assert dates and all(re.fullmatch(r"\d{4}年\d{1,2}月\d{1,2}日", m["value"]) for m in dates)
    assert years and all(pages[m["page"]][m["end"]] == "年" for m in years)
    assert {m["value"] for m in mentions if m["fact"].endswith("#inhabited")} == {"是", "否"}
    assert {m["stance"] for m in mentions} == {"current"}
    assert "坐落在" in "".join(pages.values())  # a translated sentence
    assert any(pages[m["page"]][m["end"]] == "k" for m in mentions if m["fact"].endswith("#area"))  # no gap


def test_tables_of_a_chinese_world_are_chinese_and_expressions_follow(chinese):
    soils, rocky = (chinese.entities("island")[name].to_pylist() for name in ("soil", "rocky"))
    assert set(soils) == {"黏土", "沙土", "白垩土"}
    assert [soil == "白垩土" for soil in soils] == [one == 1 for one in rocky]


def test_questions_of_a_chinese_world(chinese):
    assert len(chinese.tasks) == 24
    known = {"岛屿", "定居年份", "面积（km²）", "居民数", "土壤", "有人居住", "岩石等级", "灯塔看守人", "出生日期"}
    for task in chinese.tasks:
        assert task.language == "zh" and (set(task.labels) <= known or task.shape.group)
        assert "```markdown" in task.wording and "、".join(task.labels) in task.wording
        assert not set(ENGLISH.findall(task.wording)) - {"Markdown", "markdown", "km"}
        table = ["|".join(["", *row, ""]) for row in (task.labels, ["-"] * len(task.labels), *task.gold)]
        answer = "\n".join(["```markdown", *table, "```"])
        for score in (score_strict, score_compatible):
            assert score(answer, gold_of(task)).success
    names = sorted(path.name for path in (chinese.path / "widesearch" / "widesearch_gold").iterdir())
    assert names[0] == "ws_zh_001.csv" and len(names) == 24


def test_dates_and_yes_count_as_chinese_answers_write_them(chinese):
    task = next(task for task in chinese.tasks if "date" in {column.kind for column in task.columns})
    at = [column.kind for column in task.columns].index("date")
    said = [
        [f"{c[:4]}年{int(c[5:7])}月{int(c[8:])}日" if n == at else c for n, c in enumerate(row)] for row in task.gold
    ]
    table = ["|".join(["", *row, ""]) for row in (task.labels, ["-"] * len(task.labels), *said)]
    for score in (score_strict, score_compatible):
        assert score("\n".join(["```markdown", *table, "```"]), gold_of(task)).success
    assert {cell for t in chinese.tasks for row in t.gold for cell in row}.isdisjoint({"yes", "no"})


def test_a_world_in_both_languages(mixed):
    assert failures(mixed) == []
    pages = mixed.pages.to_pylist()
    kinds = {page["kind"]: page["language"] for page in pages}
    assert kinds["islands_zh"] == kinds["keeper_zh"] == "zh" and kinds["keeper_article"] == "en"
    for language in ("en", "zh"):
        assert len({task.family for task in mixed.tasks if task.language == language}) >= 5, language
    written = {(m["fact"], m["value"]) for m in mixed.mentions.to_pylist() if m["stance"] == "restated"}
    assert {value for fact, value in written if fact.endswith("#soil")} == {"黏土", "沙土", "白垩土"}
    for task in mixed.tasks:
        cells = {cell for row in task.gold for cell in row}
        assert cells.isdisjoint({"clay", "yes"} if task.language == "zh" else {"黏土", "是"})


def test_an_option_and_a_yes_are_right_in_either_language_and_another_option_in_none(mixed):
    other = {"黏土": "clay", "沙土": "sand", "白垩土": "chalk", "是": "yes", "否": "no"}
    other |= {word: option for option, word in other.items()}
    tasks = [task for task in mixed.tasks if any(cell in other for row in task.gold for cell in row)]
    assert "zh" in {task.language for task in tasks}
    for task in tasks:
        gold = gold_with_aliases(mixed, task)
        rows = [[other.get(cell, cell) for cell in row] for row in task.gold]
        assert score_strict(answer_table(task.labels, rows), gold).success
        wrong = [["sand" if cell in ("clay", "黏土") else cell for cell in row] for row in rows]
        assert wrong == rows or not score_strict(answer_table(task.labels, wrong), gold).success


def test_agents_are_told_in_the_language_of_their_task(mixed):
    summary = rollout(mixed, run="told")
    rows = pq.read_table(summary.folder / "shards").to_pylist()
    assert {row["language"] for row in rows} == {"en", "zh"}
    for row in rows:
        told = row["messages"][0]["content"]
        assert told.startswith("你是" if row["language"] == "zh" else "You are") and row["item_f1"] == 1
    posed = task_rows(ExportContext(mixed, (), "", DEFAULT))
    asked = [[message["content"] for message in row["messages"][:2]] for row in rows]
    assert sorted([message["content"] for message in one.messages] for one in posed) == sorted(asked)


DISAGREEING = """
sites:
  wiki: {title: 群岛百科, mistaken: 0.5, style: {dates: iso}}
  office: {title: 户籍处}
web: {settled_by: date}"""


def test_chinese_pages_disagree_and_questions_say_what_settles_it(tmp_path):
    path = write(tmp_path, "[zh]", kind=", site: wiki", more=DISAGREEING)
    path.write_text(path.read_text(encoding="utf-8").replace("by: island,", "by: island, site: office,"), "utf-8")
    build(path, tmp_path / "out")
    world = open_world(tmp_path / "out")
    assert failures(world) == []
    wrong = [m["value"] for m in world.mentions.to_pylist() if m["stance"] == "mistaken" and "#born" in m["fact"]]
    assert wrong and all(re.fullmatch(r"\d{4}-\d\d-\d\d", value) for value in wrong)
    assert all(task.wording.endswith("各网页说法不一时，以最后发布的网页为准。") for task in world.tasks)
    said = settling_sentence(load_spec(path, ["web.settled_by=authority"]), None)
    first, *others = re.findall(r"：(.*)。$", said)[0].split("；其次是")
    assert first == "各自的官方网站" and others[0].startswith("户籍处（www.")
    assert any("群岛百科（" in one for one in others[1:])
    assert "多数" in settling_sentence(load_spec(path, ["web.settled_by=majority"]), None)


def test_unless_leaves_an_entity_to_one_language(mixed):
    about = {}
    for mention in mixed.mentions.to_pylist():
        if mention["fact"].endswith("#born"):
            about.setdefault(mention["fact"], set()).add(mention["page"])
    kind = dict(zip(mixed.pages["id"].to_pylist(), mixed.pages["kind"].to_pylist(), strict=True))
    stated = [{kind[page] for page in pages} & {"keeper_article", "keeper_zh"} for pages in about.values()]
    assert len(stated) == 60 and all(len(kinds) == 1 for kinds in stated)
    assert {kind for kinds in stated for kind in kinds} == {"keeper_article", "keeper_zh"}


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (["translations.zh.area=", "translations.zh.clay="], "2 texts have no Chinese: area; clay"),
        (["translations.zh.area=土壤"], "`island` calls both `area` and `soil` `土壤`"),
        (["translations.zh.area=面|积"], "no `|`"),
        (["pages.keepers.language=en"], "the world has no `en`"),
        (["tasks.list.language=both"], "the world has one language"),
        (["languages=[zh, zh]"], "2 times"),
        (["languages=[fr]"], "must not be"),
        (["pages.keeper_news.unless=keeper_new"], "unknown kind of page"),
        (["pages.keeper_news.unless=island_article"], "is about `island`"),
        (["web.currencies.marks=1"], "1 texts have no Chinese: marks"),
    ],
)
def test_what_a_spec_gets_wrong_is_told(tmp_path, settings, told):
    with pytest.raises(SpecError, match=re.escape(told)):
        load_spec(write(tmp_path, "[zh]"), settings)


def test_a_world_model_may_word_what_a_chinese_world_says_and_add_nothing(chinese):
    reader = ProseReader(Lexicon.of_world(chinese))
    for text in chinese.pages["text"].to_pylist()[:40]:
        said = next(line for line in text.split("\n") if line.endswith("。"))
        for old, new in (("据登记，", ""), ("该岛屿", "这座岛屿"), ("记录显示，", "资料显示，"), ("为", "是")):
            assert reader.compare(said, said.replace(old, new), complete=True) is None, said
        for more in ("其创始人是张建国。", "成立于一九九九年。", "该地不对外开放。"):
            assert reader.compare(said, said + more, complete=True) is not None


def test_a_spec_in_chinese_needs_no_translations_and_says_the_same_twice(tmp_path):
    spec = load_spec(write(tmp_path, "[zh]"))
    assert "translations" not in spec.model_dump()
    assert spec.types["island"].plural == "岛屿" and spec.relations["visited"].columns["from"].label == "起"
    again = load_spec(write(tmp_path, "[zh, en]"))
    assert again.translations["en"]["白垩土"] == "chalk"
