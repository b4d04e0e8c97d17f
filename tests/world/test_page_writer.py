"""Writing a page: text and marks agree whatever is written, and what is missing is not spoken of."""

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldforge.core.chance import Draws
from worldforge.core.errors import InputError
from worldforge.world.marked_text import MarkedText, spans_of
from worldforge.world.page_inputs import NAVIGATION, NO_FACT, Value
from worldforge.world.page_writer import Page

DAY = datetime.date(2031, 6, 30)
TEXTS = st.text("ab é漢𝒳|[]", max_size=6)
VALUES = st.builds(
    Value,
    TEXTS.filter(bool),
    st.sampled_from([NAVIGATION, NO_FACT, 0, 3]),
    st.integers(0, 9),
    st.sampled_from(["", " km²"]),
    st.sampled_from([-1, 2, 5]),
    st.sampled_from([(), ((4, 1), (4, 2))]),
)


def new_page(language="en"):
    def address(source, target, moves):
        return f"https://a.example/{target}", moves and target == 5

    return Page(site="Site", language=language, published=DAY, as_of=DAY, draws=Draws(1), number=1, address=address)


@given(st.lists(TEXTS | VALUES | st.none() | st.lists(TEXTS | VALUES, max_size=3), max_size=8))
def test_marks_and_links_stand_where_the_text_has_them(parts):
    page = new_page()
    page.write(*parts)
    text, flat = str(page.text), [one for part in parts for one in (part if isinstance(part, list) else [part])]
    values = [one for one in flat if isinstance(one, Value)]
    stated = [(v.text, code, row) for v in values if v.code >= 0 for code, row in [(v.code, v.row), *v.also]]
    assert [(text[start:end], code, row) for start, end, code, row in page.text.marks] == stated
    linked = [
        (v.text + v.suffix, -1 if v.target == 5 and v.code != NAVIGATION else v.target) for v in values if v.target >= 0
    ]
    assert [(text[start:end], target) for start, end, target in page.text.links] == linked
    other = MarkedText()
    others = spans_of([other, page.text, other, page.text])
    for (found, text_of), own in zip(others, (page.text.marks, page.text.links), strict=True):
        assert [tuple(one) for one in found.tolist()] == own * 2 and text_of.tolist() == [1] * len(own) + [3] * len(own)
    for start, end, _ in page.text.links:
        assert text[start - 1] == "[" and text[end:].startswith("](https://a.example/")


@given(st.lists(st.tuples(TEXTS, VALUES), min_size=1, max_size=5), st.data())
def test_a_part_of_a_text_brings_its_marks_along(pieces, data):
    page = new_page()
    for text, value in pieces:
        page.write(text, value)
    start = data.draw(st.integers(0, len(str(page.text))))
    end = data.draw(st.integers(start, len(str(page.text))))
    copy = MarkedText()
    copy.write("…")
    copy.append(page.text, start, end)
    assert str(copy) == "…" + str(page.text)[start:end]
    within = [(a, b, *rest) for a, b, *rest in page.text.marks if start <= a and b <= end]
    assert [(str(copy)[a:b], *rest) for a, b, *rest in copy.marks] == [
        (str(page.text)[a:b], *rest) for a, b, *rest in within
    ]


def test_sentences_are_parted_as_their_language_does():
    for language, parted in (("en", "One. Two.\n\nThree."), ("zh", "One.Two.\n\nThree.")):
        page = new_page(language)
        assert page.say("One.") and not page.say("{gone}", gone=None) and not page.say("") and page.say("Two.")
        page.end_paragraph()
        page.end_paragraph()
        page.say("Three.")
        assert str(page.text) == parted


def test_the_first_heading_is_the_title_unless_one_is_set():
    page = new_page()
    page.heading("On {name}", name=Value("Velmar", 0, 1, " (Ostren)"))
    page.heading("More", level=2)
    assert page.title == "On Velmar (Ostren)" and str(page.text) == "# On Velmar (Ostren)\n\n## More\n\n"
    titled = new_page()
    titled.title = "Own"
    titled.heading("Other")
    assert titled.title == "Own"


def test_a_table_has_a_dash_where_a_value_is_missing():
    page = new_page()
    page.say("Before.")
    page.table(["Town", "Area"], [("Velmar", Value("12", 0, 0)), (None, None)], [False, True])
    assert str(page.text) == "Before.\n\n| Town | Area |\n|:---|---:|\n| Velmar | 12 |\n| – | – |\n\n"


def test_an_unknown_slot_is_named():
    with pytest.raises(InputError, match="unknown slot") as refused:
        new_page().fill("{nmae} is old.", name="Velmar")
    assert "{name}" in str(refused.value.hint)
