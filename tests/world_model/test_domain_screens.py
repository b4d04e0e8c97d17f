import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldforge.world_model.domains.screen import Screen, ScreenElement, read_screen

KEYS = ("URL", "Title")
WORD = st.from_regex(r"[a-z][a-z-]{0,6}", fullmatch=True)
LINE = st.text(st.characters(exclude_characters="\n", exclude_categories=("Cs",)), max_size=12).map(str.strip)
VALUE = st.just(True) | st.just(False) | st.integers(-999, 999) | st.text(max_size=8)
ATTRIBUTES = st.lists(st.tuples(WORD, VALUE), max_size=3).map(tuple)


@st.composite
def screens(draw):
    refs = draw(st.lists(st.integers(0, 999), unique=True, min_size=1, max_size=6))
    nodes, depth = [], -1
    for ref in refs:
        depth = draw(st.integers(0, depth + 1))
        nodes.append(ScreenElement(depth, ref, draw(WORD), draw(st.text(max_size=8)), draw(ATTRIBUTES)))
    return Screen((draw(LINE), draw(LINE)), tuple(nodes), draw(LINE))


def written(screen):
    error = [f"Error: {screen.error}"] if screen.error else []
    lines = [f"{key}: {value}" for key, value in zip(KEYS, screen.lines, strict=True)]
    return "\n".join([*error, *lines, "", *map(written_node, screen.nodes)])


def written_node(node):
    given = [name if value is True else f"{name}={quoted(value)}" for name, value in node.attributes]
    return " ".join([f"{'  ' * node.depth}[{node.ref}]", node.role, quoted(node.name), *given])


def quoted(value):
    return json.dumps(value, ensure_ascii=False)


@given(screens())
def test_a_screen_is_read_as_it_is_written(screen):
    assert read_screen(written(screen), KEYS) == screen


@given(screens(), st.integers(0, 60), st.text(max_size=4))
def test_a_screen_with_something_in_it_is_read_or_not(screen, place, added):
    text = written(screen)
    read = read_screen(text[:place] + added + text[place:], KEYS)
    assert read is None or len(read.lines) == 2


@given(
    st.text()
    | st.lists(st.sampled_from(["URL: ", "Title:", "\n", '[1] a "b"', "  ", '"', "\\", "=", " c"])).map("".join)
)
def test_any_text_can_be_read(text):
    read = read_screen(text, KEYS)
    assert read is None or (read.nodes and text.startswith(("URL:", "Error: ")))


@pytest.mark.parametrize(
    "tree",
    [
        "",
        '[1] button "a"\n',
        '  [1] button "a"',
        '[1] button "a"\n    [2] text "b"',
        '[1] button "a"\n[1] text "b"',
        '[1] Button "a"',
        "[1] button a",
        '[1] button "a" = 3',
        '[1] button "a" value=b',
        '[1] button "a"  focused',
        '[1] button "\\x"',
        '[1] button "a"\n\n[2] text "b"',
        '- [1] button "a"',
    ],
)
def test_what_is_no_tree_is_out_of_form(tree):
    assert read_screen('URL: a\nTitle: b\n\n[1] button "a" focused level=2', KEYS) is not None
    assert read_screen(f"URL: a\nTitle: b\n\n{tree}", KEYS) is None


@pytest.mark.parametrize("head", ["", "URL: a", "Title: b\nURL: a", "URL: a\nTitle: b\nMore: c", "Error: x\nURL: a"])
def test_the_lines_above_are_those_that_were_asked_for(head):
    assert read_screen(f'{head}\n\n[1] button "a"', KEYS) is None
