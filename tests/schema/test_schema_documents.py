"""YAML read as plain data, with the place of each key and value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldforge.schema.document import MAX_CHARACTERS, Place, read_document
from worldforge.schema.problems import SpecError


def read(text):
    document, problems = read_document(text, "a.yaml")
    assert problems == []
    return document


def told(text):
    """Every problem of a text, as `line:column message`."""
    try:
        _, problems = read_document(text, "a.yaml")
    except SpecError as error:
        problems = error.problems
    return [f"{problem.line}:{problem.column} {problem.message}" for problem in problems]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("NO", "NO"),
        ("yes", "yes"),
        ("off", "off"),
        ("true", True),
        ("False", False),
        ("1992-01-01", "1992-01-01"),
        ("2001-12-14 21:59:43", "2001-12-14 21:59:43"),
        ("12:30", "12:30"),
        ("1_000", 1000),
        ("0x1F", 31),
        ("0o17", 15),
        ("-7", -7),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        ("~", None),
        ("= year(source.born) + 16", "= year(source.born) + 16"),
        ("'it''s'", "it's"),
        ('"a\\tb"', "a\tb"),
        ("!!str 5", "5"),
        ("!!int '5'", 5),
    ],
)
def test_scalars_are_those_of_yaml_1_2_and_dates_are_text(text, value):
    document = read(f"a: [{text}]")
    assert document.data == {"a": [value]}
    assert type(document.data["a"][0]) is type(value)


def test_a_tab_may_part_a_key_from_its_value():
    assert read("a:\tb").data == {"a": "b"}


def test_keys_are_text():
    assert read("2031: x\ntrue: y\n1992-01-01: z").data == {"2031": "x", "true": "y", "1992-01-01": "z"}


def test_keys_and_values_know_where_they_stand():
    document = read("types:\n  club:\n    count: 3\n    list: [a, b]\n")
    assert document.place(("types", "club", "count"), key=True) == Place("a.yaml", 3, 5)
    assert document.place(("types", "club", "count")) == Place("a.yaml", 3, 12)
    assert document.place(("types", "club", "list", 1)) == Place("a.yaml", 4, 15)


def test_what_is_missing_stands_where_it_should_have_been():
    document = read("types:\n  club:\n    count: 3\n")
    assert document.place(("types", "club", "name", "generator")) == document.place(("types", "club"))


@pytest.mark.parametrize(
    ("value", "column"),
    [("founded > 1", 14), ("'founded > 1'", 15), ('"founded > 1"', 15), ("'it''s > 1'", 4), ("|\n  founded > 1", 4)],
)
def test_a_character_of_a_text_is_found_where_the_text_is_written_as_it_is(value, column):
    assert read(f"a: {value}\n").place(("a",), offset=10).column == column


def test_anchors_are_unfolded():
    assert read("a: &x {b: 1}\nc: *x\n").data == {"a": {"b": 1}, "c": {"b": 1}}


def test_every_duplicate_key_is_told_and_the_first_holds():
    assert told("a: 1\nb: {c: 1, c: 2}\na: 3\n") == ["2:11 duplicate key `c`", "3:1 duplicate key `a`"]
    document, _ = read_document("a: 1\na: 3\n", "a.yaml")
    assert document.data == {"a": 1}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "1:1 the file is empty"),
        ("# a comment\n", "1:1 the file is empty"),
        ("a: [", "1:5 a bracket is not closed, or a comma is missing"),
        ("a: b: c", "1:5 a `: ` stands where none is expected"),
        ("a: *x", "1:4 `*` and `&` stand for other parts of the file, and this one is not there"),
        ("a: 1\nb: \x07", "2:4 the file holds a character that is no text"),
        ("? [x]\n: 1", "1:3 a key must be one word, not a list or a mapping"),
        (
            "a: !!python/object/apply:os.system [x]",
            "1:4 the tag `!!python/object/apply:os.system` has no place in a spec",
        ),
        ("a: !own x", "1:4 the tag `!own` has no place in a spec"),
        ("a: !!binary aGk=", "1:4 the tag `!!binary` has no place in a spec"),
        ("a: !!int x", "1:4 `x` is no whole number"),
        ("a: .nan", "1:4 `.nan` is no number that can be used"),
        ("a: -.inf", "1:4 `-.inf` is no number that can be used"),
        ("a: 1e999", "1:4 `1e999` is no number that can be used"),
        ('a: "\\ud800"', "1:4 the text holds half a character"),
        ("a: " + "1" * 5000, "1:4 the number is too large"),
        (
            "x: 1\n---\ny: 2\n",
            "2:1 a second document begins here",
        ),
    ],
)
def test_what_is_no_tree_of_values_is_told_with_its_place(text, problem):
    assert told(text) == [problem]


def test_documents_that_blow_up_are_refused():
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert "more than 100000 values, aliases unfolded" in told(bomb)[0]
    assert "nested deeper than 32 levels" in told("a: &a [*a]")[0]
    assert "nested deeper than 32 levels" in told("[" * 40 + "]" * 40)[0]
    assert "nested deeper than 32 levels" in told("{a: " * 5000)[0]
    assert "nested deeper than 32 levels" in told("- " * 400_000)[0]
    assert "larger than 1 MiB" in told("#" * (MAX_CHARACTERS + 1))[0]


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text):
    try:
        document, problems = read_document(text, "a.yaml")
    except SpecError as error:
        assert error.problems
    else:
        assert all(problem.line >= 1 and problem.column >= 1 for problem in problems)
        assert document.place(()).line >= 1


plain_values = st.recursive(
    st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    # YAML 1.2 limits a key on one line to 1,024 characters, here escapes included
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=80), inner, max_size=4),
    max_leaves=12,
)


@given(plain_values)
def test_json_reads_as_what_it_says(value):
    import json

    assert read(json.dumps(value)).data == value


BLOCK = "name: a\ntypes:\n  town:\n    count: 1\n    name: {generator: names.town}\n    label: home town\n"


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("    count", "\tcount", (4, 1)),
        ("    label", "   label", (6, 4)),
        ("    label", "      label", (6, 7)),
        ("count: 1", "count 1", (5, 9)),
        ("home town", "home: town", (6, 16)),
        ("home town", '"home town', (6, 12)),
        ("{generator: names.town}", "{generator: 'names.town}", (5, 23)),
        ("names.town}", "names.town", (5, 11)),
        ("names.town}", "[names.town}", (5, 23)),
        ("names.town}", "names.town}}", (5, 34)),
        ("home town", "'home' town", (6, 19)),
        ("home town", "@home", (6, 12)),
        ("home town", "*home", (6, 12)),
        ("home town\n", "home town\n---\nseed: 1\n", (7, 1)),
    ],
)
def test_what_is_no_yaml_is_told_where_it_was_mistyped(old, new, place):
    with pytest.raises(SpecError) as raised:
        read_document(BLOCK.replace(old, new, 1), "world.yaml")
    [problem] = raised.value.problems
    assert (problem.line, problem.column) == place, problem
    assert problem.message and problem.hint, problem
