"""Every snippet of a dataset's card gives the rows that the view has, whichever reader it is for."""

import json
import re
import shlex
import subprocess
from functools import partial

import datasets
import duckdb
import polars
import pyarrow.parquet as pq
import pytest
import yaml

from worldforge.datasets.view import REPOSITORY

pytestmark = pytest.mark.xdist_group("trl")  # whose dataset it is


@pytest.fixture(scope="module")
def snippets(dataset):
    """The snippets by view and reader, for this folder in place of a repository."""
    text = (dataset / "README.md").read_text().replace(f"hf://datasets/{REPOSITORY}", str(dataset))
    found = re.findall(r"^`(\w+)` with ([^\n]+):\n\n```\w+\n(.*?)\n```$", text, re.M | re.S)
    return {
        (view, re.search(r"[\w-]+", reader)[0]): code.replace(REPOSITORY, str(dataset)) for view, reader, code in found
    }


def rows_of(dataset, view):
    """The run and id of each row of a view."""
    return [(row["run"], row["id"]) for row in pq.read_table(dataset / view, columns=["run", "id"]).to_pylist()]


def ids(rows):
    return list(zip(rows["run"][:], rows["id"][:], strict=True))


def executed(code, monkeypatch, trainer=None):
    """Run Python of a card, on a machine without GPU; return its names. The trainer only takes what it is given."""
    import trl

    monkeypatch.setattr(trl, "SFTConfig", partial(trl.SFTConfig, use_cpu=True))
    if trainer:
        monkeypatch.setattr(trl, trainer, lambda *_, **given: Trainer(given))
    names = {}
    exec(compile(code, "README.md", "exec"), names)
    return names


class Trainer:
    def __init__(self, given):
        Trainer.given = given

    def train(self):
        pass


def test_every_reader_of_sft_gets_the_same_rows(dataset, snippets, monkeypatch):
    wanted = rows_of(dataset, "sft")
    assert wanted and set(pq.read_table(dataset / "sft")["success"].to_pylist()) == {True}
    executed(snippets["sft", "TRL"], monkeypatch, "SFTTrainer")
    given = Trainer.given["train_dataset"]
    assert ids(given) == wanted
    whole = datasets.load_dataset(str(dataset), "sft", split="train")
    assert [row["prompt"] + row["completion"] for row in given] == whole["messages"][:]
    (axolotl,) = yaml.safe_load(snippets["sft", "Axolotl"])["datasets"]
    loaded = datasets.load_dataset(axolotl["path"], name=axolotl["name"], split="train")
    assert ids(loaded) == wanted
    assert {axolotl["field_messages"], axolotl["field_tools"]} <= set(loaded.column_names)
    words = shlex.split(snippets["sft", "ms-swift"])
    path, _, subset = words[words.index("--dataset") + 1].rpartition(":")
    assert ids(datasets.load_dataset(path, subset, split="train")) == wanted


def test_trl_learns_what_follows_the_last_turn_that_is_not_to_be_learnt(dataset, snippets, monkeypatch):
    executed(snippets["sft", "TRL"], monkeypatch, "SFTTrainer")
    marked = [row for row in Trainer.given["train_dataset"] if row["n_unlearnt"]]
    assert marked
    for row in Trainer.given["train_dataset"]:
        assert row["completion"][0]["role"] == "assistant"
        assert all(message.get("loss", True) for message in row["completion"])
        if not row["n_unlearnt"]:
            assert not any(message["role"] == "assistant" for message in row["prompt"])


def test_llama_factory_gets_what_its_view_holds(dataset, snippets):
    (entry,) = json.loads(snippets["sft_sharegpt", "LLaMA-Factory"]).values()
    loaded = datasets.load_dataset(entry["hf_hub_url"], entry["subset"], split="train")
    assert ids(loaded) == rows_of(dataset, "sft_sharegpt")
    assert set(entry["columns"].values()) <= set(loaded.column_names)
    marked = pq.read_table(dataset / "sft", columns=["n_unlearnt"])["n_unlearnt"].to_pylist()
    assert len(loaded) == sum(not n for n in marked) < len(marked)


def test_the_other_snippets_give_all_rows_of_their_views(dataset, snippets, monkeypatch, tmp_path):
    records = json.loads((dataset / "manifest.json").read_text())["views"]
    for view, trainer in (("dpo", "DPOTrainer"), ("rl_trl", "GRPOTrainer")):
        executed(snippets[view, "TRL"], monkeypatch, trainer)
        assert len(Trainer.given["train_dataset"]) == records[view]["n_rows"]
    assert len(executed(snippets["world_model", "TRL"], monkeypatch)["train"]) == records["world_model"]["n_rows"]
    assert (
        len(executed(snippets["widesearch", "datasets"], monkeypatch)["questions"]) == records["widesearch"]["n_rows"]
    )
    n_rows = records["trajectories"]["n_rows"]
    counted = snippets["trajectories", "DuckDB"].replace("avg(item_f1)", "count(*)")
    assert sum(count for _, count in duckdb.sql(counted).fetchall()) == n_rows
    *_, last = snippets["trajectories", "polars"].splitlines()
    assert eval(last, {"polars": polars}).height == n_rows


def test_verl_is_given_every_file(played, snippets, tmp_path):
    from command import worldforge

    worldforge("export", played, "--view", "rl_verl", "--rows-per-file", 15, "-o", tmp_path / "split")
    command = snippets["rl_verl", "verl"].replace("python -m", "echo")
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path / "split", capture_output=True, text=True, check=True)
    files = re.search(r"data\.train_files=\[(\S+)\]", done.stdout)[1].split(",")
    assert [pq.read_metadata(tmp_path / "split" / file).num_rows for file in files] == [15, 15, 10]


def test_the_first_snippet_streams_the_default_configuration(dataset, monkeypatch):
    text = (dataset / "README.md").read_text().replace(REPOSITORY, str(dataset))
    first = re.search(r"```python\n(.*?)\n```", text, re.S)[1]
    rows = executed(first, monkeypatch)["rows"]
    assert [(row["run"], row["id"]) for row in rows] == rows_of(dataset, "sft")
