"""Libraries that read a dataset's Parquet as it lies: `datasets` by config, also streaming; DuckDB; polars."""

import json

import datasets
import duckdb
import polars
import pytest

pytestmark = pytest.mark.xdist_group("trl")  # whose dataset it is


def views(dataset):
    """Return the rows of each Parquet view, by the manifest."""
    views = json.loads((dataset / "manifest.json").read_text())["views"]
    return {name: view["n_rows"] for name, view in views.items() if view["files"][0].endswith(".parquet")}


def test_every_view_is_read_by_every_library(dataset):
    counted = views(dataset)
    assert {"trajectories", "sft", "sft_str", "sft_sharegpt", "dpo", "rl_verl", "rl_trl", "rl_skyrl"} <= set(counted)
    assert {"world_model", "steps", "pages", "entities", "mentions", "tasks"} <= set(counted)
    for view, n_rows in counted.items():
        files = f"{dataset}/{view}/*.parquet"
        assert duckdb.sql(f"SELECT count(*) FROM read_parquet('{files}')").fetchall() == [(n_rows,)], view
        assert polars.scan_parquet(files).select(polars.len()).collect().item() == n_rows, view
        assert datasets.load_dataset(str(dataset), view, split="train").num_rows == n_rows, view
        stream = datasets.load_dataset(str(dataset), view, split="train", streaming=True)
        assert sum(1 for _ in stream) == n_rows, view


def test_arguments_come_as_objects_without_padding(dataset):
    messages = datasets.load_dataset(str(dataset), "sft", split="train")[0]["messages"]
    calls = [call for message in messages for call in message.get("tool_calls", ())]
    assert calls
    assert all(isinstance(call["function"]["arguments"], dict) for call in calls)
    assert not any(value is None for message in messages for value in message.values())
    assert not any(value is None for call in calls for value in call["function"]["arguments"].values())


def test_duckdb_and_polars_agree_on_scores(dataset):
    files = f"{dataset}/trajectories/*.parquet"
    by_agent = "SELECT agent, avg(item_f1) FROM read_parquet('{}') GROUP BY agent ORDER BY agent"
    ours = duckdb.sql(by_agent.format(files)).fetchall()
    frame = polars.scan_parquet(files).group_by("agent").agg(polars.col("item_f1").mean()).sort("agent").collect()
    assert len(ours) == 2
    assert [row[0] for row in ours] == frame["agent"].to_list()
    assert [row[1] for row in ours] == pytest.approx(frame["item_f1"].to_list())
