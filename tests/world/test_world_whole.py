"""A world whose files a disk or a copy has changed is not played, nor taken into datasets."""

import json
import shutil

import pytest
from command import worldforge

from worldforge.core.errors import InputError
from worldforge.world.world import open_world


@pytest.fixture
def world(quickstart, tmp_path):
    """A copy of the quickstart world, with its run."""
    return shutil.copytree(quickstart, tmp_path / "world", ignore=shutil.ignore_patterns("datasets"))


def turn_a_bit(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)


def test_a_bit_that_turned_in_the_index_is_refused_by_name_before_anything_is_played(world):
    open_world(world).check_whole()
    (damaged,) = world.glob("index/tantivy/*.fieldnorm")  # readable all the same: results would be others
    turn_a_bit(damaged)
    for verb in ("rollout", "export", "rescore"):
        said = worldforge(verb, world, code=2).stderr
        assert f"{damaged} is not as it was built" in said and "hint: `worldforge build" in said
    assert not (world / "datasets").exists()


def test_a_question_that_was_changed_is_refused_by_name_before_answers_are_scored(world, tmp_path):
    answers = tmp_path / "answers.jsonl"
    damaged = world / "widesearch" / "widesearch.jsonl"
    asked = json.loads(damaged.read_text().splitlines()[0])
    answers.write_text(json.dumps({"instance_id": asked["instance_id"], "response": "none"}) + "\n")
    worldforge("score", answers, "--tasks", world)
    damaged.write_text(damaged.read_text().replace(" the ", " tho ", 1))  # as well formed as before
    said = worldforge("score", answers, "--tasks", world, code=2).stderr
    assert f"{damaged} is not as it was built" in said


def test_what_is_missing_and_a_manifest_that_was_changed_are_named(world):
    (world / "links.parquet").rename(world / "links")
    with pytest.raises(InputError, match=r"links\.parquet is missing"):
        open_world(world).check_whole()
    (world / "links").rename(world / "links.parquet")
    manifest = json.loads((world / "world.json").read_text())
    (world / "world.json").write_text(json.dumps(manifest | {"digest": "00" * 32}))
    with pytest.raises(InputError, match=r"world\.json is not as it was written"):
        open_world(world).check_whole()
