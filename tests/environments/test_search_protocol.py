from hypothesis import given
from hypothesis import strategies as st

from worldforge.environments.protocol import (
    PageView,
    Result,
    format_page,
    format_results,
    one_line,
    parse_page,
    parse_results,
)

LINE = st.text(max_size=40).map(one_line)
URL = st.text("abc/:.-?=&é", min_size=1, max_size=20).map("https://".__add__)
DATE = st.none() | st.dates()
RESULT = st.builds(Result, st.integers(1, 99), URL, LINE, LINE, DATE)
VIEW = st.integers(1, 9).flatmap(
    lambda n_parts: st.builds(PageView, URL, LINE, DATE, st.integers(1, n_parts), st.just(n_parts), st.text())
)


@given(st.lists(RESULT, max_size=5))
def test_results_are_read_back_as_they_were(results):
    assert parse_results(format_results(results)) == results


@given(VIEW)
def test_a_page_is_read_back_as_it_was(view):
    assert parse_page(format_page(view, "open with …")) == view


@given(st.text() | st.just("[1] a\nTitle: b\nSnippet: c\nDate: Foo 40, 2024"))
def test_any_text_can_be_read(text):
    assert isinstance(parse_results(text), list)
    assert parse_page(text) is None or text.startswith("Title: ")


def test_lines_within_a_title_do_not_break_the_block():
    made = Result(1, "https://a.example", "a\n\n[2] b", "c\nDate: N/A", None)
    assert [(r.rank, r.title, r.snippet) for r in parse_results(format_results([made]))] == [
        (1, "a [2] b", "c Date: N/A")
    ]
