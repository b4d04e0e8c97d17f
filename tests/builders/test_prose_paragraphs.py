"""Locking and filling paragraphs: whatever is written between slots, what is locked comes back, where it is said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldforge.builders.pages.prose.paragraphs import (
    SLOT,
    LockedSpan,
    edited,
    edits,
    keeps_slots,
    lock,
    moved,
    prose_lines,
    words_of,
)
from worldforge.builders.pages.prose.prose_rewrite import changed
from worldforge.world.marked_text import MarkedText

WORDS = st.text("abc ,.", max_size=12)
VALUES = st.text("AZ0129⟦⟧[](*é漢𝒳", min_size=1, max_size=8).filter(
    lambda value: "*" not in value and "](" not in value
)


@st.composite
def locked_texts(draw):
    """A page with one paragraph: its text, where the paragraph is, and the stretches that are locked in it."""
    text, locked = draw(st.sampled_from(["", "# Kalo\n\n", "| 漢 |\n\n"])), []
    start = len(text)
    for value in draw(st.lists(VALUES, max_size=5)):
        text += " " + draw(WORDS)
        locked.append(LockedSpan(len(text), len(text) + len(value), "role"))
        text += value
    text += " " + draw(WORDS)
    return text + draw(st.sampled_from(["", "\n", "\n\n## Sources\n"])), start, len(text), locked


@given(locked_texts(), st.data())
def test_whatever_is_said_between_slots_what_is_locked_stays_and_moves_along(page, data):
    text, start, end, locked = page
    paragraph = lock(text, start, end, locked)
    if paragraph is None:  # a stop within a word
        return
    assert len(SLOT.findall(paragraph.slotted)) == len(locked) and keeps_slots(paragraph, paragraph.slotted)
    words = [data.draw(WORDS) for _ in range(len(locked) + 1)]
    draft = words[0] + "".join(f"⟦{n}⟧{said}" for n, said in enumerate(words[1:], 1))
    changes = edits(paragraph, draft)
    new = edited(text, changes)
    starts = moved([one.start for one in locked], changes)
    for one, at in zip(locked, starts, strict=True):
        assert new[at : at + one.end - one.start] == text[one.start : one.end]
    values = [text[one.start : one.end] for one in locked]
    assert new == text[:start] + words[0] + "".join(a + b for a, b in zip(values, words[1:], strict=True)) + text[end:]


@given(locked_texts())
def test_a_paragraph_worded_as_it_was_changes_nothing(page):
    text, start, end, locked = page
    paragraph = lock(text, start, end, locked)
    if paragraph is not None:
        assert edited(text, edits(paragraph, paragraph.slotted)) == text
        assert "⟦" not in "".join(words_of(paragraph.slotted))


@given(locked_texts(), st.data())
def test_a_changed_text_keeps_its_marks(page, data):
    text, start, end, locked = page
    paragraph = lock(text, start, end, locked)
    worded = "".join(data.draw(WORDS) + f"⟦{n}⟧" for n in range(1, len(locked) + 1)) + "."
    before = MarkedText()
    marks = [(one.start, one.end, number, 7) for number, one in enumerate(locked)]
    before.write_marked(text, marks, [(one.start, one.end, number) for number, one in enumerate(locked)])
    assert before.marks == marks
    after = changed(before, edits(paragraph, worded) if paragraph is not None else [])
    for old, new in ((before.marks, after.marks), (before.links, after.links)):
        assert [(str(after)[a:b], *rest) for a, b, *rest in new] == [(text[a:b], *rest) for a, b, *rest in old]


@pytest.mark.parametrize("draft", ["", "⟦1⟧", "⟦2⟧ ⟦1⟧", "⟦1⟧ ⟦2⟧ ⟦2⟧", "⟦1⟧ ⟦2⟧ ⟦3⟧", "⟦1⟧ ⟦02⟧", "[1] [2]"])
def test_a_draft_without_each_slot_once_in_order_cannot_be_filled_in(draft):
    paragraph = lock("Kalo has 12.", 0, 12, [LockedSpan(0, 4), LockedSpan(9, 11)])
    assert paragraph.slotted == "⟦1⟧ has ⟦2⟧." and not keeps_slots(paragraph, draft)
    with pytest.raises(ValueError, match="slot"):
        edits(paragraph, draft)


def test_what_markdown_wraps_and_what_meets_is_one_slot():
    text = "**Kalo**, in [Sarn](https://a.example/s_1), has 12 km²."
    stated = [
        LockedSpan(2, 6, "name"),
        LockedSpan(14, 18, "region", ("region",)),
        LockedSpan(48, 50, "width", ("width",), True),
    ]
    paragraph = lock(text, 0, len(text), [*stated, LockedSpan(50, 54, "unit")])
    assert paragraph.slotted == "⟦1⟧, in ⟦2⟧, has ⟦3⟧."
    assert [text[one.start : one.end] for one in paragraph.locked] == text.rstrip(".").replace(", in ", "\0").replace(
        ", has ", "\0"
    ).split("\0")
    assert [(one.role, one.labels, one.figure) for one in paragraph.locked] == [
        ("name", (), False), ("region", ("region",), False), ("width", ("width",), True),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text", ["He has 12 left.", "See a_b for it.", "A ⟦1⟧ of old.", "One|two.", "See kalo.example now."]
)
def test_a_paragraph_with_signs_outside_its_slots_is_left_alone(text):
    assert lock(text, 0, len(text), []) is None


def test_prose_is_what_is_neither_heading_nor_table_nor_list():
    text = (
        "# A head.\n\n| a. |\n|:---|\n\nKalo is a town.\n\n- one.\n* two.\n+ three.\n1. four.\n> “Said.”\n\n---\n\n"
        "*As of then.*\n\n**Kalo** is old!\n**kalo_7** wrote:\n\nNo end\n    code.\n```\n“Is it?”  \n"
    )
    assert [text[slice(*place)] for place in prose_lines(text)] == ["Kalo is a town.", "**Kalo** is old!", "“Is it?”"]
