from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldforge.world.lexicon.lexicon import Lexicon, stems
from worldforge.world.lexicon.sentence_splitting import sentences

LEXICON = Lexicon(
    names=["Velmar Rovers", "Velmar", "FC St. Mary's-on-Sea", "Route 66", "Will", "Unity"],
    values=["goalkeeper", "red and white", "Ruvanolo Terrace", "violet", "no"],
    labels=["founding year", "stadium capacity"],
    vocabulary=["nestled"],
    hosts=["www.wiki.example"],
)


def told(text: str, lexicon: Lexicon = LEXICON) -> list[tuple[str, str]]:
    return [(found.kind, found.canonical) for found in lexicon.found(text)]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("with 12,400 seats, 0042 of 1,485.70 km²", ["12400", "42", "1485.7", "km²"]),
        ("1,2345 and 1.2.3", ["1", "2345", "1.2", "3"]),
        ("at -5 °, and 2010-2018", ["-5", "°", "2010", "2018"]),
        ("191cm, 191 centimetres", ["191", "cm", "191", "cm"]),
        ("5 square kilometres, 5 km², 5 sq km", ["5", "km²"] * 3),
        ("12 %, 12 percent, 12 per cent, €5", ["12", "%", "12", "%", "12", "%", "€", "5"]),
        ("seven hundred, the second and the 2nd, 1900s, half", ["7", "100", "2.", "2.", "1900s", "1/2"]),
        ("one of them has one title; no one knows", ["1", "no"]),
        (
            "before 1903, more than the 12, at least 3 or up to 4, 5+",
            ["before", "1903", "more than", "12", "at least", "3", "up to", "4", "5", "+"],
        ),
        ("1,200 or more; also 5 km or so, nine upwards", ["1200", "or more", "5", "km", "or so", "9", "upwards"]),
        ("two dozen 19 hundred", ["2", "12", "19", "100"]),
    ],
)
def test_figures(text, facts):
    assert [canonical for _, canonical in told(text)] == facts


@pytest.mark.parametrize(
    "text",
    [
        "18 June 2024",
        "18th of June 2024",
        "June 18, 2024",
        "Jun 18, 2024",
        "Jun. 18 2024",
        "2024-06-18",
        "18 june, 2024",
    ],
)
def test_a_day_is_one_day_however_it_is_written(text):
    assert told(f"on {text}.") == [("date", "2024-06-18")]


def test_parts_of_dates_are_others_than_dates():
    assert told("June 2024, 18 June, June, May 3") == [
        ("date", "2024-06"),
        ("date", "--06-18"),
        ("date", "--06"),
        ("date", "--05-03"),
    ]
    assert told("it may be 18/06/2024") == [("number", "18"), ("number", "6"), ("number", "2024")]
    assert told("until June 2024") == [("bound", "until"), ("date", "2024-06")]


def test_addresses_are_found_whole():
    assert told("see [x](https://WWW.wiki.example/Wiki/a-1_b), or wiki.example.") == [
        ("address", "https://www.wiki.example/Wiki/a-1_b"),
        ("address", "wiki.example"),
    ]
    assert LEXICON.knows(("address", "https://www.wiki.example/a")) and not LEXICON.knows(("address", "a.example"))


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("velmar  ROVERS of Velmar", [("name", "velmar rovers"), ("name", "velmar")]),
        ("FC St Mary’s on Sea", [("name", "fc st mary s on sea")]),
        ("on Route 66, 66 times", [("name", "route 66"), ("number", "66")]),
        ("they will; ask Will", [("name", "will")]),
        ("red and white, or white and red", [("value", "red and white"), ("value", "white"), ("value", "red")]),
        ("violet, at Ruvanolo Terrace", [("value", "violet"), ("value", "ruvanolo terrace")]),
        ("he isn't Redding. Redding", [("negation", "not"), ("word", "redding"), ("word", "redding")]),
        ("rovers and VEL-mar or g'o'a'l", [("name", "rovers"), ("word", "velmar"), ("word", "goal")]),
        ("v e l m a r in ruvanolo", [("word", "velmar"), ("name", "ruvanolo")]),
        ("it's a well-known e.g. and o'clock", []),
        ("he went Home", [("capital", "home")]),
        ("quiet_badger McBride XIV lO", [("word", w) for w in ("quiet_badger", "mcbride", "xiv", "lo")]),
        ("Records say so. Nestled there: Please go. “We do”, I say", []),
        ("without formerly cannot Never", [("negation", w) for w in ("without", "formerly", "cannot", "never")]),
    ],
)  # fmt: skip
def test_names_and_values(text, facts):
    assert told(text) == facts


def test_what_is_found_stands_where_it_says():
    text = "More than 12,400 saw Velmar Rovers on 18 June 2024 at https://www.wiki.example/x."
    assert [text[found.start : found.end] for found in LEXICON.found(text)] == [
        "More than", "12,400", "Velmar Rovers", "18 June 2024", "https://www.wiki.example/x",
    ]  # fmt: skip


def test_labels_are_stems_that_forms_share():
    assert LEXICON.labels == {"found", "stadi", "capac"}
    assert stems("The club was founded, see https://founded.example/capacity") == ["club", "found", "see"]


def test_sentences_end_where_a_new_one_begins():
    assert sentences("It has 1.5 km. It is old! (Very.) “Yes.”\nSee a.b.example for e.g. this… Done") == [
        "It has 1.5 km.", "It is old!", "(Very.)", "“Yes.”", "See a.b.example for e.g. this…", "Done",
    ]  # fmt: skip


@given(st.text(st.characters(), max_size=200) | st.text("aA1 .,-_'’\n²%+:/ Mayfnot", max_size=80))
def test_any_text_is_read_the_same_twice_and_in_order(text):
    found = LEXICON.found(text)
    assert found == LEXICON.found(text)
    assert all(0 <= one.start < one.end <= len(text) and one.canonical for one in found)
    assert all(one.end <= following.start for one, following in pairwise(found))
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


@given(st.integers(2, 10**9), st.sampled_from(["{}", "it had {} seats", "({})", "x{}", "Velmar{}", "-{}.", "{}th"]))
def test_no_figure_is_overlooked(number, frame):
    for written in (str(number), f"{number:,}"):
        found = LEXICON.found(frame.format(written))
        assert any(one.kind == "number" and str(number) in one.canonical for one in found)
