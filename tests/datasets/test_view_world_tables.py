"""The world's own tables, and its tasks as the benchmark lays them out."""

import csv
import io
import json

import datasets
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from worldforge.core.errors import InputError
from worldforge.datasets import world_rows
from worldforge.datasets.view import ExportContext
from worldforge.datasets.views.entities import VIEW as ENTITIES
from worldforge.datasets.views.mentions import VIEW as MENTIONS
from worldforge.datasets.views.pages import VIEW as PAGES
from worldforge.datasets.views.tasks import VIEW as TASKS
from worldforge.datasets.views.widesearch import VIEW as WIDESEARCH
from worldforge.scoring.reward_recipe import DEFAULT
from worldforge.world.task import tasks_from_table
from worldforge.world.world import open_world

VIEWS = [PAGES, ENTITIES, MENTIONS, TASKS]


@pytest.fixture(scope="module")
def context(quickstart):
    world = open_world(quickstart)
    return ExportContext(world, (), "CANARY", DEFAULT, {world.tasks[2].id: 1.0})


def whole(view, context):
    return pa.concat_tables(view.tables((), context))


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_portions_add_up_to_the_whole_and_are_read_back(view, context, tmp_path, monkeypatch):
    at_once = whole(view, context)
    assert at_once.schema == view.schema and all(meaning for _, _, meaning in view.columns)
    assert set(at_once["canary"].to_pylist()) == {"CANARY"} and view.schema.names[-1] == "canary"
    monkeypatch.setattr(world_rows, "ROWS_PER_PORTION", 7)
    in_sevens = list(view.tables((), context))
    assert max(table.num_rows for table in in_sevens) == 7
    assert pa.concat_tables(in_sevens).equals(at_once)
    pq.write_table(at_once, tmp_path / "train.parquet")
    rows = datasets.load_dataset("parquet", data_files=str(tmp_path / "train.parquet"), split="train", streaming=True)
    assert list(rows.take(20)) == at_once.slice(0, 20).to_pylist()


def test_pages_mentions_and_tasks_are_the_worlds_own(context):
    world = context.world
    weighed = world.pages.append_column("authority", world.authority["authority"])
    assert whole(PAGES, context).drop_columns("canary").to_pylist() == weighed.to_pylist()
    assert whole(MENTIONS, context).drop_columns("canary").to_pylist() == world.mentions.to_pylist()
    tasks = whole(TASKS, context)
    assert tasks_from_table(tasks.drop_columns(["pass_rate", "canary"])) == world.tasks
    rated = {row["id"]: row["pass_rate"] for row in tasks.to_pylist() if row["pass_rate"] is not None}
    assert rated == {world.tasks[2].id: 1.0}


def test_every_entity_is_there_with_its_attributes(context):
    rows = whole(ENTITIES, context).to_pylist()
    assert list(dict.fromkeys(row["type"] for row in rows)) == list(context.world.spec.types)
    for kind in context.world.spec.types:
        for row, entity in zip(
            (row for row in rows if row["type"] == kind), context.world.entities(kind).to_pylist(), strict=True
        ):
            attributes = json.loads(row["attributes"])
            assert {name: row[name] for name in ("id", "name", "aliases")} | attributes == {
                name: value.isoformat() if hasattr(value, "isoformat") else value for name, value in entity.items()
            }


def test_widesearch_files_are_what_the_benchmarks_loaders_take(context, tmp_path):
    for name, content, _ in WIDESEARCH.files((), context):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    local = pd.read_json(tmp_path / "widesearch.jsonl", lines=True).to_dict(orient="records")
    hub = datasets.load_dataset(str(tmp_path), cache_dir=str(tmp_path / "cache"))["full"]  # as its Hub loader calls it
    assert len(local) == len(hub) == len(context.world.tasks)
    for task, question, row in zip(context.world.tasks, local, hub, strict=True):
        assert list(question) == list(row) == ["instance_id", "query", "evaluation", "language"]
        assert question["evaluation"] == json.loads(row["evaluation"]) == task.evaluation
        assert question["query"] == row["query"] == task.wording
        text = (tmp_path / "widesearch_gold" / f"{row['instance_id']}.csv").read_bytes()
        assert not text.startswith(b"\xef\xbb\xbf")
        header, *cells = csv.reader(io.StringIO(text.decode()))
        assert (header, [tuple(line) for line in cells]) == (task.labels, list(task.gold))
        columns = {label.strip().lower().replace(" ", "") for label in pd.read_csv(io.StringIO(text.decode())).columns}
        assert set(json.loads(row["evaluation"])["required"]) == columns


def test_a_world_without_these_files_is_refused(paper_world):
    context = ExportContext(paper_world, (), "", DEFAULT)
    with pytest.raises(InputError, match=r"widesearch\.jsonl is missing"):
        list(WIDESEARCH.files((), context))
