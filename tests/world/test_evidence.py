"""Facts are found where pages state them, and nowhere else."""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from worldforge.world.evidence import Evidence, mentions_of_pages_stating
from worldforge.world.table_files import MENTIONS

facts = st.builds(
    "{}/{:04d}#{}".format, st.sampled_from(["club", "town"]), st.integers(0, 12), st.sampled_from(["name", "age"])
)
pages = st.lists(st.lists(facts, max_size=6), max_size=8)


def table(rows):
    return pa.Table.from_pylist([dict(zip(MENTIONS.names, row, strict=True)) for row in rows], schema=MENTIONS)


def mentions(stated):
    rows = [
        (f"page/{p:06d}", fact, s, s + 1, "current", "x", None, None)
        for p, found in enumerate(stated)
        for s, fact in enumerate(found)
    ]
    return table(rows)


@given(pages)
def test_a_fact_is_found_on_every_page_that_states_it(stated):
    evidence = Evidence(mentions(stated))
    everything = [fact for found in stated for fact in found]
    for fact in {*everything, "club/0099#name", "ship/0001#age"}:
        found = evidence.of(fact)
        assert evidence.page[found].tolist() == [
            p for p, on_page in enumerate(stated) for other in on_page if other == fact
        ]
        assert [everything[row] for row in found] == [fact] * len(found)


@given(pages, st.lists(st.integers(-1, 20), max_size=20))
def test_stated_says_the_same_for_a_whole_column(stated, rows):
    evidence = Evidence(mentions(stated))
    everything = {fact for found in stated for fact in found}
    said = evidence.stated("club", "age", np.array(rows, np.int64))
    assert said.tolist() == [f"club/{row:04d}#age" in everything for row in rows]


@given(pages)
def test_a_page_counts_the_entities_it_names_once_each(stated):
    n_named = Evidence(mentions(stated)).n_named.tolist()
    for page, found in enumerate(stated):
        assert (n_named[page] if page < len(n_named) else 0) == len({fact for fact in found if fact.endswith("#name")})


@given(pages)
def test_an_index_that_was_put_down_answers_as_the_one_that_was_made(stated):
    made = Evidence(mentions(stated))
    with tempfile.TemporaryDirectory() as folder:
        made.write(Path(folder))
        mapped = Evidence.written(Path(folder))
        for name in ("page", "start", "end", "is_name", "n_named"):
            assert np.array_equal(getattr(mapped, name), getattr(made, name))
        for fact in {*(fact for found in stated for fact in found), "club/0099#name", "ship/0001#age"}:
            assert mapped.of(fact).tolist() == made.of(fact).tolist()
        rows = np.arange(-1, 20)
        assert mapped.stated("club", "age", rows).tolist() == made.stated("club", "age", rows).tolist()


@given(pages, st.lists(facts, max_size=3))
def test_around_facts_there_is_all_that_their_pages_state_and_no_other_page(stated, asked):
    whole = mentions(stated)
    on = [found if set(found) & set(asked) else [] for found in stated]
    assert mentions_of_pages_stating(whole, asked).equals(mentions(on))
    part, evidence = Evidence(mentions_of_pages_stating(whole, asked)), Evidence(whole)
    for fact in asked:
        for name in ("page", "start", "end", "is_name"):
            assert getattr(part, name)[part.of(fact)].tolist() == getattr(evidence, name)[evidence.of(fact)].tolist()
        assert all(part.n_named[page] == evidence.n_named[page] for page in part.page)


RELATIVE = [
    ("page/000000", "club/0001#age", 0, 1, "current", "x", None, None),
    ("page/000001", "club/0002#age", 0, 1, "relative", "x", "club/0001#age", 3),
    ("page/000002", "club/0003#age", 0, 1, "relative", "x", "club/0001#age", None),
    ("page/000002", "club/0004#age", 2, 3, "relative", "x", "club/0009#age", None),
    ("page/000002", "club/0005#age", 4, 5, "relative", "x", "club/0002#age", -1),
]


def test_what_is_stated_beside_another_fact_is_stated_where_a_page_gives_that_one():
    evidence = Evidence(table(RELATIVE))
    assert evidence.stated("club", "age", np.arange(6)).tolist() == [False, True, True, True, False, False]
    assert evidence.relation("club/0001#age") is None
    assert evidence.relation("club/0002#age") == ("club/0001#age", 3)
    assert evidence.relation("club/0003#age") == ("club/0001#age", None)
    assert len(evidence.of("club/0004#age")) == len(evidence.of("club/0005#age")) == 0


def test_pages_that_state_a_fact_bring_those_that_it_is_stated_beside():
    found = mentions_of_pages_stating(table(RELATIVE), ["club/0002#age"])
    assert found["page"].to_pylist() == ["page/000000", "page/000001"]


def test_relations_are_put_down_with_the_index(tmp_path):
    Evidence(table(RELATIVE)).write(tmp_path)
    assert Evidence.written(tmp_path).relation("club/0002#age") == ("club/0001#age", 3)
