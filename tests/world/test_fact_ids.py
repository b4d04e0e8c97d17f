"""Fact ids taken apart as columns are what each is by itself."""

import re

import pyarrow as pa
from hypothesis import example, given
from hypothesis import strategies as st

from worldforge.world.stable_ids import rows_of, split_facts

WELL_FORMED = st.from_regex(r"[a-z][a-z0-9_]{0,4}/[0-9]{1,18}#[a-z][a-z0-9_]{0,3}", fullmatch=True)
ANY = WELL_FORMED | st.text(st.sampled_from("a0/#\n年"), max_size=7) | st.none()


def one_by_one(fact):
    found = re.fullmatch(r"([^/]+)/([0-9]+)#([^\n]+)", fact or "")
    return (f"{found[1]}#{found[3]}", int(found[2])) if found else (None, -1)


@given(st.lists(WELL_FORMED) | st.lists(ANY), st.integers(0, 3))
@example(["a/0#b", "a/:#b"], 0)
@example(["a/1#b", "a/00001#b", "a2/1#b"], 0)
def test_facts_are_split_as_one_by_one(facts, first):
    held = pa.array(["club/1#name", *facts], pa.string()).slice(first)
    columns, codes, rows = split_facts(held)
    expected = [one_by_one(fact) for fact in held.to_pylist()]
    assert [
        (columns[code] if code >= 0 else None, row) for code, row in zip(codes, rows.tolist(), strict=True)
    ] == expected
    assert columns == list(dict.fromkeys(name for name, _ in expected if name))


@given(
    st.lists(st.sampled_from(["page/000001", "page/000001", "page/1234567", "page/0", None]))
    | st.lists(
        st.sampled_from(["page/000001", "page/0", "page/", "1", "page/-1", "page/0x1f", "pages0031", "a/b/7", None])
    )
)
@example(["page/000001", "page/0x1f"])
@example(["page/000001", "pages0031"])
def test_rows_of_ids_that_repeat(ids):
    read = [int(re.search(r"/([0-9]+)$", one or "/-")[1]) if re.search(r"/[0-9]+$", one or "") else -1 for one in ids]
    assert rows_of(pa.array(ids, pa.string())).tolist() == read
