"""Wordings: verbs agree with what they are about, and Chinese questions read back as what was asked."""

import re
from dataclasses import replace

import pytest

from generators.questions import ask, read
from generators.questions.english_clauses import denied, elided, in_past, of_one
from generators.questions.question_wording import grammar_of
from worldforge.core.chance import Stream
from worldforge.schema.phrasebook import Book
from worldforge.world.question_labels import ColumnLabels, LinkLabels, Question, TableLabels, Through
from worldforge.world.question_phrases import ColumnPhrases, question_phrases
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
    wordings = [ask(Stream(seed), WORDS, question) for seed in range(400)]
    every = [wording for wording in wordings if re.search(r"(every|each) ship ", wording.partition("\n")[0])]
    assert 0 < len(every) < len(wordings)
    for opening in (one for openings in grammar_of("en").openings("list").values() for one in openings):
        first = opening.partition("{")[0] or opening.rpartition("}")[2]
        assert any(first in wording for wording in wordings), opening
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
LARGE_TOWN = Condition("town.size", ">", "", "9,100", "text")
OLD = DescribedTerm("town", "town", (Condition("size", "=", "", "9,100", "text"), LATE), "", "")
CALLED = RelatedTerm("call", "source", (SEAGULL, *IN_1960))
ASKED = [
    ("list", (TOWN, LATE, PLACE)),
    ("filter", (COUNTY, BERTHS, FREE)),
    ("filter", (NOT_TOWN, AnyOf(((LATE,), (OPENED,))))),
    ("filter", (AnyOf(((LATE,), (OPENED,), (FREE,))), NoneOf(((TOWN,), (PLACE,))))),
    ("filter", (NoneOf(((OPENED,),)),)),
    ("ranking", (COUNTY,)),
    ("top_per_group", (COUNTY,)),
    ("top_per_group", (BERTHS, FREE)),
    ("joined_lists", (LARGE_TOWN, BERTHS)),
    ("joined_lists", (LARGE_TOWN, LATE, FREE)),
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
    shapes = {
        "ranking": Shape("place", highest=False, limit=12),
        "top_per_group": Shape("berths", limit=3, within="town"),
        "joined_lists": Shape(within="town"),
    }
    shape = shapes.get(family, Shape())
    labels = ("港口", "泊位数", "启用日期")
    question = Question("zh", family, "harbour", terms, shape, labels)
    wordings = {ask(Stream(seed), CHINESE, question) for seed in range(24)}
    assert len(wordings) >= 8 or family == "completion"
    for wording in wordings:
        found = read(CHINESE, "zh", family, "harbour", labels, wording)
        assert len(found) == 1 and found[0].says(terms, shape), wording
        first = wording.partition("\n")[0]
        assert not re.search(r"[A-Za-z{}]| |的的|，，", first), first
        lost = first.replace("除外", "在内") if "除外" in first else first.replace("且", "或", 1)
        read_otherwise = read(CHINESE, "zh", family, "harbour", labels, lost)
        assert lost == first or not any(question.says(terms, shape) for question in read_otherwise), lost


@pytest.mark.parametrize(("terms", "shape"), [((LARGE_TOWN, LATE), Shape(within="town")), ((LARGEST, LATE), Shape())])
def test_a_chinese_description_stands_before_what_is_further_asked(terms, shape):
    family = "joined_lists" if shape.within else "described"
    for seed in range(12):
        first = ask(Stream(seed), CHINESE, Question("zh", family, "harbour", terms, shape, ("港口", "城镇")))
        assert re.search(r"(该城镇|那座城镇).*1950年", first.partition("\n")[0]), first


def test_a_chinese_path_says_by_a_verb_where_something_is():
    def column(path, label):
        return ColumnLabels(path, label, "reference", refers="county")

    grammar = grammar_of("zh")
    for path, label, said in [
        ("home.county", "出生地所在省份", "出生地{}位于"),
        ("town.county", "所在省份", "{}位于"),
        ("club.league", "俱乐部所在联赛", "俱乐部{}在"),
        ("depot.company", "所属车辆段所属公司", "车辆段{}属于"),
    ]:
        [holds], [denied] = (grammar.phrases_of(column(path, label), operator) for operator in ("=", "!="))
        assert holds == said.format("") + "{value}"
        assert denied == said.format("不").replace("位于", "在") + "{value}"
    assert grammar.whether("海滩") == "有无海滩" and grammar.whether("无障碍通行") == "是否无障碍通行"
    assert not grammar.is_named_in_sentence("线路所属车辆段所在城镇")


def test_the_same_voices_ask_in_both_languages():
    asked, in_english = (
        {family: list(voices) for family, voices in g.frames.items()} for g in map(grammar_of, ("en", "zh"))
    )
    assert asked == in_english
    assert all(voices == ["plain", "polite", "terse"] for voices in asked.values())
    question = Question("zh", "join", "harbour", (CALLED,), Shape(), ("港口", "泊位数"))
    wordings = [ask(Stream(seed), CHINESE, question) for seed in range(200)]
    for frame in (frame for frames in grammar_of("zh").openings("join").values() for frame in frames):
        before, _, after = frame.replace("{plural}", "港口").partition("{conditions}")
        assert any(before in one and after in one for one in wordings), frame


def test_a_question_begins_with_a_reason_of_its_type():
    reasons = ("我在写一本港口史。", "我们公司想租一个泊位。")
    words = CHINESE | {"harbour": replace(CHINESE["harbour"], reasons=reasons)}
    question = Question("zh", "filter", "harbour", (LATE,), Shape(), ("港口", "泊位数"))
    begun = set()
    for seed in range(60):
        wording = ask(Stream(seed), words, question)
        begun |= {reason for reason in reasons if wording.startswith(reason)}
        terse = not wording.startswith(reasons)
        assert not terse or wording.startswith(("建成年份", "查找所有", "要一份完整名单")), wording
        [found] = read(words, "zh", "filter", "harbour", question.labels, wording)
        assert found.says((LATE,), Shape())
    assert begun == set(reasons)


def test_how_numbers_and_dates_are_written_is_said_where_a_column_holds_any():
    for label, kind, said in (("泊位数", "integer", "数字"), ("启用日期", "date", "日期"), ("城镇", "text", "")):
        question = Question("zh", "filter", "harbour", (LATE,), Shape(), ("港口", label), kinds=("text", kind))
        form = ask(Stream(1), CHINESE, question).partition("\n")[2]
        assert ("数字" in form, "日期" in form.replace(label, "")) == (said == "数字", said == "日期"), form


def test_many_columns_are_named_once():
    labels = ("港口", *(f"第{n}列" for n in range(1, 9)))
    wording = ask(Stream(1), CHINESE, Question("zh", "filter", "harbour", (LATE,), Shape(), labels))
    assert "第1列" not in wording.partition("\n")[0] and "、".join(labels) in wording
    [found] = read(CHINESE, "zh", "filter", "harbour", labels, wording)
    assert found.says((LATE,), Shape())


BOOK = Book.model_validate(
    {
        "language": "en",
        "types": {
            "town": {
                "nouns": ["town"],
                "attributes": {
                    "county": {"which": ["in {value}", "that belong to {value}"]},
                    "size": {
                        "which": ["with {value} {value?inhabitant|inhabitants}"],
                        "most": ["most populous"],
                        "least": ["worst supplied with people"],
                    },
                    "trade": {"which": ["that live as a {value}", "known as a {value}"]},
                    "walled": {"which": {"yes": ["that are walled"], "no": ["without walls"]}},
                },
            },
            "harbour": {
                "nouns": ["harbour"],
                "attributes": {
                    "town": {"which": ["at {value}", "that serve {value}"]},
                    "built": {
                        "which": ["built in {value}", "that date from {value}"],
                        "over": ["built after {value}"],
                        "under": ["older than {value}"],
                        "most": ["youngest"],
                        "least": ["oldest"],
                    },
                    "berths": {
                        "which": ["with {value} {value?berth|berths}"],
                    },
                },
            },
        },
    }
)


def english_words():
    phrases = question_phrases(BOOK, 5)
    town = Through("town", "town", phrases["harbour", "town"])
    known = {
        "town": ("Velmar", "Ostra"),
        "county": ("Norland",),
        "walled": ("yes", "no"),
        "trade": ("inland port", "port"),
    }

    def column(table, path, label, sort, **more):
        holds = known.get(path.rpartition(".")[2], ())
        known_by = {"known": holds.__contains__} if holds else {}
        return ColumnLabels(path, label, sort, phrases=phrases[table, path.rpartition(".")[2]], **known_by, **more)

    towns = (
        column("town", "county", "county", "reference", refers="county"),
        column("town", "size", "population", "number"),
        column("town", "walled", "town walls", "boolean"),
        column("town", "trade", "main trade", "text"),
    )
    harbours = (
        column("harbour", "town", "town", "reference", refers="town"),
        column("town", "town.county", "town's county", "reference", refers="county", through=town),
        column("harbour", "built", "year of completion", "year"),
        column("harbour", "berths", "number of berths", "number"),
    )
    county = TableLabels("county", "counties", ())
    harbour = TableLabels("harbour", "harbours", harbours)
    return {"town": TableLabels("town", "towns", towns), "harbour": harbour, "county": county}


def condition(path, operator="=", written="", upper=""):
    return Condition(path, operator, "", written, "text", "", upper)


def described(*where):
    return DescribedTerm("town", "town", where, "", "")


IN_NORLAND, NOT_OSTRA = condition("town.county", "=", "Norland"), condition("town", "!=", "Ostra")
YOUNG, ONE_BERTH = condition("built", ">", "1904"), condition("berths", "=", "1")
TOLD = [
    ((condition("built", "=", "1904"), ONE_BERTH), "built in 1904 with 1 berth"),
    ((condition("town", "=", "Velmar"), YOUNG), "at Velmar built after 1904"),
    ((ONE_BERTH, condition("built", "=", "1904")), "with 1 berth that date from 1904"),
    ((YOUNG, condition("built", "between", "1904", "1950")), "built after 1904 between 1904 and 1950 inclusive"),
    ((ONE_BERTH, IN_NORLAND), "with 1 berth that serve a town in Norland"),
    ((condition("built", "between", "1904", "1950"),), "built between 1904 and 1950 inclusive"),
    ((condition("berths", "between", "3", "9"),), "with between 3 and 9 berths (inclusive)"),
    ((NOT_OSTRA, YOUNG), "that do not serve Ostra"),
    (
        (ONE_BERTH, condition("berths", "between", "3", "9"), condition("town", "=", "Velmar")),
        "with 1 berth and between 3 and 9 berths (inclusive) that serve Velmar",
    ),
    ((described(condition("size", "highest")),), "at the most populous town"),
    ((described(condition("size", "lowest")),), "at the town with the lowest population"),
    ((described(condition("county", "=", "Norland"), condition("walled", "=", "no")),), "in Norland without walls"),
    (
        (AnyOf(((YOUNG,), (ONE_BERTH,))), NoneOf(((condition("town", "=", "Velmar"),),))),
        "whose year of completion is later than 1904 or whose number of berths is",
    ),
    ((condition("berths", "<", "1,200"), NoneOf(((YOUNG,),))), "1,200 berths, except those built after 1904"),
    ((YOUNG, AnyOf(((NOT_OSTRA,), (ONE_BERTH,)))), "built after 1904, but only those whose town is not Ostra or"),
]


@pytest.mark.parametrize(("terms", "expected"), TOLD)
def test_questions_are_worded_by_the_phrasebook_and_read_back(terms, expected):
    words, labels = english_words(), ("Harbour", "Number of berths", "Year of completion")
    question = Question("en", "filter", "harbour", terms, Shape(), labels)
    wordings = [ask(Stream(seed), words, question) for seed in range(60)]
    assert any(expected in wording for wording in wordings), wordings[:5]
    assert any("number of berths and year of completion" in wording for wording in wordings)
    for wording in wordings:
        found = read(words, "en", "filter", "harbour", labels, wording)
        assert len(found) == 1 and found[0].says(terms, Shape()), wording
        assert ", ".join(labels) in wording


def test_a_ranking_takes_the_phrasebooks_superlative():
    words, labels = english_words(), ("Harbour", "Year of completion")
    for highest, superlative in ((True, "three youngest"), (False, "three oldest")):
        shape = Shape("built", highest, 3)
        for seed in range(20):
            wording = ask(Stream(seed), words, Question("en", "ranking", "harbour", (ONE_BERTH,), shape, labels))
            assert superlative in wording.partition("\n")[0]
            found = read(words, "en", "ranking", "harbour", labels, wording)
            assert len(found) == 1 and found[0].says((ONE_BERTH,), shape), wording


def test_the_first_of_each_group_are_asked_for_by_the_group():
    words, labels = english_words(), ("Harbour", "Town", "Year of completion")
    for order, highest in (("built", True), ("berths", False)):
        shape = Shape(order, highest, 3, within="town")
        question = Question("en", "top_per_group", "harbour", (ONE_BERTH,), shape, labels)
        wordings = {ask(Stream(seed), words, question) for seed in range(24)}
        assert len(wordings) > 8
        for wording in wordings:
            assert "each town" in wording.partition("\n")[0]
            found = read(words, "en", "top_per_group", "harbour", labels, wording)
            assert len(found) == 1 and found[0].says((ONE_BERTH,), shape), wording


def test_joined_lists_say_of_those_asked_for_whose_they_are():
    words, labels = english_words(), ("Town", "Harbour", "Town's population", "Year of completion")
    large, in_norland = condition("town.size", ">", "9,100"), condition("town.county", "=", "Norland")
    for terms in ((large, YOUNG), (in_norland, large, ONE_BERTH), (large, AnyOf(((YOUNG,), (ONE_BERTH,))))):
        question = Question("en", "joined_lists", "harbour", terms, Shape(within="town"), labels)
        wordings = {ask(Stream(seed), words, question) for seed in range(40)}
        assert len(wordings) > 12
        for wording in wordings:
            first = wording.partition("\n")[0]
            assert re.search(r"\b(at|serve) that town\b", first) and not re.search("that town with", first), first
            found = read(words, "en", "joined_lists", "harbour", labels, wording)
            assert len(found) == 1 and found[0].says(terms, Shape(within="town")), first


def test_nobody_says_that_twice():
    phrases = ColumnPhrases(which=("that {value} wrote",))
    singer = ColumnLabels("singer", "singer", "reference", refers="singer", phrases=phrases)
    length, born = ColumnLabels("length", "length", "number"), ColumnLabels("born", "birth year", "year")
    words = {
        "song": TableLabels("song", "songs", (singer, length)),
        "singer": TableLabels("singer", "singers", (born,)),
    }
    terms, shape = (condition("singer.born", ">", "1950"), condition("length", ">", "200")), Shape(within="singer")
    labels = ("Singer", "Song", "Birth year", "Length")
    for seed in range(20):
        wording = ask(Stream(seed), words, Question("en", "joined_lists", "song", terms, shape, labels))
        assert "whose singer is that singer" in wording
        [found] = read(words, "en", "joined_lists", "song", labels, wording)
        assert found.says(terms, shape)


@pytest.mark.parametrize(
    ("language", "sort", "low", "high", "said"),
    [
        ("en", "year", "2003", "2009", "from 2003 to 2009"),
        ("en", "date", "1 May 2030", "31 July 2030", "from 1 May 2030 to 31 July 2030 inclusive"),
        ("en", "number", "3", "9", "in rounds 3 to 9"),
        ("zh", "year", "2003", "2009", "2003年至2009年的"),
        ("zh", "date", "2030年5月1日", "2030年7月31日", "2030年5月1日至2030年7月31日（含首尾）的"),
        ("zh", "number", "3", "9", "第3至第9轮的"),
    ],
)
def test_rows_of_a_relation_are_asked_for_by_when_they_were(language, sort, low, high, said):
    in_english = language == "en"
    path = "round" if sort == "number" else sort
    when = ColumnLabels(path, path, sort, "年" if (language, sort) == ("zh", "year") else "")
    founded = ColumnLabels("founded", "founding year" if in_english else "成立年份", "year", "" if in_english else "年")
    links = (LinkLabels("match", "source", "", "target", rows="home matches" if in_english else "主场比赛"),)
    names = ("club", "clubs") if in_english else ("俱乐部", "俱乐部")
    words = {
        "club": TableLabels(*names, (founded,), links),
        "match": TableLabels("", "", (when, ColumnLabels("target", "other", "reference", refers="club"))),
    }
    terms, labels = (condition("founded", "<", "1950"),), (names[0], path, "day")
    shape = Shape(rows="match", end="source", where=(condition(path, "between", low, high),))
    question = Question(language, "rows_by_time", "club", terms, shape, labels)
    wordings = {ask(Stream(seed), words, question) for seed in range(40)}
    assert len(wordings) > 12
    for wording in wordings:
        assert said in wording.partition("\n")[0], wording
        found = read(words, language, "rows_by_time", "club", labels, wording)
        assert len(found) == 1 and found[0].says(terms, shape), wording


def test_what_follows_a_description_is_read_as_a_part_of_it_too():
    words = english_words()
    wording = "Find every harbour at a town in Norland with 9,100 inhabitants."
    both = read(words, "en", "list", "harbour", ("Harbour",), wording)
    assert [[part.written for part in one.terms[0].where] for one in both] == [["Norland", "9,100"]]


@pytest.mark.parametrize(
    ("several", "one", "neither"),
    [
        ("that date from {value}", "that dates from {value}", "that do not date from {value}"),
        ("who usually carry {value}", "who usually carries {value}", ""),
        ("that have been given {value}", "that has been given {value}", "that have not been given {value}"),
        ("that {value} brings out", "that {value} brings out", ""),
        ("that are castles", "", "that are not castles"),
        ("founded in {value}", "founded in {value}", "not founded in {value}"),
        ("in {value}", "in {value}", "that are not in {value}"),
        ("with their seat in {value}", "with its seat in {value}", ""),
    ],
)
def test_a_clause_of_several_is_said_of_one_and_denied(several, one, neither):
    assert of_one(several, person=False) == one
    assert denied(several, one=False, person=False) == neither


PHRASED = {
    "town": ColumnPhrases(which=("位于{value}的", "靠近{value}的")),
    "town.county": ColumnPhrases(which=("隶属{value}的",)),
    "built": ColumnPhrases(which=("建于{value}的",), over=("建于{value}之后的",), most=("最新的",), least=("最老的",)),
    "free": ColumnPhrases(by_value={"是": ("免税的",), "否": ("征税的",)}),
}
CHINESE_BOOK = CHINESE | {
    "harbour": replace(
        CHINESE["harbour"],
        columns=tuple(
            replace(column, phrases=PHRASED.get(column.path), through=Through("town", "城镇", PHRASED["town"]))
            if "." in column.path
            else replace(column, phrases=PHRASED.get(column.path))
            for column in HARBOURS
        ),
        links=(
            replace(CHINESE["harbour"].links[0], phrases=("接待过{other}的",)),
            replace(CHINESE["harbour"].links[1], phrases=("停泊{some}的",)),
        ),
    ),
}
PHRASED_IN_CHINESE = [
    ((TOWN, LATE), ("位于甲城且建于1950年之后的港口", "靠近甲城且建于1950年之后的港口")),
    ((NOT_TOWN, FREE), ("不位于乙城且免税的港口", "不是靠近乙城且免税的港口")),
    ((COUNTY, LATE), ("城镇在丙县", "城镇位于丙县")),
    ((LARGEST,), ("位于人口最多的那座城镇的", "靠近人口最多的那座城镇的")),
    ((CALLED,), ("1960年接待海鸥号的港口",)),
    (
        (RelatedTerm("call", "source", (SEAGULL, FEE)),),
        ("接待过海鸥号且泊位费高于1,200.5元的", "接待过海鸥号且泊位费超过1,200.5元的"),
    ),
    (
        (RelatedTerm("ship", "home", (FEE,)),),
        ("停泊泊位费高于1,200.5元的船只的", "停泊泊位费超过1,200.5元的船只的"),
    ),
]


@pytest.mark.parametrize(("terms", "expected"), PHRASED_IN_CHINESE)
def test_chinese_questions_are_worded_by_the_phrasebook_and_read_back(terms, expected):
    size = replace(CHINESE["town"].columns[0], phrases=ColumnPhrases(most=("人口最多的",)))
    words = CHINESE_BOOK | {"town": replace(CHINESE["town"], columns=(size, HARBOURS[3]))}
    labels = ("港口", "泊位数")
    for seed in range(24):
        wording = ask(Stream(seed), words, Question("zh", "filter", "harbour", terms, Shape(), labels))
        assert any(one in wording for one in expected), wording
        found = read(words, "zh", "filter", "harbour", labels, wording)
        assert len(found) == 1 and found[0].says(terms, Shape()), wording


def test_a_chinese_ranking_takes_the_phrasebooks_superlative():
    labels = ("港口", "建成年份")
    for n, said in ((3, "最新的三个"), (12, "最新的十二个"), (19, "最新的19个")):
        shape = Shape("built", True, n)
        wording = ask(Stream(3), CHINESE_BOOK, Question("zh", "ranking", "harbour", (TOWN,), shape, labels))
        assert said in wording
        [found] = read(CHINESE_BOOK, "zh", "ranking", "harbour", labels, wording)
        assert found.says((TOWN,), shape)


def test_a_wording_that_begins_with_a_description_of_the_same_type_is_read_to_an_end():
    phrases, known = ColumnPhrases(which=("{value}教的",)), ("甲", "乙").__contains__
    teacher = ColumnLabels("teacher", "老师", "reference", refers="musician", known=known, phrases=phrases)
    words = {"musician": TableLabels("音乐人", "音乐人", (teacher,))}
    taught = Condition("teacher", "=", "", "甲", "text")
    for terms in ((taught,), (DescribedTerm("teacher", "musician", (taught,), "", ""),)):
        wording = ask(Stream(2), words, Question("zh", "filter", "musician", terms, Shape(), ("音乐人",)))
        [found] = read(words, "zh", "filter", "musician", ("音乐人",), wording)
        assert found.says(terms, Shape()) and "教的" in wording


@pytest.mark.parametrize(
    ("before", "text", "lost"),
    [
        ("with a beach", "with more than 3 towns", "with "),
        ("who live in Velmar", "who play in goal", "who "),
        ("that has a beach", "that lies in Norland", "that "),
        ("born in Velmar", "born after 1961", "born "),
        ("that Velmar built", "that the county runs", ""),
        ("in Velmar", "in Norland", ""),
        ("whose town is Velmar", "whose county is Norland", ""),
    ],
)
def test_what_two_conditions_begin_with_is_said_once(before, text, lost):
    assert text[: elided(before, text)] == lost


@pytest.mark.parametrize(
    ("perfect", "past"),
    [
        ("who have worked at {other}", "who worked at {other}"),
        ("that have been led by {other}", "that were led by {other}"),
        ("who has held a post at {other}", "who held a post at {other}"),
        ("who have written {other}", "who have written {other}"),
        ("with {other} in the chair", "with {other} in the chair"),
    ],
)
def test_what_has_been_is_said_of_a_past_year(perfect, past):
    assert in_past(perfect) == past


@pytest.mark.parametrize(
    ("language", "unit", "value", "said"),
    [
        ("en", "thousand crowns", "2,500", "2.5 million crowns"),
        ("en", "million crowns", "999", "999 million crowns"),
        ("en", "thousand", "12,000", "12 million"),
        ("en", "million", "7,974.4", "7.9744 billion"),
        ("en", "million crowns", "0.36", "than 360,000 crowns"),
        ("en", "thousand", "0.5", "than 500"),
        ("zh", "亿元", "0.36", "3,600万元"),
        ("zh", "万元", "0.5", "5,000元"),
        ("zh", "万元", "23,000", "2.3亿元"),
        ("zh", "万人", "9,999", "9,999万人"),
    ],
)
def test_amounts_stand_in_units_of_fitting_size_and_are_read_in_their_own(language, unit, value, said):
    income = ColumnLabels("income", "income" if language == "en" else "收入", "number", unit)
    words = {"ship": TableLabels("ship", "ships", (income,))}
    asked = Condition("income", ">", "", value, "text")
    wording = ask(Stream(3), words, Question(language, "filter", "ship", (asked,), Shape(), ("Ship", "Crew")))
    assert said in wording
    [found] = read(words, language, "filter", "ship", ("Ship", "Crew"), wording)
    assert found.says((asked,), Shape())


RATED = ColumnPhrases(
    by_value={
        "all": ("for all ages", "rated for all ages"),
        "7": ("rated seven",),
        "18": ("for adults", "rated eighteen"),
    }
)
COLOURED = ColumnPhrases(which=("whose colours are {value}",))
COLOURS, STUDIOS = ("red", "red and white", "blue"), ("Osk", "Tal", "Vel")
MADE = ColumnPhrases(which=("made by {value}",))
FILMS = {
    "film": TableLabels(
        "film",
        "films",
        (
            ColumnLabels("rating", "age rating", "text", known=RATED.by_value.__contains__, phrases=RATED),
            ColumnLabels("colours", "colours", "text", known=COLOURS.__contains__, phrases=COLOURED),
            ColumnLabels("studio", "studio", "reference", refers="studio", known=STUDIOS.__contains__, phrases=MADE),
            ColumnLabels("length", "length", "number", "minutes"),
        ),
    ),
    "studio": TableLabels("studio", "studios", ()),
}


@pytest.mark.parametrize(
    ("path", "values", "said"),
    [
        ("rating", ("7", "18"), "rated seven or eighteen"),
        ("rating", ("7", "18", "all"), "rated seven, eighteen or for all ages"),
        ("colours", ("blue", "red and white"), "whose colours are blue, or red and white"),
        ("studio", ("Osk", "Tal", "Vel"), "made by Osk, Tal or Vel"),
    ],
)
def test_values_of_one_column_share_a_phrase(path, values, said):
    term = AnyOf(tuple((Condition(path, "=", "", value, "text"),) for value in values))
    for terms in ((term,), (term, Condition("length", ">", "", "90", "text"))):
        for seed in range(8):
            question = Question("en", "list", "film", terms, Shape(), ("Film", "Length"))
            wording = ask(Stream(seed), FILMS, question)
            assert said in wording and "either" not in wording
            [found] = read(FILMS, "en", "list", "film", ("Film", "Length"), wording)
            assert found.says(terms, Shape())


def test_chinese_values_of_one_column_share_a_phrase():
    term = AnyOf(tuple((Condition("town", "=", "", name, "text"),) for name in ("甲城", "乙城")))
    for terms in ((term,), (LATE, term)):
        for seed in range(8):
            wording = ask(Stream(seed), CHINESE, Question("zh", "list", "harbour", terms, Shape(), ("港口", "泊位数")))
            assert "甲城或乙城" in wording and "满足其一" not in wording
            [found] = read(CHINESE, "zh", "list", "harbour", ("港口", "泊位数"), wording)
            assert found.says(terms, Shape())


def test_a_link_takes_its_article_with_a_name_alone():
    link = LinkLabels("won", "source", "awards", "target", phrases=("that have won the {other}",))
    won = (
        ColumnLabels("target", "award", "reference", refers="award", known=("Osk Prize",).__contains__),
        ColumnLabels("prize", "prize", "number", "crowns"),
    )
    words = {
        "film": TableLabels("film", "films", FILMS["film"].columns, (link,)),
        "won": TableLabels("won", "won", won),
        "award": TableLabels("award", "awards", ()),
        "studio": FILMS["studio"],
    }
    named, rich = Condition("target", "=", "", "Osk Prize", "text"), Condition("prize", ">", "", "100", "text")
    for where, said in (((named,), "won the Osk Prize"), ((rich,), "won an award with a prize above 100 crowns")):
        terms = (RelatedTerm("won", "source", where),)
        wording = ask(Stream(1), words, Question("en", "join", "film", terms, Shape(), ("Film", "Length")))
        assert said in wording
        [found] = read(words, "en", "join", "film", ("Film", "Length"), wording)
        assert found.says(terms, Shape())


def test_a_boolean_that_a_book_words_reads_in_one_way():
    single = ColumnPhrases(by_value={"yes": ("released as a single",), "no": ("not released as a single",)})
    column = ColumnLabels("single", "single", "boolean", known=("yes", "no").__contains__, phrases=single)
    words = {"song": TableLabels("song", "songs", (column,))}
    terms = (Condition("single", "=", "", "no", "text"),)
    wording = ask(Stream(1), words, Question("en", "list", "song", terms, Shape(), ("Song",)))
    assert "not released as a single" in wording
    assert [one.terms for one in read(words, "en", "list", "song", ("Song",), wording)] == [terms]


def test_chinese_titles_stand_in_their_marks():
    film = ColumnLabels("film", "影片", "reference", refers="film", known=lambda text: text == "海鸥", around="《》")
    words = {"song": TableLabels("歌曲", "歌曲", (film,), around="〈〉"), "film": TableLabels("影片", "影片", ())}
    for terms, said in (
        ((Condition("film", "=", "", "海鸥", "text"),), "《海鸥》"),
        ((GivenEntities((), ("晚风", "长河")),), "〈晚风〉、〈长河〉"),
    ):
        family = "completion" if said.startswith("〈") else "filter"
        wording = ask(Stream(2), words, Question("zh", family, "song", terms, Shape(), ("歌曲", "影片")))
        assert said in wording
        [found] = read(words, "zh", family, "song", ("歌曲", "影片"), wording)
        assert found.says(terms, Shape())
