"""Styles of sites with Chinese pages: 万 and 亿, units in Chinese, and what Chinese pages cannot write."""

import re

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from test_languages import failures, write
from test_languages_pages import SMALL

from worldforge.entry_points.build_world import build
from worldforge.schema.problems import SpecError
from worldforge.schema.spec_loader import load_spec
from worldforge.schema.web_section import Style
from worldforge.world.unit_conversion import SiteUnit
from worldforge.world.value_formats import ValueFormat, form_of, write_in
from worldforge.world.world import open_world

MYRIADS = Style(numbers="myriads")
MORE = """
  island_talk: {{generator: pages.forum, about: island, language: zh, site: lamp}}
  keeper_talk: {{generator: pages.forum, about: keeper, language: {other}, site: post}}
sites:
  lamp: {{title: Lamp Post, mistaken: 0.2, style: {{numbers: myriads, units: imperial}}}}
  post: {{title: Post, style: {{dates: iso}}}}
web: {{settled_by: date}}"""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (124_000, "12.4万"), (10_000, "1万"), (-20_500, "-2.05万"), (340_000_000, "3.4亿"),
        (123_456_700, "12,345.67万"),
        (9_900, "9,900"), (12_345, "12,345"), (0, "0"), (10**13, "100,000亿"),
    ],
)  # fmt: skip
def test_numbers_by_the_myriad(value, text):
    one = ValueFormat("integer", MYRIADS, SiteUnit(""))
    assert write_in(pa.array([value]), one).to_pylist() == [text]
    assert one.read(text) == value


@example([2**63 - 1, -(2**63)], 1)
@given(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=6), st.sampled_from([1, 100, 10**4, 10**6]))
def test_every_number_comes_back(values, times):
    held = [max(-(2**63), min(value * times, 2**63 - 1)) for value in values]
    one = ValueFormat("integer", MYRIADS, SiteUnit(""))
    assert [one.read(text) for text in write_in(pa.array(held), one).to_pylist()] == held


@pytest.mark.parametrize("text", ["万", "-万", "1万2", "1,24万", "1.2.3万", "一万", "1万万亿?", " 1万"])
def test_what_is_no_such_number_is_not_read(text):
    assert ValueFormat("integer", MYRIADS, SiteUnit("")).read(text) is None


def test_what_is_counted_in_thousands_is_not_counted_by_the_myriad_as_well(tmp_path):
    spec = load_spec(write(tmp_path, "[zh]"))
    held = pa.array([124_000])
    forms = {
        unit: form_of(spec, MYRIADS, "integer", unit, held) for unit in ("人", "千册", "百万克朗", "thousand km", "")
    }
    assert {unit for unit, form in forms.items() if form.alters} == {"人", ""}


@pytest.mark.parametrize(("languages", "other"), [("[en, zh]", "zh"), ("[zh, en]", "en")])
def test_sites_in_a_second_language_have_their_style(tmp_path, languages, other):
    called = ["translations.zh.Lamp Post=灯塔报", "translations.zh.Post=邮报", "translations.zh.km²=平方公里"]
    peopled = "types.island.attributes.people.params={low: 2000, high: 90000, step: 100}"
    path = write(tmp_path, languages, more=MORE.format(other=other))
    build(load_spec(path, [*called, peopled, *SMALL, "tasks.list.count=1"]), tmp_path / "out")
    world = open_world(tmp_path / "out")
    assert failures(world) == []
    pages = {page["id"]: page for page in world.pages.to_pylist()}
    areas = dict(
        zip(world.entities("island")["id"].to_pylist(), world.entities("island")["area"].to_pylist(), strict=True)
    )
    written = {"area": [], "people": [], "born": []}
    for mention in world.mentions.to_pylist():
        page, (row, _, column) = pages[mention["page"]], mention["fact"].partition("#")
        if mention["stance"] == "restated" and page["kind"] in ("island_talk", "keeper_talk") and column in written:
            written[column].append(mention["value"])
            if column == "area":
                assert page["text"][mention["end"] :].startswith("平方英里")
                assert float(mention["value"].replace(",", "")) == pytest.approx(areas[row] / 2.59, rel=0.05)
    assert written["area"] and all(re.fullmatch(r"\d+(\.\d{1,2})?万", value) for value in written["people"])
    assert written["people"] and all(re.fullmatch(r"\d{4}-\d\d-\d\d", value) for value in written["born"])
    assert written["born"]


def test_english_months_on_chinese_pages_and_myriads_on_english_ones_are_refused(tmp_path):
    more = "  island_talk: {generator: pages.forum, about: island, language: zh, site: lamp}\n"
    more += "  keeper_talk: {generator: pages.forum, about: keeper, site: post}\n"
    more += 'sites: {lamp: {title: 灯塔报, style: {dates: "month day, year"}}, '
    more += "post: {title: Post, style: {numbers: myriads}}}"
    with pytest.raises(SpecError) as refused:
        load_spec(write(tmp_path, "[en, zh]", more=more))
    said = str(refused.value)
    assert "`month day, year` is not written in `zh`, and `island_talk` is" in said and "or `iso`" in said
    assert "`myriads` is not written in `en`, and `keeper_talk` is" in said
