"""What ranks pages beside their words, and how a search may fall short: keyed chance, the same whoever asks."""

import dataclasses
import datetime
import json
import math
from collections.abc import Callable

import numpy as np
import pytest
import tantivy
from hypothesis import given
from hypothesis import strategies as st

from worldforge.search.rerank import BLOCK, RankingSettings, Weights, rescored

TODAY = "2031-06-30"


def alike(n, **columns: Callable[[int], object]):
    """Pages that match `ferry` equally well."""
    return [
        {"title": "Ferry", "text": "the ferry", **{k: value(row) for k, value in columns.items()}} for row in range(n)
    ]


def rows(index, query="ferry", limit=1000):
    return [hit.page for hit in index.search(query, limit)]


def test_scores_follow_the_formula(build_index):
    pages = alike(
        3, authority=lambda row: [3.0, 0.5, 0.5][row], kind=lambda row: ["a", "b", "a"][row],
        published=lambda row: [None, datetime.date(2031, 6, 30), datetime.date(2029, 6, 30)][row],
    )  # fmt: skip
    plain = build_index(pages).search("ferry")[0].score
    told = {"authority": 2.0, "freshness": 1.5, "half_life_days": 365.0}
    index = build_index(pages, search=told, site_authority={"b": 4.0})
    scores = {hit.page: hit.score for hit in index.search("ferry")}
    assert scores == pytest.approx(
        {
            0: plain + 2 * math.log(1 + 3),
            1: plain + 2 * math.log(1 + 0.5 * 4) + 1.5,
            2: plain + 2 * math.log(1.5) + 1.5 * 0.25,
        },
        abs=1e-3,
    )


def test_a_weight_of_nothing_changes_nothing(build_index):
    pages = [{"text": "ferry " * (1 + row % 5) + "meadow " * (row % 7), "authority": float(row)} for row in range(50)]
    assert build_index(pages).search("ferry", 50) == build_index(pages, search={"ranking_noise": 1e-9}).search(
        "ferry", 50
    )


def test_however_many_are_asked_for_the_first_are_the_same(build_index):
    pages = [{"text": "ferry " * (1 + row % 5), "authority": float(row * 37 % 101)} for row in range(3 * BLOCK + 50)]
    index = build_index(pages, search={"authority": 1.0, "recall_loss": 0.3, "ranking_noise": 0.5})
    every = rows(index, limit=10_000)
    assert len(set(every)) == len(every)
    assert all(rows(index, limit=limit) == every[:limit] for limit in (1, 10, BLOCK - 100, BLOCK + 1, 2 * BLOCK))


@pytest.fixture(scope="module")
def ferries(build_index):
    return build_index(alike(40))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.integers(1, 40))
def test_of_scores_that_differ_by_rounding_alone_the_first_page_comes_first(ferries, thirds, limit):
    scores = sorted((1 + third / 3 / 2**13 for third in thirds), reverse=True)
    fetched = [(score, tantivy.DocAddress(0, doc)) for score, doc in zip(scores, reversed(range(40)), strict=False)]
    rounded = [(math.floor(score * 2**13) / 2**13, at.doc) for score, at in fetched]
    first = sorted(rounded, key=lambda hit: (-hit[0], hit[1]))[:limit]
    docs = [tantivy.DocAddress(0, doc) for _, doc in first]
    pages = ferries.searcher.fast_field_values("page", docs)
    assert ferries._sort_hits(fetched, limit) == list(zip([score for score, _ in first], pages, strict=True))


def test_a_query_misses_a_share_of_pages_and_another_wording_others(build_index):
    pages = alike(1200, text=lambda row: "ferry boat")
    index = build_index(pages, search={"recall_loss": 0.3}, seed=5)
    first, other = set(rows(index, "ferry", 2000)), set(rows(index, "ferry boat", 2000))
    for found in (first, other):
        assert 0.64 * 1200 < len(found) < 0.76 * 1200
    assert 0.04 * 1200 < 1200 - len(first | other) < 0.14 * 1200
    assert rows(index, "FERRY!", 2000) == rows(index, "ferry", 2000)
    assert set(rows(build_index(pages, search={"recall_loss": 0.3}, seed=6), "ferry", 2000)) != first
    assert rows(build_index(pages, search={"recall_loss": 0.3}, seed=5), "ferry", 2000) == rows(index, "ferry", 2000)


def test_no_more_than_the_top_are_found(build_index):
    index = build_index(alike(40), search={"top_k": 12})
    assert rows(index) == rows(build_index(alike(40)))[:12]


def test_noise_follows_the_model_named():
    """A page of three times the score comes first with odds of 3 to the power of 1 / noise."""
    n = 20_000
    ranking = RankingSettings(ranking_noise=0.5, seed=3)
    weights = Weights(np.zeros(2 * n, np.float32), np.zeros(2 * n, np.bool_))
    scores = rescored(np.repeat([3.0, 1.0], n), np.arange(2 * n), weights, ranking, key="q", cjk=False)
    assert np.mean(scores[:n] > scores[n:]) == pytest.approx(9 / 10, abs=0.01)


def test_what_was_decided_is_on_file(index_folder):
    folder = index_folder("world", alike(3), search={"freshness": 1.0, "recall_loss": 0.2}, seed=7)
    assert json.loads((folder / "ranking.json").read_text()) == {
        "title_boost": 2.0, "common_share": 0.5, "freshness": 1.0, "recall_loss": 0.2, "as_of": TODAY, "seed": 7,
    }  # fmt: skip
    assert (folder / "weights.arrow").exists()


def test_a_setting_that_plays_no_part_leaves_the_index_as_it_is():
    assert RankingSettings.of(as_of=TODAY, seed=9, half_life_days=30.0) == dataclasses.replace(
        RankingSettings(), half_life_days=30.0
    )
