"""What an observation disclosed of a page: neither more than its text shows nor less."""

from itertools import pairwise

import pytest
from control_calls import Desk
from hypothesis import given
from hypothesis import strategies as st

from worldforge.environments.controls.content_controls import edited, without_overlaps
from worldforge.environments.disclosure import Edit, Shaped, disclosed
from worldforge.environments.search.views import PageView
from worldforge.environments.views import ErrorView
from worldforge.world.world import open_world

PIECE = st.text("abc \n", max_size=6)


@st.composite
def shaped_pages(draw):
    """A part of a page, edits of it, and how much of its text is kept: each character of the page is another."""
    start, size = draw(st.integers(0, 30)), draw(st.integers(0, 60))
    text = "".join(map(chr, range(0x4E00, 0x4E00 + start + size + 10)))
    spans = st.tuples(st.integers(0, size), st.integers(0, size)).map(sorted)
    drawn = draw(st.lists(st.builds(lambda span, shown: Edit(*span, shown), spans, PIECE), max_size=6))
    edits = without_overlaps([edit for edit in drawn if edit.start < edit.end])
    body = edited(text[start : start + size], edits)
    view = PageView("https://a.example", "A", None, 1, 1, body, row=3, start=start)
    head = draw(PIECE)
    n_kept = draw(st.integers(0, len(head) + len(body) + 2))
    return text, Shaped(view, edits=(tuple(edits),)), f"{head}{body}", n_kept


@given(shaped_pages())
def test_what_is_disclosed_is_what_is_kept_of_the_page(case):
    page, shaped, text, n_kept = case
    stretches = disclosed(shaped, text, n_kept)
    assert "".join(page[one.start : one.end] for one in stretches) == "".join(c for c in text[:n_kept] if c in page)
    assert all(one.page == 3 and one.start < one.end for one in stretches)
    assert all(first.end < second.start for first, second in pairwise(stretches))


@given(shaped_pages())
def test_edits_of_a_page_change_what_they_name_and_nothing_else(case):
    page, shaped, _, _ = case
    start, rest = shaped.view.start, shaped.view.body
    for edit in shaped.edits[0]:
        kept = page[start : shaped.view.start + edit.start]
        assert rest.startswith(kept + edit.shown)
        start, rest = shaped.view.start + edit.end, rest.removeprefix(kept + edit.shown)
    assert page[start:].startswith(rest)


def test_a_models_wording_shows_the_whole_part_but_for_the_edits():
    view = PageView("https://a.example", "A", None, 1, 1, "one … three", row=0, start=5)
    shaped = Shaped(view, edits=((Edit(4, 7, "…"),),))
    found = disclosed(shaped, "A page about three things.", 26)
    assert [(one.start, one.end) for one in found] == [(5, 9), (12, 18)]


def test_a_models_wording_that_is_cut_shows_the_lines_that_stand_in_it():
    view = PageView("https://a.example", "A", None, 1, 1, "first line\nsecond line\nthird", row=0)
    text = "In other words:\nsecond line\nthird"
    assert [(one.start, one.end) for one in disclosed(Shaped(view), text, 27)] == [(11, 22)]


def test_what_is_no_page_discloses_none():
    assert disclosed(Shaped(ErrorView("timeout", "Error")), "Error", 5) == ()
    unknown = PageView("https://a.example", "A", None, 1, 1, "text")
    assert disclosed(Shaped(unknown), "text", 4) == ()


@pytest.fixture(scope="module")
def desk(quickstart):
    return Desk(open_world(quickstart))


@pytest.mark.parametrize(
    "controls",
    [
        "withheld.rate=1",
        "withheld.links=1",
        "wrong_facts.rate=0.6",
        "stale.rate=1,stale.changed=1",
        "truncation.rate=1,wrong_facts.rate=0.6",
        "malformed.rate=1,withheld.rate=1",
    ],
)
def test_every_disclosed_stretch_of_a_page_stands_in_the_observation(desk, controls):
    """And no statement that is disclosed is one that was withheld or altered."""
    ask, pages = desk.caller(f"none,{controls}"), desk.world.pages
    for kind in ("club_statistics", "clubs_by_region", "club_article", "player_article", "town_article"):
        seen = ask("web_extractor", url=desk.url(kind))
        text = pages["text"][seen.disclosed[0].page].as_py()
        at, said = 0, seen.text.replace('\\"', '"').replace("\\n", "\n")
        for one in seen.disclosed:
            at = said.index(text[one.start : one.end], at)
        altered = {one.fact for one in seen.altered}
        for row in desk.world.mentions.to_pylist():
            if row["page"] == f"page/{seen.disclosed[0].page:06d}" and row["fact"] in altered:
                assert not any(one.start <= row["start"] and row["end"] <= one.end for one in seen.disclosed)
