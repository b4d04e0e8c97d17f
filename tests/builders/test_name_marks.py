"""Marks around names in sentences, as Chinese puts around titles: names are marked, mentions are the names alone."""

import re

import pytest

from worldforge.builders.pages.pages_stage import write_pages
from worldforge.builders.populate.populate_stage import populate
from worldforge.core.local_pool import LocalEngine
from worldforge.core.progress import Progress
from worldforge.schema.problems import SpecError
from worldforge.schema.spec_loader import load_spec
from worldforge.world.name_marks import with_name_marks
from worldforge.world.table_files import read_parquet

SPEC = """
name: songs
seed: 5
languages: [zh]
phrases: songs
translations: {zh: {album: 专辑, song: 歌曲, Played: 演奏}}
types:
  album:
    count: 12
    name: {generator: names.title, params: {form: album, culture: chinese}}
    attributes:
      year: {generator: values.year, params: {low: 1990, high: 2029}, label: 发行年份}
  song:
    count: 60
    name: {generator: names.title, params: {form: song, culture: chinese}}
    attributes:
      album: {references: album, label: 专辑}
      cover: {generator: names.title, params: {form: film, culture: chinese}, label: 同名影片}
      tempo: {generator: values.integer, params: {low: 60, high: 200}, label: 速度}
relations:
  played: {source: song, target: album, per_source: {low: 1, high: 2}, columns: {times: {generator: values.integer,
    params: {low: 1, high: 9}, label: 次数}}}
pages:
  article: {generator: pages.encyclopedia, about: song}
  news: {generator: pages.news, about: song, share: 0.5}
"""
BOOK = """
language: zh
types:
  album:
    nouns: [专辑]
    around_name: 《》
    attributes: {year: {says: ["发行于{value}"]}}
  song:
    nouns: [歌曲]
    around_name: 《》
    leads: ["{name}是一首收在{album}里的歌曲。"]
    attributes:
      album: {says: ["收在{value}里", "收录于{value}"], sentences: ["专辑名叫《{value}》。"], talk: ["在{value}里。"]}
      cover: {around: 〈〉, says: ["为影片{value}而作", "配过影片{value}"], sentences: ["它为{value}而写。"]}
      tempo: {says: ["速度为{value}"], more: ["比{other}快{n}"], less: ["比{other}慢{n}"]}
relations:
  played:
    columns: {times: {sentences: ["共{value}次。"]}}
    source: ["{it}在{target}里响过。", {when: times > 2, say: ["{target}里它响了{times}次。"]}]
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "phrases").mkdir()
    (tmp_path / "world.yaml").write_text(SPEC)
    (tmp_path / "phrases" / "songs.zh.yaml").write_text(BOOK)
    return tmp_path


def test_names_in_sentences_stand_in_marks_and_mentions_have_the_names_alone(folder):
    spec = load_spec(folder / "world.yaml")
    tables = populate(spec, Progress(), None)
    write_pages(spec, tables, folder, LocalEngine(1), Progress())
    pages = {page["id"]: page["text"] for page in read_parquet(folder / "pages.parquet").to_pylist()}
    names = {"album": {*tables["album"]["name"].to_pylist()}, "cover": {*tables["song"]["cover"].to_pylist()}}
    seen = dict.fromkeys(("album", "cover", "target", "name"), 0)
    for mention in read_parquet(folder / "mentions.parquet").to_pylist():
        key = mention["fact"].partition("#")[2]
        text, start, end = pages[mention["page"]], mention["start"], mention["end"]
        line = text[text.rfind("\n", 0, start) + 1 : text.find("\n", end)]
        if key in names and mention["stance"] != "relative":
            assert text[start:end] in names[key]
        if key in seen and line.endswith("。") and not line.startswith(("#", "|", "-")):
            before, opening, closing = text[:start].removesuffix("["), *("〈〉" if key == "cover" else "《》")
            after = re.sub(r"^\]\([^)]*\)", "", text[end:])
            assert before.endswith(opening) and after.startswith(closing), line
            assert not before.endswith(opening * 2), line
            seen[key] += 1
    assert min(seen.values()) > 5, seen


def test_marks_stand_around_the_slots_of_names_once(folder):
    spec = load_spec(folder / "world.yaml")
    book = with_name_marks(spec.books["zh"], spec)
    song = book.types["song"].attributes
    assert song["album"].says == ["收在《{value}》里", "收录于《{value}》"]
    assert song["album"].sentences == ["专辑名叫《{value}》。"]
    assert song["album"].same[0] == "与{other}收录于同一{kind}"
    assert song["cover"].sentences == ["它为〈{value}〉而写。"] and song["tempo"].says == ["速度为{value}"]
    assert book.types["song"].leads == ["{name}是一首收在《{album}》里的歌曲。"]
    plain, conditional = book.relations["played"].source
    assert plain == "{it}在《{target}》里响过。" and conditional.say == ["《{target}》里它响了{times}次。"]


@pytest.mark.parametrize("marks", ["《", "《》》"])
def test_marks_are_two(folder, marks):
    book = folder / "phrases" / "songs.zh.yaml"
    book.write_text(BOOK.replace("around_name: 《》", f"around_name: {marks}", 1))
    with pytest.raises(SpecError, match="around_name"):
        load_spec(folder / "world.yaml")
