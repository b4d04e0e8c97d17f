from hypothesis import given
from hypothesis import strategies as st

from worldforge.environments.search.views import MOST_CHARACTERS, page_parts

LINES = st.lists(st.integers(0, 9_000), max_size=12).map(lambda sizes: "\n".join("é" * size for size in sizes))
WORDS = st.lists(st.integers(0, 9_000), max_size=5).map(lambda sizes: " ".join("w" * size for size in sizes))


@given(LINES | WORDS | st.text())
def test_parts_are_the_text_in_bounded_pieces(text):
    parts = page_parts(text)
    assert "".join(text[start:end] for start, end in parts) == text
    assert all(end - start <= MOST_CHARACTERS for start, end in parts)
    assert text == "" or all(start < end for start, end in parts)
    assert len(parts) >= 1


def test_parts_end_at_line_ends_and_hold_what_they_can():
    text = "".join(f"line {number} " + "x" * 80 + "\n" for number in range(400))
    parts = page_parts(text)
    assert all(text[end - 1] == "\n" for _, end in parts)
    assert all(end - start > MOST_CHARACTERS - 100 for start, end in parts[:-1])


def test_a_line_too_long_is_cut_between_words_then_anywhere():
    assert page_parts("w" * 5_000 + " " + "v" * 5_000) == [(0, 5_001), (5_001, 10_001)]
    assert page_parts("w" * 13_000) == [(0, 6_000), (6_000, 12_000), (12_000, 13_000)]
