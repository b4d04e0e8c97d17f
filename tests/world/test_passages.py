"""Passages against a plain model of them: lists of pieces, each text or a value that is marked."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldforge.core.errors import InputError
from worldforge.world.passages import Passages, choose, concat, fill, fill_chosen, gather, plain, repeat, slot

# A model row is None (nothing said) or a list of (text, what): `what` is a value's (code, item), else None.
Row = list[tuple[str, tuple[int, int] | None]] | None
OPERATIONS = ["slot", "plain", "concat", "fill", "fill_chosen", "choose", "keep", "otherwise"]
TEXTS = st.text(st.sampled_from("ab |{}é\u0301²–漢𝒳🏟\n"), max_size=5)


def mentions(passages: Passages) -> list[list[tuple[int, int, int, int]]]:
    """Every mark as (start, end, code, item), by row, in the order they are held."""
    rows: list[list[tuple[int, int, int, int]]] = [[] for _ in range(len(passages))]
    marks = passages.marks
    for row, start, length, code, item in zip(
        marks.row, marks.start, marks.length, marks.code, marks.item, strict=True
    ):
        rows[row].append((int(start), int(start + length), int(code), int(item)))
    return rows


def assert_same(passages: Passages, model: list[Row]) -> None:
    texts = [None if row is None else "".join(text for text, _ in row) for row in model]
    assert passages.text.to_pylist() == texts
    assert passages.length.tolist() == [len(text or "") for text in texts]
    assert np.all(np.diff(passages.marks.row) >= 0)
    for row, found in zip(model, mentions(passages), strict=True):
        expected, end = [], 0
        for text, what in row or []:
            if what is not None:
                expected.append((end, end + len(text), *what))
            end += len(text)
        assert found == expected


@st.composite
def a_slot(draw: st.DrawFn, n: int) -> tuple[Passages, list[Row]]:
    values = draw(st.lists(st.none() | TEXTS, min_size=n, max_size=n))
    code, first = draw(st.integers(0, 500)), draw(st.integers(0, 2**39))
    items = np.arange(first, first + n)
    model: list[Row] = [None if v is None else [(v, (code, int(i)))] for v, i in zip(values, items, strict=True)]
    return slot(pa.array(values, pa.string()), code, items), model


def joined(rows: list[Row]) -> list[tuple[str, tuple[int, int] | None]]:
    return [piece for row in rows for piece in row or []]


def filled_row(template: str, a: Row, b: Row) -> Row:
    pieces: list[tuple[str, tuple[int, int] | None]] = []
    for piece in re.split(r"(\{.\})", template):
        row = {"{a}": a, "{b}": b, "{l}": [("ł", None)]}.get(piece, [(piece, None)])
        if row is None:
            return None
        pieces += row
    return pieces


@st.composite
def passages_and_model(draw: st.DrawFn, n: int, depth: int = 3) -> tuple[Passages, list[Row]]:
    below = passages_and_model(n=n, depth=depth - 1)
    operations = (
        ["slot", "plain", "concat", "fill", "fill_chosen", "choose", "keep", "otherwise"] if depth else ["slot"]
    )
    match draw(st.sampled_from(operations)):
        case "plain":
            texts = draw(st.lists(st.none() | TEXTS, min_size=n, max_size=n))
            return plain(pa.array(["cut off", *texts], pa.string())[1:]), [
                None if t is None else [(t, None)] for t in texts
            ]
        case "concat":
            literals = TEXTS.map(lambda text: (text, [[(text, None)]] * n))
            parts = [draw(below), *draw(st.lists(literals | below, max_size=3))]
            model: list[Row] = [joined([rows[i] for _, rows in parts]) for i in range(n)]
            return concat(*[part for part, _ in parts]), model
        case "fill":
            (first, ours), (second, others) = draw(below), draw(below)
            filled = fill("{a}, {label} is {b}.", a=first, b=second, label="x²")
            return filled, [
                None if a is None or b is None else [*a, (", x² is ", None), *b, (".", None)]
                for a, b in zip(ours, others, strict=True)
            ]
        case "fill_chosen":
            (first, ours), (second, others) = draw(below), draw(below)
            templates = ["{a}{b}", "²{b} {l} {a}", "{b}.", "{a}", "({a}, {a})", "{l}"]
            choice = np.array(draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)), np.int64)
            filled = fill_chosen(choice, templates, a=first, b=second, l="ł")
            return filled, [filled_row(templates[c], ours[i], others[i]) for i, c in enumerate(choice)]
        case "choose":
            variants = [draw(below) for _ in range(3)]
            choice = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), np.int64)
            chosen = choose(choice, [lambda rows, p=p: p.select(rows) for p, _ in variants])
            return chosen, [variants[c][1][i] for i, c in enumerate(choice)]
        case "keep":
            passages, model = draw(below)
            mask = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)), np.bool_)
            return passages.keep(mask), [row if m else None for row, m in zip(model, mask, strict=True)]
        case "otherwise":
            passages, model = draw(below)
            return passages.otherwise("–"), [[("–", None)] if row is None else row for row in model]
        case _:
            return draw(a_slot(n))


@given(st.data())
def test_every_operation_moves_its_marks_with_the_text(data: st.DataObject) -> None:
    passages, model = data.draw(passages_and_model(n=data.draw(st.integers(1, 6))))
    assert_same(passages, model)


@given(st.data())
def test_gathered_runs_are_their_items_one_after_the_other(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=5).filter(sum))
    items, model = data.draw(passages_and_model(n=sum(sizes), depth=2))
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    runs = [joined(model[first:last]) for first, last in itertools.pairwise(offsets)]
    gathered = gather(items, offsets)
    assert_same(gathered, [run if any(text for text, _ in run) else None for run in runs])


@given(st.data())
def test_what_is_joined_late_is_what_is_joined_at_once(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 4))
    (inner, ours), (other, others) = data.draw(passages_and_model(n=n)), data.draw(passages_and_model(n=n))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)), np.bool_)
    lines = [fill("- {a}\n", a=inner), fill("* {a}{b}\n", a=fill("<{a}>", a=inner), b=other).keep(mask)]
    once = concat("# ", *lines, inner.keep(~mask))
    both = [
        [("# ", None)]
        + ([] if a is None else [("- ", None), *a, ("\n", None)])
        + ([] if a is None or b is None or not m else [("* <", None), *a, (">", None), *b, ("\n", None)])
        + ([] if a is None or m else a)
        for a, b, m in zip(ours, others, mask, strict=True)
    ]
    assert_same(once, both)
    assert_same(concat(once, "!", inner), [row + [("!", None)] + (a or []) for row, a in zip(both, ours, strict=True)])
    assert_same(lines[0], [None if a is None else [("- ", None), *a, ("\n", None)] for a in ours])


def test_a_value_of_no_characters_keeps_its_mark_in_a_run() -> None:
    gathered = gather(slot(pa.array(["", "b"]), 1, np.arange(2)), np.array([0, 2]))
    assert mentions(gathered) == [[(0, 0, 1, 0), (0, 1, 1, 1)]]


@given(TEXTS.filter(lambda text: "{" not in text), st.integers(1, 3))
def test_the_same_text_is_repeated(text: str, n: int) -> None:
    assert_same(repeat(text, n), [[(text, None)]] * n)


@pytest.mark.parametrize("template", ["{subject.__class__}", "{}", "{0}", "{ value }", "{{value}}", "}{", "{value!r}"])
def test_what_is_no_slot_is_text(template: str) -> None:
    values = plain(pa.array(["1903"]))
    expected = template.replace("{value}", "1903") + "1903"
    assert fill(template + "{value}", value=values).text.to_pylist() == [expected]


def test_an_unknown_slot_is_explained() -> None:
    with pytest.raises(InputError, match=r"unknown slot `\{year\}`") as caught:
        fill("Founded in {year}.", subject="The club", value=repeat("1903", 2))
    assert "{subject}, {value}" in caught.value.hint


def test_variants_are_rendered_for_their_rows_alone() -> None:
    asked: list[list[int]] = []

    def variant(rows: np.ndarray) -> Passages:
        asked.append(rows.tolist())
        return repeat("x", len(rows))

    choose(np.array([1, 0, 1, 1]), [variant, variant, variant])
    assert asked == [[1], [0, 2, 3]]
