"""Names: no two rows share one, none is real, and more rows change no earlier name."""

import inspect
import itertools
import re
import unicodedata

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators import names
from generators.names import frames
from generators.names.cultures import CULTURES, SORTS, culture_of
from generators.names.invented_words import every_word, real_names, real_words, vocabulary
from worldforge.core.chance import Stream
from worldforge.core.errors import InputError

OF_A_CULTURE = [name for name in names.__all__ if "culture" in inspect.signature(getattr(names, name)).parameters]
IN_RUNS = {"car", "ministry", "model", "party", "ruler"}  # without a maker, country or house, some rows share one
WHO_AND_WHERE = ["club", "festival", "organisation", "person", "place", "region", "town", "venue"]
EVERY = pytest.mark.parametrize(
    ("name", "culture"),
    [
        *itertools.product(WHO_AND_WHERE, CULTURES),
        *itertools.product([name for name in OF_A_CULTURE if name not in WHO_AND_WHERE], ["english", "chinese"]),
    ],
)


def rows(n):
    return np.arange(n, dtype=np.int64)


@EVERY
def test_no_two_of_many_names_are_the_same_none_real_all_clean(name, culture):
    n = 6_000
    drawn = getattr(names, name)(Stream(11), rows(n), culture=culture)
    assert len(drawn.unique()) == n
    assert not pc.any(pc.is_in(pc.utf8_lower(drawn), real_names())).as_py()
    for text in drawn[:300].to_pylist():
        assert text == text.strip() == unicodedata.normalize("NFC", text) and "  " not in text and "{" not in text
        assert bool(re.search(r"[\u4e00-\u9fff]", text)) == (culture == "chinese")


@EVERY
def test_more_rows_change_no_earlier_name(name, culture):
    draw = getattr(names, name)
    whole = draw(Stream(3), rows(2000), culture=culture)
    assert whole[:700].equals(draw(Stream(3), rows(700), culture=culture))
    if name not in IN_RUNS:
        some = np.array([5, 7, 1999])
        assert draw(Stream(3), some, culture=culture).equals(whole.take(pa.array(some)))


@EVERY
def test_another_stream_gives_other_names(name, culture):
    draw = getattr(names, name)
    first, other = (set(draw(Stream(seed), rows(50), culture=culture).to_pylist()) for seed in (1, 2))
    assert len(first & other) < 10


def test_the_list_of_real_names_is_long_and_clean():
    listed = real_names().to_pylist()
    assert len(listed) > 3000 and len(set(listed)) == len(listed)
    assert all(entry == entry.strip().lower() for entry in listed)
    assert all(entry.isascii() or re.fullmatch(r"[\u4e00-\u9fff]+", entry) for entry in listed)
    assert {
        "paris",
        "lionel messi",
        "manchester united",
        "toyota",
        "alvaro",
        "calabria",
        "苏州",
        "suzhou",
        "李白",
        "li bai",
    } <= set(listed)
    assert {"messi", "saint", "etienne", "united", "苏州", "李白", "白"} <= set(real_words().to_pylist())


@pytest.mark.parametrize(("culture", "sort"), list(itertools.product(CULTURES, SORTS)))
def test_no_invented_word_is_a_word_of_a_real_name(culture, sort):
    words = vocabulary(culture, sort)
    n_made = sum(len(every_word(table)) for table in culture_of(culture).words[sort])
    assert len(words.unique()) == len(words) > 0.9 * n_made  # syllables part one way alone; few words are lost
    if sort not in culture_of(culture).borne:
        assert not set(pc.utf8_lower(words).to_pylist()) & set(real_words().to_pylist())


def test_real_words_are_indeed_struck_out():
    for culture, sort, word in [
        ("sarnese", "given", "Alvaro"),
        ("english", "place", "Ashford"),
        ("chinese", "given", "浩然"),
    ]:
        made = {made for table in culture_of(culture).words[sort] for made in every_word(table).to_pylist()}
        assert word in made and word not in vocabulary(culture, sort).to_pylist()


@pytest.mark.parametrize("culture", [name for name in CULTURES if culture_of(name).language == "en"])
@pytest.mark.parametrize("name", WHO_AND_WHERE)
def test_names_after_people_and_places_hold_an_invented_word(name, culture):
    drawn = getattr(names, name)(Stream(5), rows(5000), culture=culture)
    invented = set().union(*(vocabulary(culture, sort).to_pylist() for sort in SORTS))
    assert all(invented.intersection(text.split(" ")) for text in drawn.to_pylist())


def test_sorts_of_words_are_told_apart():
    for culture in CULTURES:
        for one, other in itertools.combinations(SORTS, 2):
            shared = set(vocabulary(culture, one).to_pylist()) & set(vocabulary(culture, other).to_pylist())
            assert not shared, (culture, one, other)


def test_there_are_names_for_large_worlds():
    for culture in CULTURES:
        assert len(vocabulary(culture, "place")) > 5_000 and len(vocabulary(culture, "region")) > 1_500
        assert len(vocabulary(culture, "given")) * len(vocabulary(culture, "family")) > 2_000_000


def test_used_up_words_come_again_in_other_forms():
    n = 3 * len(vocabulary("sarnese", "region"))
    drawn = names.region(Stream(1), rows(n)).to_pylist()
    assert len(set(drawn)) == n
    assert all(" " not in text for text in drawn[: n // 3])
    assert all(" " in text for text in drawn[n // 3 :])


def test_too_many_names_are_refused():
    n_regions = len(vocabulary("sarnese", "region")) * (1 + len(frames.forms_of("places.region", "en")))
    assert len(names.region(Stream(1), np.array([n_regions - 1]))) == 1
    with pytest.raises(InputError, match=f"{n_regions + 1:,} are asked for"):
        names.region(Stream(1), np.array([n_regions]))


def test_an_unknown_culture_is_refused():
    with pytest.raises(InputError, match="unknown culture `elvish`") as caught:
        names.person(Stream(1), rows(1), culture="elvish")
    assert "sarnese" in caught.value.hint


def test_a_place_takes_any_form():
    lakes = names.place(Stream(1), rows(9), form="Lake {}").to_pylist()
    assert all(re.fullmatch(r"Lake [A-Z][a-z]+", lake) for lake in lakes)
    with pytest.raises(InputError, match="`form` needs one"):
        names.place(Stream(1), rows(1), form="Lake")


@settings(max_examples=40)
@given(
    draw=st.sampled_from([names.club, names.festival]),
    towns=st.lists(st.sampled_from(["Velomar", "Ostara Bay", "Kaldvik"]), max_size=400),
    n_first=st.integers(0, 400),
)
def test_names_after_towns_hold_the_town_differ_and_stay(draw, towns, n_first):
    drawn = draw(Stream(9), rows(len(towns)), town=pa.array(towns, pa.string())).to_pylist()
    assert all(town in text for town, text in zip(towns, drawn, strict=True))
    assert len(set(drawn)) == len(drawn)
    first = draw(Stream(9), rows(len(towns[:n_first])), town=pa.array(towns[:n_first], pa.string())).to_pylist()
    assert first == drawn[:n_first]


def test_a_town_gets_every_form_before_founders_are_called_upon():
    n = len(frames.forms_of("sport.club", "en"))
    drawn = names.club(Stream(2), rows(n + 1), town="Velomar").to_pylist()
    assert sorted(drawn[:n]) == sorted(form.format("Velomar") for form in frames.forms_of("sport.club", "en"))
    assert any(word in drawn[n].split(" ") for word in vocabulary("sarnese", "family").to_pylist())


def test_towns_put_their_clubs_into_orders_of_their_own():
    first = {town: names.club(Stream(2), rows(4), town=town).to_pylist() for town in ("Velomar", "Kaldvik")}
    both = names.club(Stream(2), rows(8), town=pa.array(["Velomar", "Kaldvik"] * 4)).to_pylist()
    assert both[0::2] == first["Velomar"]
    kaldvik = [text.replace("Kaldvik", "Velomar") for text in both[1::2]]
    assert kaldvik != first["Velomar"]


def test_frames_around_names_hold_no_name_themselves():
    families = [
        frames.forms_of(path, language)
        for path in ("sport.club", "institutions.festival", "places.town", "places.region")
        for language in ("en", "zh")
    ]
    venue = frames.read_table("sport.venue")
    families += [venue[language]["again"] for language in ("en", "zh")]
    assert all(len(set(forms)) == len(forms) for forms in families)
    assert all(form.count("{}") == 1 for forms in families for form in forms)
    invented = set().union(
        *(vocabulary(culture, sort).to_pylist() for culture in CULTURES for sort in SORTS if culture != "chinese")
    )
    fixed = {word for forms in families for form in forms for word in form.split(" ")}
    fixed |= {*venue["en"]["kind"].split(), *frames.read_table("organisations.organisation_trades").split()}
    assert not fixed & invented


def test_orders_of_forms_run_through_all_of_them():
    turns = rows(30)
    order = frames.order_of_key(Stream(1), np.zeros(30, np.int64) + 7, turns, 30)
    assert sorted(order) == list(range(30))
