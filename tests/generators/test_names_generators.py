"""Names: no two rows share one, none is real, and more rows change no earlier name."""

import itertools
import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators import names
from generators.names import clubs, distinct, festivals, organisations, places, venues
from generators.names.cultures import CULTURES, SORTS, syllables_of
from generators.names.words import real_names, real_words, vocabulary
from worldforge.core.chance import Stream
from worldforge.core.errors import InputError

EVERY = pytest.mark.parametrize(("name", "culture"), list(itertools.product(names.__all__, CULTURES)))


def rows(n):
    return np.arange(n, dtype=np.int64)


@EVERY
def test_no_two_of_many_names_are_the_same(name, culture):
    n = 20_000 if name == "region" else 200_000
    drawn = getattr(names, name)(Stream(11), rows(n), culture=culture)
    assert len(drawn.unique()) == n


@EVERY
def test_more_rows_change_no_earlier_name(name, culture):
    draw = getattr(names, name)
    assert draw(Stream(3), rows(9000), culture=culture)[:700].equals(draw(Stream(3), rows(700), culture=culture))


@EVERY
def test_another_stream_gives_other_names(name, culture):
    draw = getattr(names, name)
    first, other = (set(draw(Stream(seed), rows(50), culture=culture).to_pylist()) for seed in (1, 2))
    assert len(first & other) < 10


def test_the_list_of_real_names_is_long_and_clean():
    listed = real_names().to_pylist()
    assert len(listed) > 3000 and len(set(listed)) == len(listed)
    assert all(entry == entry.strip().lower() and entry.isascii() for entry in listed)
    assert {"paris", "lionel messi", "manchester united", "toyota", "alvaro", "calabria"} <= set(listed)
    assert {"messi", "saint", "etienne", "united"} <= set(real_words().to_pylist())


@pytest.mark.parametrize(("culture", "sort"), list(itertools.product(CULTURES, SORTS)))
def test_no_invented_word_is_a_word_of_a_real_name(culture, sort):
    words = vocabulary(culture, sort)
    syllables = syllables_of(culture, sort)
    n_made = len(syllables.beginnings) * len(syllables.middles) * len(syllables.ends)
    assert not set(pc.utf8_lower(words).to_pylist()) & set(real_words().to_pylist())
    assert len(words.unique()) == len(words) > n_made - 20  # syllables part one way alone; few words are lost


def test_real_words_are_indeed_struck_out():
    made = {a + b + c for a, b, c in itertools.product(*_parts("sarnese", "given"))}
    assert "Alvaro" in made and "Alvaro" not in vocabulary("sarnese", "given").to_pylist()


@EVERY
def test_every_name_holds_an_invented_word_and_so_is_no_real_name(name, culture):
    drawn = getattr(names, name)(Stream(5), rows(5000), culture=culture)
    invented = set().union(*(vocabulary(culture, sort).to_pylist() for sort in SORTS))
    assert all(invented.intersection(text.split(" ")) for text in drawn.to_pylist())
    assert not set(pc.utf8_lower(drawn).to_pylist()) & set(real_names().to_pylist())


def test_sorts_of_words_are_told_apart():
    for culture in CULTURES:
        for one, other in itertools.combinations(SORTS, 2):
            shared = set(vocabulary(culture, one).to_pylist()) & set(vocabulary(culture, other).to_pylist())
            assert not shared, (culture, one, other)


def test_there_are_names_for_large_worlds():
    for culture in CULTURES:
        assert len(vocabulary(culture, "place")) > 100_000
        assert len(vocabulary(culture, "given")) * len(vocabulary(culture, "family")) > 10_000_000


def test_used_up_words_come_again_in_other_forms():
    n = 3 * len(vocabulary("sarnese", "region"))
    drawn = names.region(Stream(1), rows(n)).to_pylist()
    assert len(set(drawn)) == n
    assert all(" " not in text for text in drawn[: n // 3])
    assert all(" " in text for text in drawn[n // 3 :])


def test_too_many_names_are_refused():
    n_regions = len(vocabulary("sarnese", "region")) * (1 + len(places.REGIONS_AGAIN))
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
    n = len(clubs.FORMS)
    drawn = names.club(Stream(2), rows(n + 1), town="Velomar").to_pylist()
    assert sorted(drawn[:n]) == sorted(form.format("Velomar") for form in clubs.FORMS)
    assert any(word in drawn[n].split(" ") for word in vocabulary("sarnese", "family").to_pylist())


def test_towns_put_their_clubs_into_orders_of_their_own():
    first = {town: names.club(Stream(2), rows(4), town=town).to_pylist() for town in ("Velomar", "Kaldvik")}
    both = names.club(Stream(2), rows(8), town=pa.array(["Velomar", "Kaldvik"] * 4)).to_pylist()
    assert both[0::2] == first["Velomar"]
    kaldvik = [text.replace("Kaldvik", "Velomar") for text in both[1::2]]
    assert kaldvik != first["Velomar"]


def test_frames_around_names_hold_no_name_themselves():
    families = [clubs.FORMS, festivals.FORMS, places.TOWNS_AGAIN, places.REGIONS_AGAIN, venues.AGAIN]
    assert all(len(set(frames)) == len(frames) for frames in families)
    frames = list(itertools.chain(*families))
    assert all(frame.count("{}") == 1 for frame in frames)
    invented = set().union(*(vocabulary(culture, sort).to_pylist() for culture in CULTURES for sort in SORTS))
    fixed = {word for frame in frames for word in frame.split(" ")}
    fixed |= {word for pool in (venues.KINDS, organisations.TRADES) for word in pool.to_pylist()}
    assert not fixed & invented


def test_orders_of_forms_run_through_all_of_them():
    turns = rows(30)
    order = distinct._own_order(Stream(1), np.zeros(30, np.int64) + 7, turns, 30)
    assert sorted(order) == list(range(30))


def _parts(culture, sort):
    syllables = syllables_of(culture, sort)
    return syllables.beginnings, syllables.middles, syllables.ends
