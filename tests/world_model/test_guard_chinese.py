"""Chinese prose in other words: what says the same passes, what adds or changes a fact does not."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenes import page_scene

from worldforge.world.lexicon.chinese_text import value_of
from worldforge.world.lexicon.lexicon import Lexicon
from worldforge.world.lexicon.sentence_splitting import sentences
from worldforge.world_model.guard import Guard
from worldforge.world_model.prose import ProseReader

LEXICON = Lexicon(
    names=["鹭湾岛", "榆桥岛", "赵烨强", "虹汀市", "Velmar Rovers", "苇门2017年展"],
    values=["黏土", "沙土", "大", "海港电影学校"],
    labels=["成立年份", "居民数", "面积", "出生日期", "出生地", "土壤", "球场容量"],
    vocabulary=[
        "岛屿",
        "居民",
        "俱乐",
        "乐部",
        "球场",
        "演员",
        "坐落",
        "土壤",
        "容量",
        "出生",
        "成立",
        "面积",
        "民数",
        "讨论",
        "论页",
        "更多",
    ],
    units=["千克朗", "千人"],
)
READER = ProseReader(LEXICON)
SOURCE = "据登记，鹭湾岛的成立年份为1903年。该岛屿的面积是12.4km²。岛屿坐落在黏土上。欢迎在讨论页补充更多来源。"


def told(text):
    return [(one.kind, one.canonical) for one in LEXICON.found(text)]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("12.4万人，3.4亿，5,000", ["124000", "340000000", "5000"]),
        ("三十二名，两千，一九〇三年，百分之三十", ["32", "2000", "1903", "年", "%", "30"]),
        ("第4名，第四", ["4.", "4."]),
        ("1,839千人，39千克朗", ["1839", "千人", "39", "千克朗"]),
        ("12平方公里，12km²，5公斤", ["12", "km²", "12", "km²", "5", "kg"]),
        ("约12人，12人左右，超过12人，数十人", ["约", "12", "12", "左右", "超过", "12", "数", "10"]),
        ("自1925年起", ["1925", "年", "起"]),
        ("是一座城镇，一些人，统一", []),
        ("有一座城镇", ["1"]),
        ("-0.38", ["-0.38"]),
    ],
)
def test_figures_in_chinese(text, facts):
    text = text.replace("城镇", "岛屿")
    assert [said for kind, said in told(text) if kind in ("number", "unit", "bound")] == facts


@pytest.mark.parametrize("text", ["2024年6月18日", "二〇二四年六月十八日", "2024-06-18", "2024年6月18号"])
def test_a_day_is_one_day(text):
    assert told(f"于{text}") == [("date", "2024-06-18")]


@given(st.integers(1, 99_999_999))
def test_numerals_say_what_they_count(number):
    signs, units = "零一二三四五六七八九", ["", "十", "百", "千", "万", "十万", "百万", "千万"]
    groups = []
    for part, myriad in ((number // 10_000, "万"), (number % 10_000, "")):
        said = "".join(
            signs[int(digit)] + (units[len(str(part)) - place - 1] if digit != "0" else "")
            for place, digit in enumerate(str(part))
        )
        while "零零" in said:
            said = said.replace("零零", "零")
        said = said.rstrip("零")
        lead = "零" if groups and part and part < 1000 else ""
        groups += [lead + said + myriad] if part else []
    assert value_of("".join(groups)) == number


@given(st.text("鹭湾岛黏土一二十万几第约负前-0.5,年月日“是”不超过居A k", max_size=30))
def test_whatever_is_found_stands_in_order_and_does_not_overlap(text):
    found = LEXICON.found(text)
    assert all(0 <= one.start < one.end <= len(text) and one.canonical for one in found)
    assert all(one.end <= following.start for one, following in pairwise(found))


def test_names_values_and_what_nobody_knows():
    assert told("赵烨强在海港电影学校") == [("name", "赵烨强"), ("value", "海港电影学校")]
    assert told("Velmar Rovers的苇门2017年展") == [("name", "velmar rovers"), ("name", "苇门2017年展")]
    assert told("其创始人是张建国")[-1][0] == "word" and told("“有人居住”登记为“是”")[-1] == ("value", "是")
    assert ("negation", "不") in told("该岛屿不在此") and told("不少居民") == []


@pytest.mark.parametrize(
    "draft",
    [
        SOURCE.replace("据登记，", "资料显示，").replace("欢迎在讨论页补充更多来源。", ""),
        SOURCE.replace("鹭湾岛的成立年份为1903年", "鹭湾岛成立于一九〇三年"),
        SOURCE.replace("该岛屿的面积是12.4km²", "它的面积为12.4平方公里"),
        SOURCE.replace("岛屿坐落在黏土上", "这座岛屿位于黏土之上").replace("之上", "上"),
        SOURCE.replace("欢迎在讨论页", "也请各位在此"),
        SOURCE.replace("该岛屿", "这个岛屿").replace("是12", "共12"),
    ],
)
def test_a_faithful_rewording_passes(draft):
    assert READER.compare(SOURCE, draft, complete=True) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1903", "1904"),
        ("12.4", "12.5"),
        ("km²", "km"),
        ("鹭湾岛", "榆桥岛"),
        ("黏土", "沙土"),
        ("黏土", "岩石"),
        ("成立年份为", "成立年份约为"),
        ("成立年份为", "成立年份不为"),
        ("1903年", "1903年以后"),
        ("为1903年", "为1903年前"),
        ("面积", "球场容量"),
        ("坐落在黏土上", "曾坐落在黏土上"),
        ("岛屿坐落在黏土上。", ""),
        ("该岛屿的面积是12.4km²。", ""),
        ("上。", "上，由赵烨强管理。"),
        ("上。", "上。其创始人是张建国。"),
        ("上。", "上。另有居民三百名。"),
        ("上。", "上吗？"),
        ("上。", "上。它与和平公园相邻。"),
        ("1903年。", "1903年6月。"),
        ("据登记，", "据传，"),
        ("1903", "１９０３"),
        ("黏土", "大黏土"),
        ("鹭湾岛", "鹭灣岛"),
        ("。欢", "。见 http://a.example。欢"),
        ("12.4km²", "12.4万km²"),
        ("成立", "解散"),
        ("黏土", "\u200b黏土"),
    ],
)
def test_a_fact_that_is_added_changed_or_left_out_is_refused(old, new):
    assert old in SOURCE
    assert READER.compare(SOURCE, SOURCE.replace(old, new, 1), complete=True) is not None


def test_who_is_what_of_whom_stays():
    source = "赵烨强的出生地是虹汀市。"
    assert READER.compare(source, "赵烨强的出生地为虹汀市。", complete=True) is None
    assert READER.compare(source, "据资料记载，赵烨强的出生地是虹汀市。", complete=True) is None
    assert READER.compare(source, "赵烨强是虹汀市的出生地。", complete=True) is not None
    assert READER.compare(source, "虹汀市的出生地是赵烨强。", complete=True) is not None
    two = "鹭湾岛的居民数为300。榆桥岛的居民数为500。"
    assert READER.compare(two, "鹭湾岛的居民数为500。榆桥岛的居民数为300。", complete=True) is not None
    figures = "鹭湾岛面积为12km²，居民数为12。"
    assert READER.compare(figures, "鹭湾岛居民数为12km²，面积为12。", complete=True) is not None


def test_sentences_end_at_chinese_stops():
    assert sentences("甲。乙！“丙。”丁？3.5万。") == ["甲。", "乙！", "“丙。”", "丁？", "3.5万。"]


def test_the_guard_takes_a_chinese_page_in_other_words_and_calls_what_is_wrong_by_its_name():
    scene = page_scene(f"# 鹭湾岛\n\n{SOURCE}\n\n| 成立年份 | 1903年 |\n|:---|:---|\n")
    guard = Guard(LEXICON, ["榆桥岛"])
    verdicts = [
        guard.check(scene, scene.text.replace(old, new, 1)).kind
        for old, new in [
            ("据登记，鹭湾岛的成立年份为1903年", "资料显示，鹭湾岛成立于1903年"),
            ("为1903年。", "为1904年。"),
            ("上。", "上。张建国。"),
            ("据登记，鹭湾岛", "据登记，榆桥岛"),
            ("岛屿坐落在黏土上。", ""),
            ("| 成立年份 | 1903年", "| 成立年份 | 1904年"),
        ]
    ]
    assert verdicts == ["clean", "contradicting", "hallucinated", "leaking", "incomplete", "contradicting"]
