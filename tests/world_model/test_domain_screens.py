import json
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldforge.world_model.domains import is_screen

KEYS = ("URL", "Title")
WORD = st.from_regex(r"[a-z][a-z-]{0,6}", fullmatch=True)
LINE = st.text(st.characters(exclude_characters="\n", exclude_categories=("Cs",)), max_size=12).map(str.strip)
VALUE = st.just(True) | st.just(False) | st.integers(-999, 999) | st.text(max_size=8)
ATTRIBUTES = st.lists(st.tuples(WORD, VALUE), max_size=3).map(tuple)


class ScreenElement(NamedTuple):
    depth: int
    ref: int
    role: str
    name: str
    attributes: tuple


class Screen(NamedTuple):
    lines: tuple
    nodes: tuple
    error: str


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
def test_a_written_screen_is_one(screen):
    assert is_screen(written(screen), KEYS)


@given(screens(), st.integers(0, 60), st.text(max_size=4))
def test_a_screen_with_something_in_it_can_be_checked(screen, place, added):
    text = written(screen)
    changed = text[:place] + added + text[place:]
    assert not is_screen(changed, KEYS) or changed.startswith(("URL:", "Error: "))


@given(
    st.text()
    | st.lists(st.sampled_from(["URL: ", "Title:", "\n", '[1] a "b"', "  ", '"', "\\", "=", " c"])).map("".join)
)
def test_any_text_can_be_checked(text):
    assert not is_screen(text, KEYS) or text.startswith(("URL:", "Error: "))


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
    assert is_screen('URL: a\nTitle: b\n\n[1] button "a" focused level=2', KEYS)
    assert not is_screen(f"URL: a\nTitle: b\n\n{tree}", KEYS)


@pytest.mark.parametrize("head", ["", "URL: a", "Title: b\nURL: a", "URL: a\nTitle: b\nMore: c", "Error: x\nURL: a"])
def test_the_lines_above_are_those_that_were_asked_for(head):
    assert not is_screen(f'{head}\n\n[1] button "a"', KEYS)
