"""The check on spans by columns finds what a plain loop over texts finds, whatever offsets and texts are."""

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldforge.builders.audit import check_spans as checked
from worldforge.builders.audit.check_spans import check_spans
from worldforge.builders.audit.finding import CheckCounter

TEXTS = st.text(st.sampled_from("abé年☃🙂𝄞\n\0"), max_size=9)
OFFSETS = st.none() | st.integers(-12, 12) | st.sampled_from([-(2**31), 2**31 - 1])


def by_loop(pages, mentions):
    """Compare value by value."""
    tally = CheckCounter("spans")
    tally.checked(len(mentions))
    for page, start, end, value, fact in mentions:
        text = pages[page] if 0 <= page < len(pages) else ""
        if text[start:end] != value:
            place = f"page/{page:06d}: characters {start} to {end}"
            tally.failed([f"{place} are `{text[start:end][:60]}`, not `{value}` ({fact})"])
    return tally.finding()


def tables(pages, mentions):
    columns = list(zip(*mentions, strict=True)) or [()] * 5
    ids = [None if page < 0 else f"page/{page:06d}" for page in columns[0]]
    named = {"page": ids, "start": columns[1], "end": columns[2], "value": columns[3], "fact": columns[4]}
    types = dict.fromkeys(named, pa.string()) | {"start": pa.int32(), "end": pa.int32()}
    held = pa.table({name: pa.array(column, types[name]) for name, column in named.items()})
    return pa.table({"text": pa.array(pages, pa.string())}), held


@st.composite
def worlds(draw):
    pages = draw(st.lists(TEXTS, max_size=7))
    mentions = []
    for number in range(draw(st.integers(0, 8))):
        page, start, end = draw(st.integers(-1, len(pages))), draw(OFFSETS), draw(OFFSETS)
        text = pages[page] if 0 <= page < len(pages) else ""
        value = draw(st.just(text[start:end]) | TEXTS | st.none())
        mentions.append((page, start, end, value, f"club/{number:04d}#name"))
    return pages, mentions


@pytest.fixture(scope="module", autouse=True)
def few_at_once():
    """Let worlds of a few pages be of several groups."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checked, "_TEXTS", 2)
        patch.setattr(checked, "ROWS_PER_GROUP", 4)
        yield


@settings(max_examples=150, deadline=None)
@given(worlds())
def test_columns_find_what_a_loop_finds(world):
    assert check_spans(*tables(*world)) == by_loop(*world)


def test_one_character_beside_it_is_found():
    page = "Über 年🙂 wrote 12,400."
    for value in ("Über", "年", "🙂 wrote", "12,400"):
        at = page.index(value)
        moved = [(0, at + d, at + len(value) + d, value, "club/0001#name") for d in (0, 1, -1)]
        found = check_spans(*tables([page], moved))
        assert found.n_failed == 2 and found == by_loop([page], moved)


def test_what_is_no_text_is_refused():
    broken = pa.StringArray.from_buffers(1, pa.py_buffer(b"\0\0\0\0\2\0\0\0"), pa.py_buffer(b"\xc3("))
    pages, mentions = tables(["ab"], [(0, 0, 1, "a", "club/0001#name")])
    for given_pages, given_mentions in (
        (pa.table({"text": broken}), mentions),
        (pages, mentions.set_column(3, "value", broken)),
    ):
        with pytest.raises(pa.ArrowInvalid):
            check_spans(given_pages, given_mentions)
