"""What passes the guard and what does not, case by case. Each refused draft is one that somebody might try."""

import json
import random

import pytest
from drafts import Planter, retold, scenes_of
from hypothesis import given, settings
from hypothesis import strategies as st
from scenes import BODY, GUARD, LEXICON, URL, page_scene, scene_of, search_scene

from worldforge.environments.database.mcp_dialect import MCP
from worldforge.environments.database.requests import GetRequest
from worldforge.environments.database.views import RecordsView
from worldforge.environments.search.dialects import PLAIN, WIDE_SEARCH
from worldforge.environments.search.environment import SearchEnvironment
from worldforge.environments.search.requests import SearchRequest
from worldforge.world.lexicon.lexicon import Lexicon
from worldforge.world_model.guard import Guard, gold_of

PAGE, SEARCH = page_scene(), search_scene()
RECORDS = scene_of(
    GetRequest("club", ("club/0001",)),
    RecordsView("get", "club", ({"id": "club/0001", "name": "Velmar Rovers", "founded": 1911, "open": True},)),
    MCP,
)


def verdict(scene, *changes: tuple[str, str]) -> str:
    draft = scene.text
    for old, new in changes:
        assert old in draft
        draft = draft.replace(old, new, 1)
    return GUARD.check(scene, draft).kind


@pytest.mark.parametrize("scene", [PAGE, SEARCH, RECORDS, search_scene(("a", "b"))])
def test_the_engines_own_text_is_clean(scene):
    for draft in (scene.text, f"\n{scene.text}\n\n", scene.text.replace("\n", "  \r\n")):
        judged = GUARD.check(scene, draft)
        assert judged.kind == "clean" and judged.text.strip() == scene.text.strip()


@pytest.mark.parametrize(
    "change",
    [
        ("The stadium capacity of the club is 9,850.", "Its stadium has a capacity of 9850."),
        ("is a club in", "is the name of a club that is at home in"),
        ("Torvik City was founded in 1920.", "And it is Torvik City that was founded in 1920."),
        ("The following has been checked.", "All that follows was verified. So readers may rely on it."),
        ("The following has been checked. ", ""),
        ("It is not far away.", "It is not distant."),
        ("1930.\nTorvik", "1930. Torvik"),
        ("| Founding year | 1911 |", "|  Founding year | 1911 |"),
    ],
)
def test_other_words_for_a_page_pass(change):
    assert verdict(PAGE, change) == "clean"


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (("9,850", "9,580"), "contradicting"),
        (("9,850", "about 9,850"), "contradicting"),
        (("9,850", "9,850 or more"), None),
        (("is 9,850", "is not 9,850"), None),
        (("is 9,850", "isn't 9,850"), None),
        (("9,850", "nine thousand"), "contradicting"),
        (("9,850", "9 850"), None),
        (("9,850", "9,85\u200b0"), "malformed"),
        (("9,850", "9,85\u00ad0"), "malformed"),
        (("9,850", "９,850"), "malformed"),
        (("9,850", "9,85O"), None),
        (("9,850", "9,8<b>5</b>0"), "malformed"),
        (("9,850", "9,8&#53;0"), "malformed"),
        (("9,850", "9,8~~5~~0"), "malformed"),
        (("9,850", "9,850 and 2"), None),
        (("9,850", "9,850 seats in two stands"), "hallucinated"),
        (("9,850", "9,850 km"), None),
        (("9,850.", "9,850. It has won twice."), "hallucinated"),
        (("stadium capacity", "number of league titles"), "contradicting"),
        (("1911", "1912"), "contradicting"),
        (("Velmar Rovers met Torvik City", "Torvik City met Velmar Rovers"), "contradicting"),
        (("Torvik City was", "Velmar Rovers was"), "contradicting"),
        (("Torvik City was", "Ostrand Albion was"), "leaking"),
        (("Torvik City was", "It was"), "incomplete"),
        (("Torvik City was founded in 1920.", "Torvik City was founded. That was in 1920."), None),
        (("Torvik City was founded in 1920.", ""), "incomplete"),
        (("18 June 2024", "19 June 2024"), "contradicting"),
        (("met Torvik City on", "was met by Torvik City on"), "contradicting"),
        (("18 June 2024", "18/06/2024"), None),
        (("18 June 2024", "June 2024"), None),
        (("before 1930", "after 1930"), "contradicting"),
        (("before 1930", "in 1930"), None),
        (("2 May 2031", "3 May 2031"), "contradicting"),
        (("## Matches", "## Games"), None),
        (("## Matches\n\n", ""), None),
        (("## Matches", "## Matches\n\n- and more"), "malformed"),
        (("(https://www.wiki.example/velmar)", "(https://www.wiki.example/torvik)"), "contradicting"),
        (("(https://www.wiki.example/velmar)", "(https://www.wikl.example/velmar)"), "hallucinated"),
        (("[Velmar](https://www.wiki.example/velmar)", "Velmar"), "incomplete"),
        (("It is not far away.", "It is far away."), "incomplete"),
        (("The following has", "Redding said the following has"), "hallucinated"),
        (("The following has", "The following by Ada Quill has"), "hallucinated"),
        (("The following has", "The following, gold of Harbour Park, has"), "leaking"),
        (("has been checked", "has been checked at harbour park"), "leaking"),
        (("has been checked", "has been checked in 1937"), "leaking"),
        (("has been checked", "has been checked, see fans.example.net"), "hallucinated"),
        (("has been checked", "has been checked by old_fan"), "malformed"),
        (("has been checked", "has been checked in green"), "hallucinated"),
        (("has been checked", "has been checked " + "again and " * 90), "malformed"),
        (("Torvik City was founded in 1920.\n", "Torvik City was founded in 1920.\n\n| x | y |\n"), None),
        (("*Last revised 2 May 2031.*", "*Last revised 2 May 2031.*\n\nIt was fun."), "malformed"),
        (("Title: Velmar Rovers", "Title: Torvik City"), None),
        (("Date: May 2, 2031", "Date: May 3, 2031"), "contradicting"),
        (("Date: May 2, 2031\n", "Date: May 2, 2031\nNote: read on\n"), "malformed"),
    ],
)  # fmt: skip
def test_what_changes_a_page_is_refused(change, kind):
    judged = verdict(PAGE, change)
    assert judged != "clean" and kind in (judged, None)


def test_two_facts_cannot_change_places():
    swapped = verdict(PAGE, ("is 9,850", "is 1920"), ("founded in 1920", "founded in 9,850"))
    assert swapped == "contradicting"
    first, second = "Velmar Rovers was founded in 1911 with 40 members", "Torvik City in 1920 with 55 members"
    scene = page_scene(f"{first}, {second}.\n")
    assert verdict(scene, ("members.", "people.")) == "clean"
    assert verdict(scene, ("members, ", "members, unlike that ")) == "contradicting"
    assert (
        verdict(scene, (first, second.replace(" in", " was founded in")), (f", {second}", f", {first}"))
        == "contradicting"
    )


def test_columns_of_several_figures_keep_their_order():
    scene = page_scene("The club has a stadium capacity of 500 and counts 12 league titles.\n")
    assert verdict(scene, ("counts 12", "has 12")) == "clean"
    assert (
        verdict(scene, ("stadium capacity of 500 and counts 12 league titles", "500 titles and a capacity of 12"))
        == "contradicting"
    )


@pytest.mark.parametrize(
    "changes",
    [
        [("The club was founded in 1911.", "Its founding was in 1911.")],
        [(" It has a capacity of 9,850. Torvik City is", "")],
        [(" The club was founded in 1911.", "")],
        [("Readers are welcome.", "All are welcome.")],
        [("Readers are welcome.", "")],
    ],
)
def test_other_words_for_a_snippet_pass(changes):
    assert verdict(SEARCH, *changes) == "clean"


@pytest.mark.parametrize(
    "changes",
    [
        [("Torvik City plays in green. ", "")],  # then the club that was founded in 1920 would be another
        [("The club was founded in 1911.", "The club was founded in 1920.")],
        [("1911", "1920"), ("in 1920. Readers", "in 1911. Readers")],
        [("[2] ", "[3] ")],
        [("Title: Page 1", "Title: Page 2")],
        [("www.wiki.example/2", "www.wiki.example/3")],
        [("Date: Jan 2, 2030", "Date: Jan 20, 2030")],
        [("Date: Jan 1, 2030\n", "Date: Jan 1, 2030\nRemark: nothing\n")],
        [("[1] ", "Here are the results:\n\n[1] ")],
        [("Snippet: Torvik City plays in green. The club was founded in 1920. Readers are welcome.", "Snippet: ")],
        [("Torvik City is", "Torvik City is a club of Ostrand Albion")],
    ],
)
def test_what_changes_results_is_refused(changes):
    assert verdict(SEARCH, *changes) != "clean"


def test_a_result_cannot_be_added_or_left_out():
    first, second = SEARCH.text.split("\n\n")
    for draft in (first, f"{second}\n\n{first}", f"{SEARCH.text}\n\n{second}", f"{first}\n\n{first}"):
        assert GUARD.check(SEARCH, draft).kind != "clean"


@pytest.mark.parametrize("dialect", [PLAIN, WIDE_SEARCH])
def test_every_search_dialect_is_guarded(dialect):
    scene = scene_of(SearchRequest(("clubs",)), SEARCH.view, dialect)
    assert verdict(scene, ("The club was founded", "It was founded")) == "clean"
    assert verdict(scene, ("1911", "1912")) == "contradicting"
    assert verdict(scene, ("Page 1", "Page one")) != "clean"


def test_records_are_the_same_value_or_refused():
    value = json.loads(RECORDS.text)
    assert GUARD.check(RECORDS, json.dumps(value, indent=2)).text == RECORDS.text
    for old, new in [("1911", "1912"), ("1911", "1911.0"), ("true", "1"), ("}]", ',"founded":1937}]'), ("1911", "NaN")]:
        assert verdict(RECORDS, (old, new)) != "clean"
    assert verdict(RECORDS, ("}]", ',"founded":1911}]')) == "malformed"
    assert verdict(RECORDS, ("Velmar Rovers", "Ostrand Albion")) == "leaking"
    assert GUARD.check(RECORDS, f"Here it is: {RECORDS.text}").kind == "malformed"
    assert GUARD.check(RECORDS, "[" * 100_000).kind == "malformed"


@pytest.mark.parametrize(
    ("scene", "place"),
    [
        (RECORDS, ","),
        (RECORDS, "}]"),
        (PAGE, " is a club"),
        (PAGE, " is not far away"),
        (PAGE, " | 1911"),
        (SEARCH, " is a club"),
        (SEARCH, " founded in 1911"),
    ],
)
@pytest.mark.parametrize("blank", [" ", "\t"])
def test_blanks_that_a_draft_adds_are_not_shown(scene, place, blank):
    assert place in scene.text
    judged = GUARD.check(scene, scene.text.replace(place, blank * 165_000 + place, 1))
    assert judged.kind != "clean" or judged.text.split() == scene.text.split()
    assert len(judged.text) <= len(scene.text)


PIECES = st.sampled_from([*BODY.split(" "), "1937", "Ostrand Albion", "not", "\n\n", "| a |", "\u200b", f"{URL}/x"])


@given(
    st.text(st.characters(), max_size=300) | st.lists(PIECES, max_size=40).map(" ".join),
    st.sampled_from([PAGE, SEARCH, RECORDS]),
)
@settings(max_examples=150)
def test_any_text_gets_a_verdict(draft, scene):
    for text in (draft, scene.text[: len(draft)] + draft, draft + scene.text):
        judged = GUARD.check(scene, text)
        assert (judged.kind == "clean") == bool(judged.text)
        told = [(f.kind, f.canonical) for f in LEXICON.found(scene.text)]
        if judged.kind == "clean":
            assert all(fact in told for fact in ((f.kind, f.canonical) for f in LEXICON.found(judged.text)))


@given(
    st.sampled_from([place for place, sign in enumerate(PAGE.text) if sign in " \n"]),
    st.sampled_from(["7", "Xan", "not", "Ostrand Albion", "a.example/x", "\u0661", "red and white"]),
)
def test_nothing_that_is_a_fact_can_be_put_in_anywhere(at, fact):
    assert GUARD.check(PAGE, f"{PAGE.text[:at]} {fact} {PAGE.text[at:]}").kind != "clean"


@given(st.data())
def test_no_figure_can_be_changed(data):
    at = data.draw(st.sampled_from([place for place, sign in enumerate(PAGE.text) if sign.isdecimal()]))
    other = data.draw(st.sampled_from([digit for digit in "0123456789" if digit != PAGE.text[at]]))
    assert GUARD.check(PAGE, PAGE.text[:at] + other + PAGE.text[at + 1 :]).kind != "clean"


def test_planted_errors_are_found_and_honest_drafts_pass(plain_world):
    world = plain_world
    lexicon = Lexicon.of_world(world)
    guard, planter = Guard(lexicon, gold_of(world.tasks)), Planter(world, lexicon)
    draw = random.Random(7)
    scenes = scenes_of(world, SearchEnvironment(world), 160, draw)
    honest = [(scene, retold(scene, draw)) for scene in scenes * 2]
    assert sum(draft != scene.text for scene, draft in honest) > 200
    assert sum(guard.check(scene, draft).kind != "clean" for scene, draft in honest) <= len(honest) // 100
    for kind in Planter.KINDS:
        bad = [(scene, planter.planted(kind, scene, retold(scene, draw), draw)) for scene in scenes[:60]]
        planted = [(scene, draft) for scene, draft in bad if draft is not None]
        assert len(planted) > 30
        assert [draft for scene, draft in planted if guard.check(scene, draft).kind == "clean"] == []
