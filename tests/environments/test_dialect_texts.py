from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldforge.environments.arguments import one_line
from worldforge.environments.database.views import RecordsView
from worldforge.environments.search.dialects import SEARCH_DIALECTS
from worldforge.environments.search.requests import NoteRequest, OpenRequest, SearchRequest
from worldforge.environments.search.views import NoteView, PageView, Result, SearchBlock, SearchView
from worldforge.environments.views import ErrorView

DIALECTS = st.sampled_from(list(SEARCH_DIALECTS.values()))
TRAPS = st.sampled_from(
    [
        'Query: "a"',
        'Query: "a"\n\n[1] b',
        'No results for "a".',
        'More results: repeat the call with "page": 2.',
        "[1] a\nTitle: b\nSnippet: c\nDate: N/A",
        "[index] 1\n[title] a\n[datePublished] N/A\n[Url] b\n[snippt] c",
        "Error: no",
        "Note: x\n\n",
        "Part: 1 of 2.",
        "a\u2028b\x85c\x1dd",
        "\ufeffsoft\xadhyphen  ",
        " \n ",
    ]
)
TEXT = st.text(max_size=20) | TRAPS
URL = st.text("abc/:.-?=&é\u200b", min_size=1, max_size=12).map("https://".__add__)
DATE = st.none() | st.dates()
QUERIES = st.lists(st.sampled_from(["a", "b", "a\nb", "clubs " * 60, ""]) | TEXT, min_size=1, max_size=4)


@st.composite
def searches(draw):
    request = SearchRequest(tuple(draw(QUERIES)), draw(st.integers(1, 100)), draw(st.integers(1, 10)))
    return request, SearchView(tuple(draw(blocks(query, request)) for query in request.queries))


@st.composite
def blocks(draw, query, request):
    first = (request.page - 1) * request.size + 1
    n_results = draw(st.sampled_from([0, 0, 1, request.size]))
    results = tuple(Result(first + n, draw(URL), draw(TEXT), draw(TEXT), draw(DATE), n) for n in range(n_results))
    message = "" if results else draw(st.just("") | TEXT | TEXT.map("Error: ".__add__))
    return SearchBlock(query, results, request.page, draw(st.booleans()), message and "rate_limited", message)


PAGES = st.integers(1, 5).flatmap(
    lambda n: st.builds(PageView, URL, TEXT, DATE, st.integers(1, n), st.just(n), TEXT, TEXT, st.just(3), st.just(9))
)
ERRORS = st.builds(ErrorView, st.just("rate_limited"), TEXT.map("Error: ".__add__))
SEEN = (
    searches()
    | st.tuples(st.just(OpenRequest("https://a")), PAGES)
    | st.tuples(st.just(NoteRequest("retrieve", "a")), st.builds(NoteView, TEXT))
    | st.tuples(st.sampled_from([SearchRequest(("a",)), SearchRequest(("a", "b")), OpenRequest("b")]), ERRORS)
)


def told(view):
    """A view as far as its text can tell: texts on one line, no rows, no names of errors."""
    match view:
        case SearchView((SearchBlock(message=message) as block,)) if one_line(message).startswith("Error: "):
            after = f'\n\nMore results: repeat the call with "page": {block.page + 1}.' if block.more else ""
            return ErrorView("", one_line(message) + after)
        case SearchView():
            return SearchView(tuple(told_block(block) for block in view.blocks))
        case PageView():
            texts = {name: one_line(getattr(view, name)) for name in ("url", "title", "notice")}
            return replace(view, **texts, row=-1, start=0)
        case NoteView(text):
            return ErrorView("", text) if text.startswith("Error: ") else NoteView(text)
        case ErrorView():
            return replace(view, error="")


def told_block(block):
    results = tuple(
        Result(r.rank, one_line(r.url), one_line(r.title), one_line(r.snippet), r.date) for r in block.results
    )
    message = one_line(block.message)
    nothing = message.startswith("No results for ") and message.endswith(".")
    return block._replace(results=results, error="", message="" if nothing else message)


@given(DIALECTS, SEEN)
def test_a_view_is_read_back_as_far_as_its_text_tells(dialect, seen):
    request, view = seen
    read = dialect.parse(request, dialect.write(request, view))
    if isinstance(read, SearchView):  # a message may be worded as an empty list is
        read = SearchView(tuple(told_block(block) for block in read.blocks))
    assert read == told(view)


@given(DIALECTS, SEEN.map(lambda seen: seen[0]), st.text() | TRAPS)
def test_what_is_read_is_what_stands_there(dialect, request, text):
    read = dialect.parse(request, text)
    assert read is None or dialect.write(request, read) == text


@given(DIALECTS, searches(), st.integers(0, 400), TEXT)
def test_a_list_with_something_else_in_it_is_read_as_it_stands_or_not_at_all(dialect, seen, place, added):
    request, view = seen
    text = dialect.write(request, view)
    changed = text[:place] + added + text[place:]
    read = dialect.parse(request, changed)
    assert read is None or dialect.write(request, read) == changed


@pytest.mark.parametrize("dialect", SEARCH_DIALECTS.values(), ids=lambda dialect: dialect.name)
def test_a_batch_that_failed_in_part_shows_each_query_under_its_name(dialect):
    found = Result(1, "https://a.example", "Velmar", "A town.", None)
    view = SearchView(
        (
            SearchBlock("towns", (found,), more=True),
            SearchBlock("clubs", (), error="rate_limited", message="Error: 429,\ntoo many requests."),
            SearchBlock("ships", ()),
        )
    )
    text = dialect.write(SearchRequest(("towns", "clubs", "ships")), view)
    assert text == (
        f'Query: "towns"\n\n{dialect.form.write(found)}\n\nMore results: repeat the call with "page": 2.'
        '\n\nQuery: "clubs"\n\nError: 429, too many requests.\n\nQuery: "ships"\n\nNo results for "ships".'
    )


@pytest.mark.parametrize("dialect", SEARCH_DIALECTS.values(), ids=lambda dialect: dialect.name)
def test_a_page_shows_its_notice_and_where_it_goes_on(dialect):
    view = PageView("https://a.example", "Velmar", None, 2, 3, "Text.\n", "Cached copy of Jun 1, 2024")
    assert dialect.write(OpenRequest("https://a.example", 2), view) == (
        "Title: Velmar\nURL: https://a.example\nDate: N/A\n"
        'Part: 2 of 3. For the next, repeat the call with "part": 3.\nNote: Cached copy of Jun 1, 2024\n\nText.\n'
    )


@pytest.mark.parametrize("dialect", SEARCH_DIALECTS.values(), ids=lambda dialect: dialect.name)
def test_records_are_no_search_dialects_to_word(dialect):
    with pytest.raises(ValueError, match="no words"):
        dialect.write(OpenRequest("a"), RecordsView("list", "club", ()))
