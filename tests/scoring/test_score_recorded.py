"""The compatible scorer beside what the benchmark's own evaluation gave, in both of its revisions.

original_results.jsonl: recorded at commit f726273 over random tables: odd cells, odd Markdown, repeated keys.
recorded_results.jsonl: in both revisions, to our own answers.

Recorded on 21 November 2026 with pandas 2.3.1 and dateparser 1.2.2, over tasks of the quickstart world and over drawn
tables of every rule, with answers mutated one to three times. In place of the original's model stood `names`, which
maps columns and keys, and equality of words for judged columns. `scores` are precision, recall and F1 by item, the same
by row, and success, at commit f726273; `pull-8` holds those after pull request 8, where they differ.
"""

import datetime
import json
from pathlib import Path

import pytest
from scoring_examples import Synonyms, gold_table

from worldforge.scoring.compatible_scorer import score_compatible
from worldforge.scoring.gold_table import GoldTable

DAY = datetime.date(2026, 11, 21)
RECORDS, ORIGINALS = (
    [json.loads(line) for line in Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()]
    for name in ("recorded_results.jsonl", "original_results.jsonl")
)


class Recorded(Synonyms):
    """The judge of the record: keys by the mapping, cells by their words."""

    def grade(self, cells, gold_cells, criterion):
        return [float(cell.lower() == gold.lower()) for cell, gold in zip(cells, gold_cells, strict=True)]


@pytest.mark.parametrize("record", RECORDS, ids=range(len(RECORDS)))
def test_the_original_gave_the_same_in_both_revisions(record):
    gold = GoldTable(
        tuple(record["labels"]), tuple(map(tuple, record["gold"])), tuple(record["keys"]), record["evaluation"]
    )
    for revision in ("f726273", "pull-8"):
        score = score_compatible(record["answer"], gold, Recorded(record["names"]), revision=revision, day=DAY)
        by_item = [score.item_precision, score.item_recall, score.item_f1]
        measured = [*by_item, score.row_precision, score.row_recall, score.row_f1, float(score.success)]
        assert measured == pytest.approx(record.get(revision, record["scores"]), abs=1e-9), (revision, score.reason)


@pytest.mark.parametrize("record", ORIGINALS, ids=range(len(ORIGINALS)))
def test_the_original_gave_the_same_to_odd_tables(record):
    pipelines = {label: record["eval_pipeline"].get(label.lower().replace(" ", ""), {}) for label in record["columns"]}
    gold = gold_table(pipelines, record["gold"], record["n_keys"])
    score = score_compatible(record["answer"], gold, Recorded(record["names"]))
    by_item = [score.item_precision, score.item_recall, score.item_f1]
    assert [*by_item, score.row_precision, score.row_recall, score.row_f1, score.success] == record["scores"]


def test_the_records_are_worth_comparing_with():
    f1s = [record["scores"][2] for record in ORIGINALS]
    assert sum(f1 == 0 for f1 in f1s) > 20 and sum(0 < f1 < 1 for f1 in f1s) > 60 and sum(f1 > 1 for f1 in f1s) > 5
    assert sum(record["scores"][-1] for record in ORIGINALS) > 5
    f1s = [record["scores"][2] for record in RECORDS]
    assert sum(f1 == 0 for f1 in f1s) > 30
    assert sum(0 < f1 < 1 for f1 in f1s) > 80
    assert sum(f1 > 1 for f1 in f1s) > 20
    assert sum("pull-8" in record for record in RECORDS) > 20
