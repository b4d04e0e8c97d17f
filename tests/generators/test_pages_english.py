"""The grammar of wordings, and what sort of statement a label makes."""

import pyarrow as pa
import pytest

from generators.pages.banks import BANKS
from generators.pages.english import be, singular, with_article
from generators.pages.sentences import sort_of
from worldforge.world.draft import Stated
from worldforge.world.passages import plain


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
    ],
)
def test_verbs_agree_with_the_head_of_a_noun(noun, verb):
    assert be(noun) == verb


@pytest.mark.parametrize(
    ("plural", "one"),
    [
        ("league titles", "league title"),
        ("visitors a year", "visitor a year"),
        ("ferries", "ferry"),
        ("churches", "church"),
        ("crosses", "cross"),
        ("boxes", "box"),
        ("population", "population"),
    ],
)
def test_one_of_several_is_singular(plural, one):
    assert singular(plural) == one


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
        ("launched", "date", "", False, "event_date"),
        ("date of birth", "date", "", False, "date"),
        ("since", "year", "", False, "preposition"),
        ("stadium", "text", "", False, "text"),
        ("home town", "text", "", True, "name"),
        ("open in winter", "boolean", "", False, "boolean"),
    ],
)
def test_a_label_makes_a_sort_of_statement_that_every_bank_has(label, kind, unit, refers, sort):
    nothing = plain(pa.array([], pa.string()))
    assert sort_of(Stated("key", label, unit, kind, (), refers, nothing, nothing)) == sort
    assert BANKS["en"].plain[sort] and BANKS["en"].casual[sort]
