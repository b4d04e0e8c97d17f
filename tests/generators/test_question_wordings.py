"""Wordings: verbs agree with what they are about, and Chinese questions read back as what was asked."""

import re

import pytest

from generators.questions import ask, read
from generators.questions.question_wording import grammar_of
from worldforge.core.chance import Stream
from worldforge.world.question_labels import ColumnLabels, LinkLabels, ParsedQuestion, Question, TableLabels
from worldforge.world.task_terms import AnyOf, Condition, DescribedTerm, GivenEntities, NoneOf, RelatedTerm, Shape

COLUMNS = {
    "town": ColumnLabels("town", "town", "reference"),
    "harbour": ColumnLabels("harbour", "harbour", "boolean"),
    "length": ColumnLabels("length", "length", "number", "km"),
}
WORDS = {"ship": TableLabels("ship", "ships", tuple(COLUMNS.values()))}
CONDITIONS = [
    Condition("town", "=", "", "Velmar", "text"),
    Condition("harbour", "=", "", "yes", "text"),
    Condition("length", ">", "", "7", "text"),
]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_one_has_and_several_have(condition):
    question = Question("en", "list", "ship", (condition,), Shape(), ("Name", "Crew"))
    wordings = [ask(Stream(seed), WORDS, question) for seed in range(200)]
    every = [wording for wording in wordings if re.search(r"(every|each) ship ", wording.partition("\n")[0])]
    assert 0 < len(every) < len(wordings)
    for opening in (one for openings in grammar_of("en").openings("list").values() for one in openings):
        assert any(wording.startswith(opening.partition("{")[0]) for wording in wordings), opening
    for wording in wordings:
        verbs = set(re.findall(r"that (\w+)", wording.partition("\n")[0]))
        assert verbs <= ({"has", "is"} if wording in every else {"have", "are"}), wording


HARBOURS = (
    ColumnLabels("name", "港名", "text", known=lambda text: text in ("甲港", "乙港")),
    ColumnLabels("town", "城镇", "reference", refers="town", typed=True, known=lambda text: text in ("甲城", "乙城")),
    ColumnLabels("town.county", "城镇所在县", "reference", refers="county", known=lambda text: text == "丙县"),
    ColumnLabels("built", "建成年份", "year", "年"),
    ColumnLabels("opened", "启用日期", "date"),
    ColumnLabels("berths", "泊位数", "number"),
    ColumnLabels("place", "吞吐量名次", "number"),
    ColumnLabels("free", "自由港", "boolean", known=lambda text: text in ("是", "否")),
)
CALLS = (
    ColumnLabels("source", "港口", "reference", refers="harbour", known=lambda text: text == "甲港"),
    ColumnLabels("target", "船只", "reference", refers="ship", known=lambda text: text in ("海鸥号", "长风号")),
    ColumnLabels("from", "起", "year", "年"),
    ColumnLabels("until", "止", "year", "年"),
    ColumnLabels("fee", "泊位费", "number", "元"),
)
SHIPS = (ColumnLabels("home", "母港", "reference", refers="harbour", known=lambda text: text == "甲港"), CALLS[4])
CHINESE = {
    "harbour": TableLabels(
        "港口",
        "港口",
        HARBOURS,
        (LinkLabels("call", "source", "停靠船只", "target", "from", "until"), LinkLabels("ship", "home", "母港")),
    ),
    "call": TableLabels("停靠", "停靠", CALLS),
    "ship": TableLabels("船只", "船只", SHIPS),
    "town": TableLabels("城镇", "城镇", (ColumnLabels("size", "人口", "number"), HARBOURS[3])),
    "county": TableLabels("县", "县", ()),
}
TOWN, COUNTY = (Condition(path, "=", "", name, "text") for path, name in (("town", "甲城"), ("town.county", "丙县")))
NOT_TOWN = Condition("town", "!=", "", "乙城", "text")
LATE, OPENED = Condition("built", ">", "", "1950", "text"), Condition("opened", "<", "", "1987年7月1日", "text")
BERTHS = Condition("berths", "between", "", "3", "text", "", "1,200")
PLACE, FREE = Condition("place", "<", "", "7", "text"), Condition("free", "=", "", "是", "text")
SEAGULL = Condition("target", "=", "", "海鸥号", "text")
ENDED = (Condition("until", "missing", "", "", "text"),), (Condition("until", ">", "", "1960", "text"),)
IN_1960, IN_THE_60S = (
    (Condition("from", "<=", "", year, "text"), AnyOf(((ENDED[0][0],), (ENDED[1][0],)))) for year in ("1960", "1969")
)
FEE = Condition("fee", ">", "", "1,200.5", "text")
LARGEST = DescribedTerm("town", "town", (Condition("size", "highest", "", "", "text"),), "", "")
OLD = DescribedTerm("town", "town", (Condition("size", "=", "", "9,100", "text"), LATE), "", "")
CALLED = RelatedTerm("call", "source", (SEAGULL, *IN_1960))
ASKED = [
    ("list", (TOWN, LATE, PLACE)),
    ("filter", (COUNTY, BERTHS, FREE)),
    ("filter", (NOT_TOWN, AnyOf(((LATE,), (OPENED,))))),
    ("filter", (AnyOf(((LATE,), (OPENED,), (FREE,))), NoneOf(((TOWN,), (PLACE,))))),
    ("filter", (NoneOf(((OPENED,),)),)),
    ("ranking", (COUNTY,)),
    ("join", (CALLED, TOWN)),
    ("join", (RelatedTerm("call", "source", IN_THE_60S),)),
    ("join", (RelatedTerm("call", "source", (SEAGULL, FEE)), LATE)),
    ("join", (RelatedTerm("ship", "home", (FEE,)),)),
    ("described", (LARGEST,)),
    ("described", (OLD, OPENED)),
    ("union", (AnyOf(((CALLED,), (TOWN,))),)),
    ("intersection", (TOWN, RelatedTerm("ship", "home", (FEE,)))),
    ("completion", (GivenEntities((), ("甲港", "乙港")),)),
]


@pytest.mark.parametrize(("family", "terms"), ASKED)
def test_a_chinese_question_reads_back_as_what_was_asked(family, terms):
    shape = Shape("place", highest=False, limit=12) if family == "ranking" else Shape()
    labels = ("港口", "泊位数", "启用日期")
    question = Question("zh", family, "harbour", terms, shape, labels)
    wordings = {ask(Stream(seed), CHINESE, question) for seed in range(24)}
    assert len(wordings) >= 8 or family == "completion"
    for wording in wordings:
        assert read(CHINESE, "zh", family, "harbour", labels, wording) == [ParsedQuestion(terms, shape)], wording
        first = wording.partition("\n")[0]
        assert not re.search(r"[A-Za-z{}]| |的的|，，", first), first
        lost = re.sub("除外|之外", "在内", first) if "除" in first else first.replace("且", "或", 1)
        assert lost == first or read(CHINESE, "zh", family, "harbour", labels, lost) != [
            ParsedQuestion(terms, shape)
        ], lost


def test_the_same_personas_ask_in_both_languages():
    asked, in_english = (
        {family: list(personas) for family, personas in g.frames.items()} for g in map(grammar_of, ("en", "zh"))
    )
    assert asked == in_english and asked.pop("list") == ["plain"]
    assert all(personas == ["plain", "journalist", "analyst", "hobbyist", "terse"] for personas in asked.values())
    question = Question("zh", "join", "harbour", (CALLED,), Shape(), ("港口", "泊位数"))
    wordings = [ask(Stream(seed), CHINESE, question) for seed in range(200)]
    for frame in (frame for frames in grammar_of("zh").openings("join").values() for frame in frames):
        before, _, after = frame.replace("{plural}", "港口").partition("{conditions}")
        assert any(one.startswith(before) and after in one for one in wordings), frame
