"""Links that are written once, against the same links written where they stand."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from worldforge.builders.pages.link_cache import render_links
from worldforge.world.passages import Passages, fill, plain, slot

NAMES = pa.array(["Velmar", "鹭湾", None, "Øst 𝒳"])
URLS = pa.array(["https://a.example/é", None, None, "https://b.example/"])
LINK, FACT = 9, 4


def marks(passages: Passages) -> list[tuple[int, ...]]:
    own = passages.marks
    return list(zip(*(column.tolist() for column in (own.row, own.start, own.length, own.code, own.item)), strict=True))


def test_a_link_taken_says_and_marks_what_one_written_on_the_spot_does() -> None:
    rows = np.array([3, 1, 0, -1, 0])
    facts = np.array([10, 11, 12, 13, 14])
    taken = render_links(NAMES, URLS).take(rows, LINK, (FACT, facts))
    for place, row in enumerate(rows.tolist()):
        name = pa.array([NAMES[row].as_py() if row >= 0 else None], pa.string())
        called = slot(name, FACT, facts[place : place + 1])
        url = URLS[row].as_py() if row >= 0 else None
        written = called
        if url is not None:
            linked = called.marked(LINK, np.array([row]))
            written = fill("[{text}]({url})", text=linked, url=plain(pa.array([url])))
        assert taken.text[place] == written.text[0]
        assert taken.length[place] == written.length[0]
        assert [mark[1:] for mark in marks(taken) if mark[0] == place] == [mark[1:] for mark in marks(written)]


def test_a_link_that_states_nothing_is_marked_as_a_link_alone() -> None:
    taken = render_links(NAMES, URLS).take(np.array([1, 0]), LINK)
    assert taken.text.to_pylist() == ["鹭湾", "[Velmar](https://a.example/é)"]
    assert marks(taken) == [(1, 1, 6, LINK, 0)]


def test_what_has_no_name_says_nothing_wherever_it_is_taken() -> None:
    taken = render_links(NAMES, URLS).take(np.array([2, 0]), LINK, (FACT, np.array([5, 6])))
    assert taken.said.tolist() == [False, True]
    assert taken.length.tolist() == [0, 29]
    assert marks(taken) == [(1, 1, 6, LINK, 0), (1, 1, 6, FACT, 6)]
