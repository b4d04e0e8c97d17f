"""Near-duplicates: what counts as one, which of a cluster stays, that nothing else goes."""

import itertools
import random

import pytest
from shards_by_hand import WORLD, rows_of, trajectory, write_run

from worldforge.datasets.selection.select_rows import select
from worldforge.datasets.selection.selection_settings import Selection
from worldforge.datasets.selection.trajectory_duplicates import rows_per_band, shingles

WORDS = [f"word{number}" for number in range(3_000)]
TASKS = (0, 1, 2)


def kept_of(folder, rows, threshold=0.8, **more):
    source = write_run(folder, rows, per_shard=13)
    with select([source], Selection(dedupe=threshold, **more), WORLD, scratch=folder) as selected:
        assert sum(step.n_removed for step in selected.report.steps) == len(rows) - selected.n_rows
        assert selected.report.near_duplicates.startswith("rensa ")
        return rows_of(selected)


def similarity(one, other):
    return len(one & other) / len(one | other)


def features(row):
    calls = [call["function"] for message in row["messages"] for call in message["tool_calls"] or ()]
    return set(shingles([f"{call['name']} {call['arguments']}" for call in calls], row["answer"]))


@pytest.fixture(scope="module")
def clusters():
    """Twelve clusters of eight: each member differs from the first in one word of 200; scores differ."""
    draw = random.Random(5)
    rows = []
    for cluster in range(12):
        text = draw.choices(WORDS, k=200)
        for member in range(8):
            words = list(text)
            for place in draw.sample(range(200), min(member, 1)):
                words[place] = draw.choice(WORDS)
            score = draw.random()
            rows.append(trajectory(draw.choice(TASKS), len(rows), [" ".join(words[:100])],
                                   " ".join(words[100:]), item_f1=score, strict_version=str(cluster)))  # fmt: skip
    draw.shuffle(rows)
    return rows


def test_one_of_each_cluster_stays_and_it_is_the_best(clusters, tmp_path):
    kept = kept_of(tmp_path, clusters)
    assert sorted(int(row["strict_version"]) for row in kept) == list(range(12))
    for row in kept:
        assert row["item_f1"] == max(
            one["item_f1"] for one in clusters if one["strict_version"] == row["strict_version"]
        )


def test_whoever_goes_has_a_near_duplicate_that_stays(clusters, tmp_path):
    kept = kept_of(tmp_path, clusters, threshold=0.9)
    ids = {row["id"] for row in kept}
    staying = [features(row) for row in kept]
    for row in clusters:
        assert row["id"] in ids or max(similarity(features(row), one) for one in staying) >= 0.8  # an estimate's 0.9
    for one, other in itertools.combinations(staying, 2):
        assert similarity(one, other) < 0.98
    assert [row["id"] for row in kept] == [row["id"] for row in clusters if row["id"] in ids], "the order is untouched"


def test_the_same_however_rows_lie_in_shards_and_runs(clusters, tmp_path):
    alone = [row["id"] for row in kept_of(tmp_path / "alone", clusters)]
    assert [row["id"] for row in kept_of(tmp_path / "again", clusters)] == alone
    halves = [write_run(tmp_path / "halves", part, name) for name, part in
              (("a", clusters[:50]), ("b", clusters[50:]))]  # fmt: skip
    with select(halves, Selection(dedupe=0.8), WORLD) as selected:
        assert [row["id"] for row in rows_of(selected)] == alone


def test_copies_go_and_strangers_stay(tmp_path):
    draw = random.Random(1)
    texts = [" ".join(draw.choices(WORDS, k=30)) for _ in range(40)]
    strangers = [trajectory(number % 3, number, [text], text[::-1]) for number, text in enumerate(texts)]
    copies = [{**row, "id": f"{row['id']}-copy"} for row in strangers]
    kept = kept_of(tmp_path, strangers + copies, threshold=1.0)
    assert [row["id"] for row in kept] == [row["id"] for row in strangers]


def test_those_that_did_nothing_are_copies_of_one_another(tmp_path):
    rows = [trajectory(0, trial, calls=()) for trial in range(5)] + [trajectory(0, 9, ["velmar"], "a b c d")]
    assert [row["trial"] for row in kept_of(tmp_path, rows)] == [0, 9]


def test_the_best_of_each_are_chosen_among_those_that_differ(tmp_path):
    rows = [trajectory(0, trial, ["one and the same query here"], "same answer", item_f1=0.9) for trial in range(3)]
    rows.append(trajectory(0, 3, ["a query that nobody else has made"], "another answer", item_f1=0.5))
    assert [row["trial"] for row in kept_of(tmp_path, rows, best_of=2)] == [0, 3]


def test_observations_do_not_count(tmp_path):
    rows = [trajectory(0, trial, ["a b c d e"], "f g h i", filler=f"{trial} " * 500) for trial in range(3)]
    assert len(kept_of(tmp_path, rows)) == 1


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.8, 0.9, 0.95, 1.0])
def test_bands_find_pairs_at_the_threshold(threshold):
    size = rows_per_band(threshold)
    assert 1 - (1 - threshold**size) ** (128 // size) >= 0.99 and 128 % size == 0
