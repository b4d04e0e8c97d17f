"""A manifest says what is in a dataset, and notices when something else is."""

import json
import re

import pytest

from worldforge.core.errors import InputError
from worldforge.datasets.manifest import (
    MANIFEST,
    File,
    Manifest,
    ViewRecord,
    canary_of,
    parse_manifest,
    read_manifest,
    record_file,
    verify,
    write_manifest,
)

SHARD = "sft/train-00000-of-00001.parquet"


@pytest.fixture
def folder(tmp_path):
    """A dataset of one view and a card."""
    for name, content in ((SHARD, "rows"), ("README.md", "# A card")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces" / "a.jsonl").write_text("a line")
    files = {name: record_file(tmp_path / name) for name in ("README.md", SHARD, "traces/a.jsonl")}
    write_manifest(tmp_path, manifest_of(files))
    return tmp_path


def manifest_of(files):
    return Manifest(
        world={"name": "paper", "digest": "d1" * 32},
        runs=[{"name": "oracle"}],
        selection={"asked": {}},
        recipe={"item_f1": {"weight": 1.0}},
        canary="worldforge:canary:0",
        license="cc-by-4.0",
        versions={"worldforge": "0"},
        views={
            "sft": ViewRecord(4, 4, (SHARD,)),
            "traces": ViewRecord(1, 9, ("traces/a.jsonl",)),
        },
        empty_views=["dpo"],
        files=files,
    )


def test_a_manifest_is_read_as_it_was_written(folder):
    manifest = manifest_of({"README.md": File(8, "ab"), SHARD: File(4, "cd"), "traces/a.jsonl": File(9, "ef")})
    write_manifest(folder, manifest)
    assert read_manifest(folder) == manifest
    assert manifest.configs == {"sft": 4}


def test_a_dataset_as_it_was_written_is_verified(folder):
    assert verify(folder).views["sft"].n_rows == 4


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("sft/train-00000-of-00001.parquet", None, "lacks `sft/train-00000"),
        ("sft/train-00000-of-00001.parquet", "rowz", "not as it was written"),
        ("README.md", "# A card, edited", "not as it was written"),
        ("sft/train-00001-of-00001.parquet", "more", "is not of the dataset"),
        (".hidden", "more", "is not of the dataset"),
        ("notes.partial", "more", "is not of the dataset"),
    ],
)
def test_whatever_changed_is_noticed(folder, name, content, told):
    (folder / name).unlink() if content is None else (folder / name).write_text(content)
    with pytest.raises(InputError, match=told):
        verify(folder)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "{}", '{"format": "worldforge/dataset@1"}', '{"format": 2}'])
def test_other_files_of_that_name_are_no_manifests(folder, text):
    (folder / MANIFEST).write_text(text)
    with pytest.raises(ValueError):
        parse_manifest(text)
    with pytest.raises(InputError, match=r"manifest\.json cannot be read"):
        verify(folder)


def test_a_view_of_files_that_are_not_on_record_is_refused(folder):
    data = json.loads((folder / MANIFEST).read_text())
    del data["files"][SHARD]
    with pytest.raises(ValueError, match=f"`{SHARD}` is in a view"):
        parse_manifest(json.dumps(data))


def test_the_digest_of_a_view_follows_from_names_and_contents_of_its_files():
    files = {"README.md": File(8, "ab"), SHARD: File(4, "cd"), "traces/a.jsonl": File(9, "ef")}
    digest = manifest_of(files).digest_of("sft")
    assert manifest_of(files | {"README.md": File(9, "ba"), "traces/a.jsonl": File(1, "fe")}).digest_of("sft") == digest
    assert manifest_of(files | {SHARD: File(4, "dc")}).digest_of("sft") != digest
    assert manifest_of(files).digest_of("traces") != digest


def test_a_folder_without_one_holds_no_dataset(tmp_path):
    with pytest.raises(InputError, match="holds no dataset"):
        read_manifest(tmp_path)


def test_a_canary_follows_from_the_world_and_the_runs():
    one, other = {"agent": "oracle@1"}, {"agent": "noisy-searcher@1"}
    canary = canary_of("d1" * 32, [one, other])
    assert re.fullmatch(r"worldforge:canary:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", canary)
    assert canary == canary_of("d1" * 32, [other, one])
    assert len({canary, canary_of("d2" * 32, [one, other]), canary_of("d1" * 32, [one])}) == 3
