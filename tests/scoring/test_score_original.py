"""The compatible scorer beside results of the original, recorded from its evaluation at commit f726273.

Recorded with pandas 2.3.1 and dateparser 1.2.2 over random tables: odd cells, odd Markdown, repeated keys. In place of
the original's model stood `names`, which maps columns and keys, and equality of words for judged columns. `scores` are
precision, recall and F1 by item, the same by row, and success.
"""

import json
from pathlib import Path

import pytest
from scoring_examples import Synonyms, gold_table

from worldforge.scoring.compatible_scorer import score_compatible

RECORDS = [
    json.loads(line)
    for line in Path(__file__).with_name("original_results.jsonl").read_text(encoding="utf-8").splitlines()
]


class Recorded(Synonyms):
    """The judge of the record: keys by the mapping, cells by their words."""

    def grade(self, cells, gold_cells, criterion):
        return [float(cell.lower() == gold.lower()) for cell, gold in zip(cells, gold_cells, strict=True)]


@pytest.mark.parametrize("record", RECORDS, ids=range(len(RECORDS)))
def test_the_original_gave_the_same(record):
    pipelines = {label: record["eval_pipeline"].get(label.lower().replace(" ", ""), {}) for label in record["columns"]}
    gold = gold_table(pipelines, record["gold"], record["n_keys"])
    score = score_compatible(record["answer"], gold, Recorded(record["names"]))
    by_item = [score.item_precision, score.item_recall, score.item_f1]
    assert [*by_item, score.row_precision, score.row_recall, score.row_f1, score.success] == record["scores"]


def test_the_record_is_worth_comparing_with():
    f1s = [record["scores"][2] for record in RECORDS]
    assert sum(f1 == 0 for f1 in f1s) > 20
    assert sum(0 < f1 < 1 for f1 in f1s) > 60
    assert sum(f1 > 1 for f1 in f1s) > 5
    assert sum(record["scores"][-1] for record in RECORDS) > 5
