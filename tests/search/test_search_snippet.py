from hypothesis import given
from hypothesis import strategies as st

from worldforge.search.snippet import WIDTH, cut_snippet

TEXTS = st.lists(st.text("abcÄİß日,.", min_size=1, max_size=12), max_size=120).map(" ".join)


def test_the_stretch_with_most_terms_is_shown():
    plain = "granite " + "filler " * 60 + "the ferry to Velmar sails at noon " + "filler " * 60
    snippet = cut_snippet(plain.strip(), ["granit", "ferri", "velmar", "sail", "noon"])
    assert "Velmar sails at noon" in snippet
    assert snippet.startswith("…filler") and snippet.endswith("filler…")


def test_terms_are_starts_of_words():
    plain = "backgammon " + "filler " * 60 + "a gammon joint " + "filler " * 60
    assert "gammon joint" in cut_snippet(plain.strip(), ["gammon"])


def test_the_beginning_is_shown_where_no_term_is():
    plain = "word " * 100 + "end"
    assert cut_snippet(plain, ["absent"]).startswith("word word")


@given(
    TEXTS | st.text("abc", min_size=200, max_size=500),
    st.lists(st.text("abcäiß日", min_size=1, max_size=3), max_size=5),
)
def test_a_snippet_is_a_bounded_stretch_of_whole_words(plain, terms):
    snippet = cut_snippet(plain, terms)
    shown = snippet.removeprefix("…").removesuffix("…")
    assert shown in plain and len(shown) <= WIDTH
    in_words = "日" not in plain  # beside it there may be a cut without a blank
    if in_words and " " in plain[:WIDTH] and max(map(len, plain.split(" "))) < WIDTH // 4:
        assert f" {shown} " in f" {plain} "
        assert len(shown) >= min(len(plain), WIDTH // 2)
