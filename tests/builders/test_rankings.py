"""Rankings: what they go by, how many are compared, and the order of their rows."""

import re

import pyarrow.parquet as pq
import pytest
from command import worldforge as command

import worldforge as wf
from worldforge.schema.table_columns import is_rank
from worldforge.scoring.gold_table import gold_of
from worldforge.scoring.strict_scorer import score_strict, share_in_order


@pytest.fixture(scope="module")
def automobiles(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rankings") / "automobiles"
    others = ("scale=0.3", "tasks.list.count=4", "tasks.rows.count=2", "gates.searcher.max_steps=0")
    dropped = (f"tasks.{family}=null" for family in ("together", "periods", "lists", "sources"))
    command("build", "automobiles", "--out", folder, *(part for one in (*others, *dropped) for part in ("--set", one)))
    return wf.open_world(folder)


@pytest.fixture(scope="module")
def rankings(automobiles):
    return [task for task in automobiles.tasks if task.shape.limit]


@pytest.mark.parametrize("label", ["place by sales", "best place in the charts", "league position", "科研经费排名"])
def test_a_label_of_places_in_an_order_is_a_rank(label):
    assert is_rank(label)


@pytest.mark.parametrize("label", ["applicants for each place", "number of places", "year of entry", "销量"])
def test_other_labels_are_none(label):
    assert not is_rank(label)


def test_no_ranking_goes_by_a_rank(automobiles, rankings):
    derived = {
        (name, column)
        for name, kind in automobiles.spec.types.items()
        for column, said in kind.derived.items()
        if said.rank
    }
    assert derived and len(rankings) > 4
    assert not {(task.about, task.shape.order) for task in rankings} & derived


def test_at_least_three_times_as_many_are_compared(automobiles, rankings):
    database = automobiles.database()
    for task in rankings:
        compared, n = re.subn(r" QUALIFY rank\(\) OVER \(.*?\) <= \d+", "", task.query)
        assert n == 1
        assert len(database.sql(compared).fetchall()) >= 3 * len(task.gold)


def test_gold_is_in_order_and_the_question_says_that_order_counts(automobiles, rankings):
    for task in rankings:
        at = [column.path for column in task.columns].index(task.shape.order)
        cells = [row[at] for row in task.gold]
        values = cells if "-" in cells[0] else list(map(float, cells))
        assert values == sorted(values, reverse=task.shape.highest)
        assert task.evaluation["row_order"] is True and gold_of(task).ordered
        assert "their order counts" in task.wording
    for task in automobiles.tasks:
        if not task.shape.limit:
            assert "The rows may come in any order" in task.wording and "row_order" not in task.evaluation


def test_scripted_agents_answer_in_order(automobiles):
    for agent in ("oracle", "searcher"):
        summary = wf.rollout(automobiles, agent=agent)
        rows = [row for shard in summary.folder.glob("shards/*.parquet") for row in pq.read_table(shard).to_pylist()]
        found = [row for row in rows if row["success"]]
        assert len(found) > 8 and {row["row_order"] for row in found} == {1}


def test_the_strict_scorer_reports_the_order_and_leaves_the_rest_as_it_is(rankings):
    gold = gold_of(next(task for task in rankings if len(task.gold) >= 3))
    head = ["| " + " | ".join(gold.columns) + " |", "|" + " --- |" * len(gold.columns)]
    lines = ["| " + " | ".join(row) + " |" for row in gold.rows]
    right, backwards = (score_strict("\n".join([*head, *rows]), gold) for rows in (lines, lines[::-1]))
    assert (right.row_order, right.item_f1, right.success) == (1, 1, True)
    assert (backwards.row_order, backwards.item_f1, backwards.success) == (0, 1, True)


def test_the_share_of_pairs_in_order():
    assert share_in_order([0, 1, 2]) == 1
    assert share_in_order([2, 1, 0]) == 0
    assert share_in_order([0, 2, 1]) == pytest.approx(2 / 3)
    assert (share_in_order([5]), share_in_order([])) == (1, 0)
