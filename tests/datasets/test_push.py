"""A push from the outside, to a stand-in of the Hub: what is there afterwards, what goes up, what is refused."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace

import pyarrow.parquet as pq
import pytest
from command import worldforge
from hub_datasets import finish, listed, make_dataset
from hub_stand_in import READER, WRITER

from worldforge.datasets.manifest import read_manifest, record_file


def test_a_dry_run_shows_files_and_the_commit_and_asks_nobody(small_dataset, tmp_path):
    env = {"HF_ENDPOINT": "http://127.0.0.1:9", "HF_HOME": str(tmp_path / "home"), "HF_TOKEN": ""}
    done = worldforge("push", small_dataset, "--to", "me/mine", "--dry-run", env=env)
    for path in listed(small_dataset):
        assert path in done.stdout
    assert "Push paper: 3 views, 10 rows" in done.stderr and "7 files" in done.stderr


def test_a_dry_run_shows_many_files(hub, wide_dataset):
    shown = hub.push(wide_dataset, "--dry-run", HF_ENDPOINT="http://127.0.0.1:9", HF_TOKEN="")
    assert {file["path"]: file["bytes"] for file in shown["files"]} == {
        path: len(content) for path, content in listed(wide_dataset).items()
    }
    assert shown["commit"]["bytes"] == sum(file["bytes"] for file in shown["files"])
    assert not hub.repository.exists


def test_what_is_pushed_is_checked_before_and_loads_after(hub, small_dataset, tmp_path):
    """Through the command itself, then as a user would: `load_dataset` gives the rows of the local files."""
    done = worldforge("push", small_dataset, "--to", hub.name, env=hub.env)
    assert f"{hub.name} (private): 7 of 7 files" in done.stderr
    assert hub.holds(small_dataset) and hub.repository.n_commits == 1 and hub.repository.read()["private"]
    out = tmp_path / "rows.json"
    script = (
        "import datasets, json, sys;"
        f"rows = {{n: datasets.load_dataset({hub.name!r}, n, split='train').to_list() for n in ('sft', 'pages')}};"
        f"open({str(out)!r}, 'w').write(json.dumps(rows))"
    )
    subprocess.run([sys.executable, "-c", script], env={**os.environ, **hub.env}, check=True, capture_output=True)
    loaded = json.loads(out.read_text())
    for name, view in read_manifest(small_dataset).views.items():
        if name in loaded:
            local = [row for path in view.files for row in pq.read_table(small_dataset / path).to_pylist()]
            assert loaded[name] == local


def test_a_config_that_does_not_load_is_not_pushed(hub, tmp_path):
    folder = make_dataset(tmp_path / "dataset")
    manifest = read_manifest(folder)
    path = folder / manifest.views["sft"].files[0]
    table = pq.read_table(path)
    pq.write_table(table.rename_columns(["id", "other", "canary"]), path)
    finish(folder, replace(manifest, files={**manifest.files, manifest.views["sft"].files[0]: record_file(path)}))
    done = worldforge("push", folder, "--to", hub.name, env=hub.env, code=1)
    assert "`datasets` cannot read" in done.stderr and not hub.repository.exists


def test_a_second_push_uploads_nothing_and_commits_nothing(hub, wide_dataset):
    first = hub.push(wide_dataset)
    assert hub.holds(wide_dataset) and hub.repository.n_commits == 1
    requests = len(hub.server.requests)
    second = hub.push(wide_dataset)
    assert (second["commit"], second["n_files_pushed"], second["head"]) == (None, 0, first["head"])
    assert set(hub.uploads.values()) == {1}
    later = hub.server.requests[requests:]
    assert not [request for request in later if request.startswith(("POST", "PUT"))], later


def test_a_dataset_takes_the_place_of_another_in_one_commit(hub, wide_dataset, tmp_path):
    old = make_dataset(tmp_path / "old", n_shards=3, run="old")
    hub.push(old)
    hub.push(wide_dataset)
    assert hub.holds(wide_dataset) and hub.repository.n_commits == 2


def test_only_what_changed_goes_up(hub, small_dataset, tmp_path):
    hub.push(small_dataset)
    folder = tmp_path / "changed"
    shutil.copytree(small_dataset, folder)
    manifest = read_manifest(folder)
    finish(folder, replace(manifest, versions={"worldforge": "0.2.0"}))
    done = hub.push(folder, "--message", "Newer")
    assert hub.holds(folder) and done["n_files_pushed"] == 1  # the manifest: the card is the same
    assert hub.repository.history()[0][1]["title"] == "Newer"


def test_files_of_others_stay_where_they_do_no_harm(hub, small_dataset, tmp_path):
    hub.push(small_dataset)
    hub.repository.commit({"LICENSE": b"free", "images/me.png": b"png"})
    newer = make_dataset(tmp_path / "newer", n_shards=1, run="newer")
    hub.push(newer)
    assert set(hub.repository.files()) == {".gitattributes", "LICENSE", "images/me.png", *listed(newer)}


@pytest.mark.parametrize("path", ["sft/train-extra.parquet", "spec/spec.yaml", "manifest.json"])
def test_files_of_others_are_neither_overwritten_nor_mixed_in(hub, small_dataset, path):
    hub.server.repository(hub.name).create(private=True)
    hub.repository.commit({path: b"theirs"})
    head = hub.repository.resolve("main")
    done = hub.push(small_dataset, code=2)
    assert path in done.err and hub.repository.resolve("main") == head and not hub.uploads


def test_a_push_that_was_given_up_leaves_nothing(hub, wide_dataset, small_dataset):
    hub.fault("POST .*/commit/", 400, after=False)
    hub.push(wide_dataset, code=2)
    assert hub.repository.n_commits == 0
    hub.push(small_dataset)
    assert hub.holds(small_dataset)


def test_private_unless_told_otherwise(hub, small_dataset):
    assert hub.push(small_dataset, "--public")["private"] is False
    assert hub.repository.read()["private"] is False
    refused = hub.push(small_dataset, code=2)
    assert "is public" in refused.err and "--public" in refused.err


def test_a_tag_names_the_state_and_moves_to_no_other(hub, small_dataset, tmp_path):
    first = hub.push(small_dataset, "--tag", "v1")
    assert hub.repository.read()["tags"] == {"v1": first["head"]}
    assert hub.push(small_dataset, "--tag", "v1")["commit"] is None
    newer = make_dataset(tmp_path / "newer", run="newer")
    refused = hub.push(newer, "--tag", "v1", code=2)
    assert "`v1`" in refused.err and hub.repository.resolve("main") == first["head"]
    second = hub.push(newer, "--tag", "v2")
    assert hub.repository.read()["tags"] == {"v1": first["head"], "v2": second["head"]}
    assert hub.holds(small_dataset, "v1") and hub.holds(newer, "v2")


def test_a_branch_of_its_own(hub, small_dataset, tmp_path):
    main = hub.push(small_dataset)
    newer = make_dataset(tmp_path / "newer", run="newer")
    hub.push(newer, "--branch", "newer")
    assert hub.holds(newer, "newer") and hub.repository.resolve("main") == main["head"]
    assert hub.push(newer, "--branch", "newer")["commit"] is None


@pytest.mark.parametrize(
    "name",
    ["mine", "a/b/c", "datasets/me/mine", "me/", "/mine", "me/my world", "me/..", "../etc", "me/mine.git", "", "é/x"],
)
def test_a_repository_is_called_owner_and_name(hub, small_dataset, name):
    done = hub.run("push", small_dataset, "--to", name, code=2)
    assert "owner/name" in done.err


@pytest.mark.parametrize("damage", ["none", "changed", "missing", "stranger", "rubbish"])
def test_only_whole_datasets_are_pushed(hub, tmp_path, damage):
    folder = make_dataset(tmp_path / "dataset")
    match damage:
        case "none":
            shutil.rmtree(folder)
            folder.mkdir()
        case "changed":
            (folder / "traces" / "oracle.jsonl").write_text("other")
        case "missing":
            (folder / "spec" / "spec.yaml").unlink()
        case "stranger":
            (folder / "diary.txt").write_text("dear diary")
        case "rubbish":
            (folder / "manifest.json").write_text("[]")
    hub.push(folder, code=2)
    assert not hub.repository.exists


def test_a_world_is_pushed_by_its_datasets(hub, small_dataset, tmp_path):
    shutil.copytree(small_dataset, tmp_path / "world" / "datasets")
    hub.push(tmp_path / "world")
    assert hub.holds(small_dataset)


@pytest.mark.parametrize(("token", "says"), [("", "no token"), ("hf_unknown", "does not accept"), (READER, "no right")])
def test_a_token_that_will_not_do(hub, small_dataset, token, says):
    done = hub.push(small_dataset, code=2, HF_TOKEN=token)
    assert says in done.err and not hub.repository.exists
    assert not token or token not in done.err + done.out


def test_a_namespace_of_others(hub, small_dataset):
    done = hub.run("push", small_dataset, "--to", f"forbidden/{hub.name.split('/')[1]}", code=2)
    assert "no right" in done.err


def test_xet_takes_the_files_and_the_token_is_written_nowhere(hub, small_dataset, tmp_path):
    """At debug level, Xet's own log included, and with a server that repeats the token in its errors."""
    debug = {"HF_DEBUG": "1", "HF_HUB_VERBOSITY": "debug", "WORLDFORGE_DEBUG": "1", "RUST_LOG": "debug"}
    env = {**hub.env, **debug, "HF_HOME": str(tmp_path / "home"), "HF_HUB_DISABLE_XET": ""}
    done = worldforge("push", small_dataset, "--to", hub.name, env=env)
    files, content = hub.repository.files(), listed(small_dataset)
    assert {path: files[path]["sha256"] for path in content} == {
        path: hashlib.sha256(content[path]).hexdigest() for path in content
    }
    assert hub.server.asked(hub.name, "GET .*/xet-write-token/") and not hub.server.asked(hub.name, "PUT /lfs/")
    refused = worldforge("push", small_dataset, "--to", hub.name, env={**env, "HF_TOKEN": "hf_canary"}, code=2)
    assert "curl" in done.stderr and "curl" in refused.stderr, "nothing is logged at debug level any more"
    printed = done.stdout + done.stderr + refused.stdout + refused.stderr
    state = hub.repository.path.read_text() + "".join(map(str, content.values()))
    written = b"".join(path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file())
    for token in (WRITER, "hf_canary"):
        assert token not in printed + state and token.encode() not in written
