"""Chinese pages of every sort: an intranet's, reprints, merged tables; and what a spec may not ask of them."""

import json
import re

import pytest
from reprint_notes import reprint_notes
from test_languages import ADDRESS, ENGLISH, failures, write

from worldforge.builders.tasks.question_languages import settling_sentence
from worldforge.entry_points.build_world import build
from worldforge.schema.problems import SpecError
from worldforge.schema.spec_loader import load_spec
from worldforge.world.world import open_world

MORE = """
  keeper_again: {generator: pages.reprint, about: keeper, copies: keeper_news, share: 0.7}
  keeper_post: {generator: pages.reprint, about: keeper, copies: keeper_forum}
strategies: {private: {}}"""
SMALL = ("types.island.count=8", "types.keeper.count=24")
OWN_UP = reprint_notes("zh")
MORE_LINKS = re.compile(r"\*[^*]+：\* \[")  # links to more pages of the site


@pytest.fixture(scope="module")
def intranet(tmp_path_factory):
    folder = tmp_path_factory.mktemp("intranet")
    web = ["web={redirects: 0.3, dead_links: 0.1}", "tasks.list.count=1", "pages.keepers.generator=pages.sheet"]
    build(load_spec(write(folder, "[zh]", more=MORE), [*web, *SMALL]), folder / "out")
    return open_world(folder / "out")


def texts_of(world, kind):
    return [ADDRESS.sub("", page["text"]) for page in world.pages.to_pylist() if page["kind"] == kind]


def test_an_intranet_in_chinese(intranet):
    assert failures(intranet) == [] and (intranet.path / "redirects.parquet").exists()
    for page in intranet.pages.to_pylist():
        words = ENGLISH.findall(ADDRESS.sub("", f"{page['title']}\n{page['text']}"))
        assert {*words} <= {"km"}, (words, page["text"])
    assert "## 页面历史" in texts_of(intranet, "island_article")[0]
    assert "全体员工" in texts_of(intranet, "keeper_news")[0] and "| 状态 |" in texts_of(intranet, "keeper_forum")[0]
    assert "导出自" in texts_of(intranet, "keepers")[0] and "（表格）" in texts_of(intranet, "figures")[0]
    hosts = {host.partition(".")[0] for host in intranet.pages["site"].to_pylist()}
    assert {"wiki", "board", "tracker", "files"} == hosts


def test_chinese_reprints_own_up_in_chinese_and_say_what_their_originals_say(intranet):
    for kind, first in (("keeper_again", "keeper_news"), ("keeper_post", "keeper_forum")):
        copies, originals = texts_of(intranet, kind), "\n".join(texts_of(intranet, first)).split("\n")
        assert copies and all(OWN_UP.search(text) for text in copies)
        for text in copies:
            own = [line for line in text.split("\n") if line and not MORE_LINKS.match(line)]
            lines = [line for line in own if not OWN_UP.search(line)]
            assert {*lines} <= {*originals}


def test_an_intranet_is_called_in_the_language_of_its_pages(tmp_path):
    more = "  keeper_zh: {generator: pages.encyclopedia, about: keeper, language: zh, site: book}\n"
    more += "sites: {book: {title: guide}}\nstrategies: {private: {organisation: Tarn}}"
    spec = load_spec(write(tmp_path, "[en, zh]", more=more), ["translations.zh.guide=指南"])
    assert spec.sites["book"].title == "Tarn book wiki"
    assert spec.translations["zh"]["Tarn book wiki"] == "Tarn指南维基"


def test_copies_are_in_the_language_of_their_originals_and_generators_write_what_they_can(tmp_path):
    (tmp_path / "own.py").write_text(
        "from typing import Annotated\nfrom worldforge.world.page_inputs import Layout, Subject\n"
        "from worldforge.world.page_writer import Page\n"
        "def card(page: Page, subject: Subject) -> Annotated[None, Layout(languages=('en',))]: ...\n"
    )
    more = "  keeper_zh: {generator: pages.news, about: keeper, language: zh}\n"
    more += "  again: {generator: pages.reprint, about: keeper, copies: keeper_zh}\n"
    more += '  card: {generator: "own:card", about: keeper, language: zh}'
    with pytest.raises(SpecError) as refused:
        load_spec(write(tmp_path, "[en, zh]", more=more), code_from=tmp_path)
    said = str(refused.value)
    assert "`keeper_zh` is in `zh`, and so are its copies" in said and "write `language: zh`" in said
    assert "`own:card` does not write `zh`" in said and "it writes `en`" in said


DISAGREEING = """
  keeper_zh: {generator: pages.encyclopedia, about: keeper, language: zh, site: lamp}
  island_talk: {generator: pages.forum, about: island, language: zh, site: lamp}
  keeper_talk: {generator: pages.forum, about: keeper, site: square}
sites:
  lamp: {title: Lamp Post, mistaken: 0.4, outdated: 0.5}
  square: {title: Square, mistaken: 0.4}
web: {settled_by: date}"""
SAID = {"en": "Where pages disagree, go by the page published last.", "zh": "各网页说法不一时，以最后发布的网页为准。"}


def test_pages_in_a_second_language_disagree_and_questions_in_either_say_what_settles_it(tmp_path):
    varies = [f"types.island.attributes.{name}.varies=0.2" for name in ("people", "soil")]
    called = ["translations.zh.Lamp Post=灯塔报", "translations.zh.Square=广场", "tasks.list.count=4"]
    path = write(tmp_path, "[en, zh]", family=", language: both", more=DISAGREEING)
    build(load_spec(path, [*varies, *called, *SMALL]), tmp_path / "out")
    world = open_world(tmp_path / "out")
    checks = {one["check"]: one for one in json.loads((world.path / "audit.json").read_text())["checks"]}
    assert failures(world) == [] and checks["conflicts"]["n_checked"] > 20
    chinese = {page["id"] for page in world.pages.to_pylist() if page["language"] == "zh"}
    said = {}
    for mention in world.mentions.to_pylist():
        if mention["stance"] in ("outdated", "mistaken"):
            key = mention["stance"], mention["page"] in chinese, mention["fact"].partition("#")[2]
            said.setdefault(key, []).append(mention["value"])
    assert {*said["mistaken", True, "soil"], *said["outdated", True, "soil"]} <= {"黏土", "沙土", "白垩土"}
    assert all(re.fullmatch(r"\d{4}年\d+月\d+日", value) for value in said["mistaken", True, "born"])
    assert all(re.fullmatch(r"\d+ [A-Z][a-z]+ \d{4}", value) for value in said["mistaken", False, "born"])
    assert said["outdated", True, "people"]
    assert {task.language for task in world.tasks} == {"en", "zh"}
    assert all(task.wording.endswith(SAID[task.language]) for task in world.tasks)
    assert sum(task.measures.n_conflicts for task in world.tasks) > 0


def test_sites_are_named_to_readers_of_either_language(tmp_path):
    more = DISAGREEING.replace("settled_by: date", "settled_by: authority")
    called = ["translations.zh.Lamp Post=灯塔报", "translations.zh.Square=广场", "sites.lamp.outdated=0"]
    spec = load_spec(write(tmp_path, "[en, zh]", more=more), called)
    english, chinese = (settling_sentence(spec, None, language) for language in ("en", "zh"))
    assert english.startswith(" Where pages disagree") and "灯塔报 (www." in english
    assert chinese.startswith("各网页说法不一时") and "Square（www." in chinese
