"""Where statements stand, what may be withheld, and what happens to a statement that a part of a page cuts in two."""

import datetime
from itertools import pairwise
from types import SimpleNamespace

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldforge.environments.controls.content_controls import ContentControls, ControlledCall
from worldforge.environments.controls.control_plan import ControlPlan, Withheld, WrongFacts
from worldforge.environments.controls.statements import Statements
from worldforge.environments.controls.substitutions import Substitutions, another
from worldforge.environments.search.views import PageView
from worldforge.world.table_files import MENTIONS
from worldforge.world.world import open_world

LIST = "# Clubs\n\n| Aa | 1901 |\n| Bb | 1902 |\n| Cc | 1903 |\n"
FOUNDED = {"Aa": "1901", "Bb": "1902", "Cc": "1903"}


def _mention(page, fact, text, value, stance="current"):
    start = text.index(value)
    return {
        "page": f"page/{page:06d}", "fact": fact, "start": start, "end": start + len(value), "stance": stance,
        "value": value,
    }  # fmt: skip


@pytest.fixture
def world():
    """A list of three clubs; the founding year of the first is on its own page, of the second there as it once was."""
    rows = []
    for number, (name, year) in enumerate(FOUNDED.items()):
        rows += [
            _mention(0, f"club/000{number}#name", LIST, name),
            _mention(0, f"club/000{number}#founded", LIST, year),
        ]
    rows += [_mention(1, "club/0000#name", "Aa, 1901", "Aa"), _mention(1, "club/0000#founded", "Aa, 1901", "1901")]
    rows += [_mention(2, "club/0001#name", "Bb, 1800", "Bb")]
    rows += [_mention(2, "club/0001#founded", "Bb, 1800", "1800", "outdated")]
    columns = [[f"club/000{number}" for number in range(3)], list(FOUNDED), pa.array([1901, 1902, 1903], pa.int32())]
    clubs = pa.table(columns, ["id", "name", "founded"])
    spec = SimpleNamespace(
        value_wordings={},
        types={"club": SimpleNamespace(attributes={"founded": SimpleNamespace(references=None)})},
        relations={},
        sites={},
        pages={},
        languages=["en"],
    )
    mentions = pa.Table.from_pylist(rows, MENTIONS)
    pages = pa.table({"kind": ["list", "article", "article"]})
    files = {"stored": lambda _file: mentions, "mentions": mentions, "tables": lambda: {"club": clubs}, "pages": pages}
    return SimpleNamespace(**files, spec=spec)


def _shaped(world, view, **controls):
    call = ControlledCall(ControlPlan(**controls), Substitutions(world, 0), request=None, backend=None)
    return ContentControls().shape(view, call)[0]


def test_lists_withhold_what_stands_elsewhere_as_it_is_and_nothing_else(world):
    view = PageView("https://a.example", "Clubs", None, 1, 1, LIST, row=0)
    body = _shaped(world, view, withheld=Withheld(rate=1)).view.body
    assert body == LIST.replace("1901", "…")


def test_other_pages_withhold_nothing(world):
    view = PageView("https://a.example", "Aa", None, 1, 1, "Aa, 1901", row=1)
    assert _shaped(world, view, withheld=Withheld(rate=1, links=1)).view == view


def test_a_statement_that_is_not_the_truth_is_not_made_another(world):
    view = PageView("https://a.example", "Bb", None, 1, 1, "Bb, 1800", row=2)
    shaped = _shaped(world, view, wrong_facts=WrongFacts(rate=1))
    assert shaped.view == view and shaped.altered == ()


@pytest.mark.parametrize("cut", range(1, 4))
def test_a_statement_cut_in_two_shows_its_truth_in_neither_part(world, cut):
    place = LIST.index("1902") + cut
    first = PageView("https://a.example", "Clubs", None, 1, 2, LIST[:place], row=0)
    second = PageView("https://a.example", "Clubs", None, 2, 2, LIST[place:], row=0, start=place)
    shown = [_shaped(world, view, wrong_facts=WrongFacts(rate=1)) for view in (first, second)]
    (wrong,) = [one.shown for one in shown[0].altered if one.fact == "club/0001#founded"]
    assert shown[0].view.body.endswith(f"| Bb | {wrong}") and shown[1].view.body.startswith("… |\n")


def test_statements_are_found_in_the_text_that_snippets_are_cut_of(quickstart):
    statements, n_found, n_all = Statements(open_world(quickstart)), 0, 0
    for page in range(0, 985, 5):
        plain, stated = statements.in_plain_text(page)
        assert all(plain[one.start : one.end] == one.value for one in stated)
        assert all(first.end <= second.start for first, second in pairwise(stated))
        n_found, n_all = n_found + len(stated), n_all + len(statements.on_page(page))
    assert 0.9 < n_found / n_all < 1  # the headings that open pages are no part of it


WHOLE = st.integers(-(2**63), 2**63 - 1)


@given(WHOLE, st.integers(0, 2**64 - 1))
def test_a_whole_number_moves_to_another_of_its_width_and_sign(value, draw):
    moved = another(value, "integer", draw)
    assert moved != value and -(2**63) <= moved < 2**63 and type(moved) is int
    assert moved >= 0 or value < 0


@given(st.integers(-(10**9), 10**9).map(lambda n: n / 100), st.integers(0, 2**64 - 1))
def test_a_number_moves_and_keeps_its_digits(value, draw):
    moved = another(value, "number", draw)
    digits = len(f"{value:.6f}".rstrip("0").partition(".")[2])
    assert moved != value and type(moved) is float and round(moved, digits) == moved


@given(st.dates(), st.integers(0, 2**64 - 1))
def test_a_date_moves_to_another_date(value, draw):
    moved = another(value, "date", draw)
    assert moved != value and isinstance(moved, datetime.date)
