"""The grammar of wordings, and what sort of statement a label makes."""

import pytest

from generators.pages.fact_sentences import sort_of
from generators.pages.wordings import wordings
from worldforge.core.english import be, is_superlative, plural, singular, takes_article, with_article
from worldforge.world.page_inputs import PageAttribute


@pytest.mark.parametrize(
    ("noun", "expected"),
    [
        ("football club", "a football club"),
        ("island", "an island"),
        ("old ship", "an old ship"),
        ("university", "a university"),
        ("one-man band", "a one-man band"),
        ("heirloom", "an heirloom"),
        ("Umbrella", "an Umbrella"),
        ("hour of prayer", "an hour of prayer"),
        ("honest answer", "an honest answer"),
        ("European cup", "a European cup"),
        ("one-off", "a one-off"),
        ("usable storage", "a usable storage"),
        ("uninhabited isle", "an uninhabited isle"),
        ("MP", "an MP"),
        ("UFO", "a UFO"),
        ("8-year plan", "an 8-year plan"),
        ("18th century", "an 18th century"),
        ("110-page book", "a 110-page book"),
        ("UAS course", "a UAS course"),
        ("Ubuvuma school", "an Ubuvuma school"),
    ],
)
def test_articles_go_by_sound(noun, expected):
    assert with_article(noun) == expected


@pytest.mark.parametrize(
    ("noun", "verb"),
    [
        ("league titles", "are"),
        ("visitors a year", "are"),
        ("number of towns", "is"),
        ("population", "is"),
        ("squad size", "is"),
        ("census", "is"),
        ("class", "is"),
        ("series", "is"),
        ("urban population at the census of 1990", "is"),
        ("year with most visitors", "is"),
        ("rounds won", "are"),
        ("people", "are"),
    ],
)
def test_verbs_agree_with_the_head_of_a_noun(noun, verb):
    assert be(noun) == verb


@pytest.mark.parametrize(
    ("one", "several"),
    [
        ("city", "cities"),
        ("staff", "staffs"),
        ("television series", "television series"),
        ("child", "children"),
        ("analysis", "analyses"),
        ("person in charge", "people in charge"),
        ("hero", "heroes"),
        ("quiz", "quizzes"),
        ("head of state", "heads of state"),
        ("monarch", "monarchs"),
        ("MP", "MPs"),
        ("game played", "games played"),
        ("城市", "城市"),
    ],
)
def test_plurals_are_those_of_the_head(one, several):
    assert plural(one) == several


@pytest.mark.parametrize("label", ["highest year-end storage", "most played game", "最高票价", "best score"])
def test_superlatives_are_told_from_nouns_that_look_alike(label):
    assert is_superlative(label)
    assert not any(map(is_superlative, ["forest area", "interest rate", "test score", "west side", "population"]))


@pytest.mark.parametrize(
    ("several", "one"),
    [
        ("league titles", "league title"),
        ("visitors a year", "visitor a year"),
        ("ferries", "ferry"),
        ("churches", "church"),
        ("crosses", "cross"),
        ("boxes", "box"),
        ("population", "population"),
        ("children", "child"),
        ("series", "series"),
    ],
)
def test_one_of_several_is_singular(several, one):
    assert singular(several) == one


@pytest.mark.parametrize(
    ("label", "kind", "unit", "refers", "sort"),
    [
        ("league titles", "integer", "", False, "count"),
        ("number of towns", "integer", "", False, "count"),
        ("stripes", "integer", "cm", False, "amount"),
        ("population", "integer", "", False, "amount"),
        ("area", "number", "km²", False, "amount"),
        ("founding year", "year", "", False, "year"),
        ("founded", "year", "", False, "event"),
        ("first held", "year", "", False, "event"),
        ("year first held", "year", "", False, "year"),
        ("launched", "date", "", False, "event_date"),
        ("date of birth", "date", "", False, "date"),
        ("since", "year", "", False, "preposition"),
        ("stadium", "text", "", False, "text"),
        ("home town", "text", "", True, "name"),
        ("open in winter", "boolean", "", False, "boolean"),
    ],
)
def test_a_label_makes_a_sort_of_statement_that_every_bank_has(label, kind, unit, refers, sort):
    assert sort_of(PageAttribute("key", label, unit, kind, (), refers)) == sort
    for language in ("en", "zh"):
        said = wordings(language).sentences
        assert getattr(said.plain, sort) and getattr(said.casual, sort)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Langenford Film Prize", True),
        ("School of Lamonfena", True),
        ("Zambeyo Ministry of Pensions", True),
        ("Sulyrkemyr–Geirorvevassa Line", True),
        ("Portrait of Rosoven", False),
        ("The Cup of Osk", False),
        ("Velmar Rovers", False),
        ("Velmar", False),
    ],
)
def test_some_names_stand_with_an_article(name, expected):
    assert takes_article(name) == expected
