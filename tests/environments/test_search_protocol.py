import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldforge.environments.arguments import one_line
from worldforge.environments.search.text_form import LABELLED, NUMBERED, format_page, parse_page
from worldforge.environments.search.views import PageView, Result

LINE = st.text(max_size=40).map(one_line)
URL = st.text("abc/:.-?=&é", min_size=1, max_size=20).map("https://".__add__)
DATE = st.none() | st.dates()
RESULT = st.builds(Result, st.integers(1, 999), URL, LINE, LINE, DATE, st.just(-1))
VIEW = st.integers(1, 9).flatmap(
    lambda n_parts: st.builds(PageView, URL, LINE, DATE, st.integers(1, n_parts), st.just(n_parts), st.text(), LINE)
)
FORMS = st.sampled_from([NUMBERED, LABELLED])


@given(FORMS, RESULT)
def test_a_result_is_read_back_as_it_was(form, result):
    assert form.read(form.write(result)) == result


@given(VIEW)
def test_a_page_is_read_back_as_it_was(view):
    assert parse_page(format_page(view)) == view


def test_results_have_the_forms_of_their_origins():
    result = Result(3, "https://a.example/b", "Velmar", "A town.", None)
    assert NUMBERED.write(result) == "[3] https://a.example/b\nTitle: Velmar\nSnippet: A town.\nDate: N/A"
    assert LABELLED.write(result) == (
        "[index] 3\n[title] Velmar\n[datePublished] N/A\n[Url] https://a.example/b\n[snippt] A town."
    )


@pytest.mark.parametrize("form", [NUMBERED, LABELLED])
def test_lines_within_a_title_do_not_break_a_result(form):
    made = form.read(form.write(Result(1, "https://a.example", "a\n\n[2] b\nTitle: x", "c\nDate: N/A", None)))
    assert (made.rank, made.title, made.snippet) == (1, "a [2] b Title: x", "c Date: N/A")


@pytest.mark.parametrize(
    "text",
    [
        "[1] a\nTitle: b\nSnippet: c\nDate: Foo 40, 2024",
        "[1] a\nTitle: b\nSnippet: c\nDate: Jun 05, 2024",
        "[1] a\nTitle: b\nSnippet: c",
        "[١] a\nTitle: b\nSnippet: c\nDate: N/A",
        "[01] a\nTitle: b\nSnippet: c\nDate: N/A",
        f"[{'9' * 5000}] a\nTitle: b\nSnippet: c\nDate: N/A",
        "[index] 1\n[title] a\n[datePublished] 20240605\n[Url] b\n[snippt] c",
        "[index] 1\n[title] a\n[datePublished] N/A\n[Url] b\n[snippet] c",
    ],
)
def test_what_is_only_nearly_a_result_is_not_read(text):
    assert NUMBERED.read(text) is None and LABELLED.read(text) is None


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("", True),
        ('Part: 1 of 2. For the next, repeat the call with "part": 2.\n', True),
        ("Part: 2 of 2.\n", True),
        ("Part: 1 of 2.\n", False),
        ('Part: 1 of 2. For the next, repeat the call with "part": 3.\n', False),
        ("Part: 1 of 1.\n", False),
        (f"Part: {'9' * 5000} of {'9' * 5000}.\n", False),
        ("Note: seen on a Tuesday\n", True),
        ("Note: \n", False),
        ("Author: nobody\n", False),
    ],
)
def test_the_lines_above_a_page_are_those_or_none(line, read):
    assert (parse_page(f"Title: a\nURL: b\nDate: N/A\n{line}\nbody") is not None) is read


@given(FORMS, st.text())
def test_any_text_can_be_read(form, text):
    result, page = form.read(text), parse_page(text)
    assert result is None or form.write(result) == text
    assert page is None or format_page(page) == text
