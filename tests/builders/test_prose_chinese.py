"""Chinese pages that a model words: what it may change, what it may not, and that facts stay where they were."""

import re

import pytest
from test_languages import failures, write
from test_languages_pages import SMALL

from worldforge.builders.pages.prose.chinese_paragraphs import ChineseChecker, form_in_chinese
from worldforge.builders.pages.prose.paragraphs import LockedSpan, Paragraph
from worldforge.entry_points.build_world import build
from worldforge.models.scripted_model import ScriptedModel
from worldforge.schema.problems import SpecError
from worldforge.schema.spec_loader import load_spec
from worldforge.world.world import open_world

TEXT = "据登记，⟦1⟧的定居年份为⟦2⟧。在居民数方面，记录为⟦3⟧。⟦4⟧是⟦5⟧的看守人。多种资料都谈到这一主题，要点大体一致。"
LOCKED = (
    LockedSpan(0, 1, "name"),
    LockedSpan(1, 2, "定居年份", ("定居年份",), figure=True),
    LockedSpan(2, 3, "居民数", ("居民数",), figure=True),
    LockedSpan(3, 4, "看守人", ("看守人",)),
    LockedSpan(4, 5, "name"),
)
PARAGRAPH = Paragraph(0, len(TEXT), TEXT, LOCKED)
PAIRS = ["定居", "居年", "居民", "民数", "看守", "守人", "主题", "多种", "讨论", "谈到"]
CHECKER = ChineseChecker(["鹭湾岛"], ["黏土"], ["定居年份", "居民数", "看守人"], PAIRS)


@pytest.mark.parametrize(
    "changes",
    [
        [("据登记", "资料显示"), ("为⟦2⟧", "是⟦2⟧")],
        [("⟦1⟧的定居年份为⟦2⟧", "⟦1⟧定居于⟦2⟧"), ("在居民数方面，记录为⟦3⟧", "居民共有⟦3⟧")],
        [("多种资料都谈到这一主题，要点大体一致。", "各种资料的说法基本一致。")],
        [("⟦4⟧是⟦5⟧的看守人", "其中⟦4⟧为⟦5⟧的看守人")],
    ],
)
def test_other_words_will_do(changes):
    draft = TEXT
    for old, new in changes:
        assert old in draft
        draft = draft.replace(old, new)
    assert CHECKER.refusal(PARAGRAPH, draft) is None
    assert re.fullmatch(form_in_chinese(PARAGRAPH), draft)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("为⟦2⟧", "为⟦2⟧，另有三人", "fact"),
        ("为⟦2⟧", "约为⟦2⟧", "fact"),
        ("记录为", "记录不为", "negation"),
        ("⟦2⟧。", "⟦2⟧。其创始人是张建国。", "fact"),
        ("⟦2⟧。", "⟦2⟧，鹭湾岛。", "fact"),
        ("⟦2⟧。", "⟦2⟧，黏土。", "fact"),
        ("定居年份", "居民数", "meaning"),
        ("的定居年份为", "为", "meaning"),
        ("⟦4⟧是⟦5⟧的看守人", "⟦4⟧的看守人是⟦5⟧", "meaning"),
        ("。在居民数方面，记录为", "，居民数", "meaning"),
        ("一致。", "一致", "form"),
        ("据登记", "**据登记**", "form"),
        ("据登记", "据12登记", "form"),
        ("据登记", "According", "form"),
        ("一致。", "一致。\n", "form"),
        ("据登记", "据传", "negation"),
        (
            "一致。",
            "一致。资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，资料一致，一致。",
            "length",
        ),
        ("定居年份为⟦2⟧", "定居年份超过⟦2⟧", "negation"),
    ],
)
def test_what_says_something_else_will_not(old, new, reason):
    assert old in TEXT
    assert CHECKER.refusal(PARAGRAPH, TEXT.replace(old, new, 1)) == reason


def half_honest(request):
    """Word paragraphs well, but add to every other one what is not so."""
    text = re.search(r"^原文：(.*)$", request.messages[-1].content, re.MULTILINE)[1]
    said = text.replace("据登记，", "资料显示，").replace("该", "这个").replace("记录显示，", "根据记录，")
    return said if len(text) % 2 else f"{said}其创始人是张建国。"


def test_a_model_words_a_chinese_world_and_its_facts_stay(tmp_path):
    settings = [*SMALL, "tasks.list.count=1", "pages.prose=model"]
    done = build(load_spec(write(tmp_path, "[zh]"), settings), tmp_path / "out", model=ScriptedModel(half_honest))
    prose, world = done.counts["prose"], open_world(tmp_path / "out")
    texts = "".join(world.pages["text"].to_pylist())
    assert failures(world) == [] and "资料显示，" in texts and "张建国" not in texts
    assert prose["paragraphs"] > 50 and 0.3 < prose["reworded"] / prose["paragraphs"] < 0.7
    assert sum(prose["refused_drafts"].values()) == 3 * prose["as_templates"] and prose["left_alone"] == 0


def test_chinese_prose_by_a_model_is_for_worlds_whose_first_language_is_chinese(tmp_path):
    more = "  keeper_zh: {generator: pages.news, about: keeper, language: zh, prose: model}"
    with pytest.raises(SpecError, match="a model words Chinese pages where Chinese comes first"):
        load_spec(write(tmp_path, "[en, zh]", more=more))
