"""Names of things: their words by trade, genre and field; after towns, makers and houses; in Chinese and in pinyin."""

import re
from typing import get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from generators import names
from generators.names import frames
from generators.names.cultures import culture_of
from generators.names.invented_words import every_word, real_names, vocabulary
from generators.names.things import Form
from worldforge.core.chance import Stream
from worldforge.core.errors import InputError

BY_KIND = [
    ("company", "trade", frames.kinds_of("organisations.trades")),
    ("title", "genre", frames.kinds_of("creative_works.genres")),
    ("journal", "field", frames.kinds_of("academia.fields")),
    ("conference", "field", frames.kinds_of("academia.fields")),
    ("paper", "field", frames.kinds_of("academia.fields")),
]
AFTER_TOWNS = [
    "airport",
    "club",
    "constituency",
    "district",
    "festival",
    "hotel",
    "museum",
    "school",
    "station",
    "team",
]
AFTER_TOWNS += ["university"]


def rows(n):
    return np.arange(n, dtype=np.int64)


@pytest.mark.parametrize(("name", "parameter", "kinds"), BY_KIND)
@pytest.mark.parametrize("culture", ["english", "chinese"])
def test_each_kind_has_words_of_its_own_and_a_column_of_kinds_gives_unique_names(name, parameter, kinds, culture):
    draw, listed = getattr(names, name), sorted(kinds)
    column = pa.array([listed[row % len(listed)] for row in range(3000)])
    drawn = draw(Stream(2), rows(3000), culture=culture, **{parameter: column})
    assert len(drawn.unique()) == 3000
    first = listed[0]
    alone = draw(Stream(2), rows(3000), culture=culture, **{parameter: first})
    assert drawn[:: len(listed)].equals(alone[:: len(listed)])
    own = {word for pool in kinds[first][culture_of(culture).language].values() for word in pool}
    assert all(any(word in text for word in own) for text in alone.to_pylist())
    with pytest.raises(InputError, match=f"unknown {parameter} `dust`") as caught:
        draw(Stream(2), rows(2), culture=culture, **{parameter: "dust"})
    assert first in caught.value.hint


@pytest.mark.parametrize(
    ("kinds", "of"),
    [
        ("organisations.trades", ["organisations.company"]),
        ("creative_works.genres", [f"creative_works.titles.{form}" for form in get_args(Form)]),
        ("academia.fields", ["academia.journal", "academia.conference", "academia.paper"]),
    ],
)
def test_every_pattern_holds_a_word_that_tells_the_kind(kinds, of):
    kinds = frames.kinds_of(kinds)
    for language in ("en", "zh"):
        telling = set()
        for slot in next(iter(kinds.values()))[language]:
            pools = [kind[language][slot] for kind in kinds.values()]
            if len(set().union(*pools)) == sum(map(len, pools)):
                telling.add(slot)
        for one in of:
            for pattern in frames.frames_of(one)[language].patterns:
                assert telling & set(re.findall(r"\{(\w+)\}", pattern)), pattern


@settings(max_examples=40, deadline=None)
@given(
    name=st.sampled_from(AFTER_TOWNS),
    towns=st.lists(st.sampled_from(["鹭湾市", "鹭湾县", "槐渡镇"]), max_size=200),
    n_first=st.integers(0, 200),
)
@example(name="station", towns=["鹭湾市"] * 6, n_first=0)
def test_chinese_names_after_towns_hold_the_towns_word_differ_and_stay(name, towns, n_first):
    draw = getattr(names, name)
    drawn = draw(Stream(9), rows(len(towns)), town=pa.array(towns, pa.string()), culture="chinese").to_pylist()
    assert all(text.startswith(town[:2]) for town, text in zip(towns, drawn, strict=True))
    told = [text.replace("市场", "") for text in drawn]  # 鹭湾市场站 is at Luwan's market, not at 鹭湾市's 场
    assert not any(town in text for town, text in zip(towns, told, strict=True))
    assert len(set(drawn)) == len(drawn)
    first = pa.array(towns[:n_first], pa.string())
    assert draw(Stream(9), rows(len(first)), town=first, culture="chinese").to_pylist() == drawn[:n_first]


def test_forms_after_towns_are_not_those_that_tell_towns_apart():
    """`Velomar Bay` + `{} Airport` must not be `Velomar` + `{} Bay Airport`."""
    forms = ["travel.hotel", "travel.station", "travel.airport", "institutions.university", "institutions.school"]
    forms += ["institutions.museum", "sport.team", "government.district", "government.constituency"]
    again = frames.forms_of("places.town", "en")
    after = tuple(one[2:] for one in again if one.startswith("{}"))
    before = tuple(one[:-2] for one in again if one.endswith("{}"))
    for family in forms:
        for form in frames.forms_of(family, "en"):
            assert not form.partition("{}")[2].startswith(after), form
            assert not form.partition("{}")[0].endswith(before), form


def test_models_and_cars_are_named_after_their_makers():
    makers = pa.array(["Velomar Motors", "Ostara"] * 400)
    for draw in (names.model, names.car):
        drawn = draw(Stream(4), rows(800), maker=makers).to_pylist()
        assert all(text.startswith(f"{maker} ") for maker, text in zip(makers.to_pylist(), drawn, strict=True))
        assert len(set(drawn)) == 800


def test_makers_that_differ_by_their_legal_form_alone_share_no_model():
    makers = pa.array(["Ostara Ltd", "Ostara Inc", "Ostara"] * 100)
    drawn = names.model(Stream(4), rows(300), maker=makers).to_pylist()
    assert len(set(drawn)) == 300 and not any("Ltd" in text or "Inc" in text for text in drawn)
    assert names.car(Stream(4), rows(1), maker="鹭湾汽车有限公司", culture="chinese")[0].as_py().startswith("鹭湾汽车")
    assert "有限公司" not in names.car(Stream(4), rows(1), maker="鹭湾汽车有限公司", culture="chinese")[0].as_py()


def test_rulers_are_counted_within_their_house():
    houses = pa.array(["House of Barabesko", "Kastel dynasty", "Ormland"] * 60)
    drawn = names.ruler(Stream(4), rows(180), house=houses).to_pylist()
    assert len(set(drawn)) == 180
    seen = {}
    for house, text in zip(houses.to_pylist(), drawn, strict=True):
        given_name, ordinal, rest = text.split(" ", 2)
        assert rest == f"of {'' if house == 'Ormland' else 'the '}{house}"
        seen.setdefault((house, given_name), []).append(ordinal)
    for ordinals in seen.values():
        numerals = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII", "XIV", "XV"]
        assert ordinals[:15] == numerals[: len(ordinals)]
    assert len(seen) <= 18 and max(map(len, seen.values())) > 5
    chinese = names.ruler(Stream(4), rows(40), house="鹭湾王朝", culture="chinese").to_pylist()
    assert all(re.fullmatch(r"鹭湾王朝..?[一二三四五六七八九十]+世", text) for text in chinese)


def test_a_title_has_the_form_it_is_asked_for():
    books = names.title(Stream(1), rows(50), form="book", genre="mystery").to_pylist()
    films = names.title(Stream(1), rows(50), form="film", genre="mystery").to_pylist()
    assert not set(books) & set(films)
    songs = " ".join(names.title(Stream(1), rows(300), form="song").to_pylist())
    assert not any(noun in songs.split() for noun in frames.kinds_of("creative_works.genres")["thriller"]["en"]["noun"])
    with pytest.raises(InputError, match="unknown form `opera`"):
        names.title(Stream(1), rows(1), form="opera")


def test_libraries_are_named_alike_everywhere():
    drawn = names.library(Stream(1), rows(20_000))
    assert len(drawn.unique()) == 20_000
    assert all(re.fullmatch(r"[a-z]+-[a-z]+", text) for text in drawn.to_pylist())


def test_patterns_take_turns_and_come_again_in_other_forms():
    pools = {
        "en": frames.Frames(("{a} {b}", "{a} of {b}"), {"a": ("x", "y"), "b": ("1", "2", "3")}, ("New {}", "{} II"))
    }
    every = frames.framed(Stream(7), rows(36), "english", pools).to_pylist()
    assert len(set(every)) == 36
    assert sum(" of " in text for text in every[:12]) == 6 and not any(
        "New" in text or "II" in text for text in every[:12]
    )
    assert sum("New" in text for text in every) == sum("II" in text for text in every) == 12
    with pytest.raises(InputError, match="there are 36 different names"):
        frames.framed(Stream(7), np.array([36]), "english", pools)


def test_composed_names_are_what_the_expression_gives():
    assert names.composed(Stream(1), rows(2), text=pa.array(["a 1", "b 2"])).to_pylist() == ["a 1", "b 2"]
    assert names.composed(Stream(1), rows(2), text="same").to_pylist() == ["same", "same"]


def test_chinese_names_are_written_in_pinyin():
    given_names = [
        "陈维远",
        "吕安",
        "鹭湾市",
        "槐鄂省",
        "上鹭湾镇",
        "鹭湾商业银行",
        "鹭湾足球俱乐部",
        "VELA-3研究",
        "Velomar",
        "",
    ]
    drawn = names.transliterated(Stream(1), rows(len(given_names)), of=pa.array(given_names)).to_pylist()
    assert drawn == [
        "Chen Weiyuan", "Lü An", "Luwan", "Huai'e", "Shangluwan", "Luwan Shangye Yinhang", "Luwan Zuqiu Julebu",
        "VELA-3 Yanjiu", "Velomar", "",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["person", "town", "region"])
def test_pinyin_of_different_names_differs_and_is_no_real_name(name):
    n = 2000 if name == "region" else 8000
    drawn = getattr(names, name)(Stream(6), rows(n), culture="chinese")
    written = names.transliterated(Stream(6), rows(n), of=drawn)
    assert len(written.unique()) == n and pc.all(pc.match_substring_regex(written, r"^[A-Za-zü' ]+$")).as_py()
    assert not set(pc.utf8_lower(written).to_pylist()) & set(real_names().to_pylist())


def test_no_two_characters_of_a_bank_are_read_alike():
    from pypinyin import lazy_pinyin

    chinese = culture_of("chinese")
    for sort in ("given", "family", "place", "region"):
        for table in chinese.words[sort]:
            for part in table:
                readings = [lazy_pinyin(character)[0] for character in part]
                assert len(set(readings)) == len(readings), sort
    assert "李" in vocabulary("chinese", "family").to_pylist()
    assert len(every_word(chinese.words["given"][0])) > 120
