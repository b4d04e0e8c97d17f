"""A further batch of a dataset on the Hub: what is added, what stays, which batches do not go together."""

import json
import subprocess
import sys
from dataclasses import replace
from os import environ

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from hub_datasets import finish, listed, make_dataset

from worldforge.datasets.card.markdown import size
from worldforge.datasets.card.yaml_header import description
from worldforge.datasets.manifest import ViewRecord, parse_manifest, read_manifest, record_file


def manifest_there(hub):
    return parse_manifest(hub.repository.content("manifest.json").decode())


@pytest.fixture
def batch(tmp_path):
    return make_dataset(tmp_path / "batch", n_shards=3, run="week-2")


def test_a_batch_comes_beside_what_is_there(hub, small_dataset, batch):
    hub.push(small_dataset)
    before = hub.repository.files()
    done = hub.push(batch, "--append", "--tag", "v2")
    assert (done["batch"], hub.repository.n_commits) == (1, 2)
    files = hub.repository.files()
    added = {f"sft/train-b0001-{shard:05d}.parquet": f"sft/train-{shard:05d}-of-00003.parquet" for shard in range(3)}
    added["traces/b0001-week-2.jsonl"] = "traces/week-2.jsonl"
    assert set(files) == set(before) | set(added)
    assert all(hub.repository.content(new) == (batch / old).read_bytes() for new, old in added.items())
    assert {path for path in before if files[path] != before[path]} == {"README.md", "manifest.json"}
    assert hub.push(batch, "--append")["commit"] is None


def test_manifest_and_card_speak_of_the_whole(hub, small_dataset, batch):
    hub.push(small_dataset)
    hub.push(batch, "--append")
    manifest = manifest_there(hub)
    assert {name: view.n_rows for name, view in manifest.views.items()} == {"sft": 15, "pages": 3, "traces": 2}
    assert [(run["name"], run.get("batch")) for run in manifest.runs] == [("oracle", None), ("week-2", 1)]
    files = hub.repository.files()
    assert {path: (file.sha256, file.bytes) for path, file in manifest.files.items()} == {
        path: (file["sha256"], file["size"])
        for path, file in files.items()
        if path not in (".gitattributes", "manifest.json")
    }
    card = hub.repository.content("README.md").decode()
    assert (
        f"| `sft` | trainers | 15 rows | {size(manifest.views['sft'].n_bytes)} |" in card
        and "| `pages` | trainers | 3 rows |" in card
    )
    head = yaml.safe_load(card.split("---\n")[1])
    configs = {config["config_name"]: config["description"] for config in head["configs"]}
    assert configs == {name: description(manifest, name) for name in ("sft", "pages")}
    assert description(read_manifest(small_dataset), "pages") == configs["pages"]
    assert "| b0001 | week-2 | 3 | `worldforge:canary:week-2` |" in card


def test_batch_after_batch(hub, small_dataset, tmp_path):
    hub.push(small_dataset)
    for number in range(1, 4):
        batch = make_dataset(tmp_path / f"batch{number}", n_shards=number, run=f"week-{number}")
        assert hub.push(batch, "--append")["batch"] == number
    manifest = manifest_there(hub)
    assert manifest.views["sft"].n_rows == 3 * (2 + 1 + 2 + 3)
    card = hub.repository.content("README.md").decode()
    assert card.count("## Batches") == 1 and all(f"| b{number:04d} | week-{number} |" in card for number in (1, 2, 3))
    assert "24 rows" in card


def test_all_batches_load_as_one(hub, small_dataset, batch):
    hub.push(small_dataset)
    hub.push(batch, "--append")
    script = (
        "import datasets, json;"
        f"rows = datasets.load_dataset({hub.name!r}, 'sft', split='train', streaming=True);"
        "print(json.dumps([row['id'] for row in rows]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env={**environ, **hub.env}, capture_output=True, text=True, check=True
    )
    ids = json.loads(done.stdout.splitlines()[-1])
    assert sorted(ids) == sorted(
        f"{run}-{shard}-{row}"
        for run, shards in (("oracle", 2), ("week-2", 3))
        for shard in range(shards)
        for row in range(3)
    )


def test_further_trials_of_a_run_are_appended_once(hub, small_dataset, tmp_path):
    hub.push(small_dataset)
    further = make_dataset(tmp_path / "further", trials=(1, 2, 3), text="more ")
    assert hub.push(further, "--append")["batch"] == 1
    copy = make_dataset(tmp_path / "copy", run="copy", identity="oracle", trials=(3, 4))
    refused = hub.push(copy, "--append", code=2).err
    assert "has the run `copy` already, as `oracle`: trials 3" in refused and "--first-trial" in refused
    assert (
        hub.push(make_dataset(tmp_path / "new", run="copy", identity="oracle", trials=(4,)), "--append")["batch"] == 2
    )


def test_a_dry_run_shows_the_names_of_a_first_batch(hub, batch):
    shown = hub.push(batch, "--append", "--dry-run", HF_ENDPOINT="http://127.0.0.1:9", HF_TOKEN="")
    paths = [file["path"] for file in shown["files"]]
    assert "sft/train-b0001-00002.parquet" in paths and not any(path.startswith("pages/") for path in paths)


def test_an_interrupted_append_goes_on_under_the_same_names(hub, small_dataset, tmp_path):
    hub.push(small_dataset)
    batch = make_dataset(tmp_path / "batch", n_shards=150, rows_per_shard=1, run="week-2")
    hub.fault("POST .*/commit/", 400)
    hub.push(batch, "--append", code=2)
    assert manifest_there(hub).views["sft"].n_rows == 6
    assert hub.push(batch, "--append")["batch"] == 1
    manifest = manifest_there(hub)
    assert manifest.views["sft"].n_rows == 156
    assert set(hub.repository.files()) == {".gitattributes", "manifest.json", *manifest.files}
    assert set(hub.uploads.values()) == {1}


def test_the_whole_dataset_pushed_again_takes_the_batches_away(hub, small_dataset, batch):
    hub.push(small_dataset)
    hub.push(batch, "--append")
    hub.push(small_dataset)
    assert hub.holds(small_dataset)


def other_columns(folder):
    manifest = read_manifest(folder)
    record = manifest.views["sft"]
    for path in record.files:
        table = pq.read_table(folder / path)
        pq.write_table(table.append_column("more", pa.array([1] * table.num_rows)), folder / path)
    files = {**manifest.files, **{path: record_file(folder / path) for path in record.files}}
    size = sum(files[path].bytes for path in record.files)
    views = {**manifest.views, "sft": ViewRecord(record.n_rows, size, record.files, columns="others")}
    finish(folder, replace(manifest, views=views, files=files))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"digest": "e2" * 32}, "another world"),
        ({"recipe": {"name": "mine"}}, "another reward recipe"),
        ({"license": "cc0-1.0"}, "another licence"),
        ({"empty_views": ["dpo"]}, "another set of views"),
        ({"run": "oracle", "text": "new "}, "has the run `oracle` already: trials 0"),
        ({"identity": "oracle", "trials": (0, 1, 2)}, "has the run `week-2` already, as `oracle`: trials 0"),
        ({"change": other_columns}, "other columns in `sft`"),
    ],
)
def test_what_does_not_go_together_is_refused(hub, small_dataset, tmp_path, changes, says):
    hub.push(small_dataset)
    head = hub.repository.resolve("main")
    change = changes.pop("change", None) if (changes := dict(changes)) else None
    batch = make_dataset(tmp_path / "batch", **{"run": "week-2", **changes})
    if change:
        change(batch)
    refused = hub.push(batch, "--append", code=2)
    assert says in refused.err and hub.repository.resolve("main") == head


def test_a_view_that_was_empty_has_no_config_to_grow(hub, tmp_path, batch):
    whole = read_manifest(batch)
    first = make_dataset(tmp_path / "first")
    views = {name: view for name, view in read_manifest(first).views.items() if name != "sft"}
    (gone := first / "sft").rename(tmp_path / "gone")
    files = {path: file for path, file in read_manifest(first).files.items() if not path.startswith(f"{gone.name}/")}
    finish(first, replace(read_manifest(first), views=views, files=files, empty_views=["sft"]))
    hub.push(first)
    assert "no rows of `sft`" in hub.push(batch, "--append", code=2).err and whole.views["sft"].n_rows


def test_there_must_be_something_to_append_to(hub, small_dataset):
    assert "no dataset to append to" in hub.push(small_dataset, "--append", code=2).err
    assert not hub.uploads and listed(small_dataset)
