"""An export from the outside: what is written, that `datasets` loads it, what is refused."""

import json
import shutil

import datasets
import pyarrow.parquet as pq
import pytest
from paper_world import linked
from ruamel.yaml import YAML

from worldforge.core.errors import InputError
from worldforge.core.files import file_digest
from worldforge.datasets.card import COLUMNS
from worldforge.export import export
from worldforge.rollout import rollout
from worldforge.rollouts.trajectory import TRAJECTORIES


def contents(folder):
    return {path.name: file_digest(path) for path in sorted(folder.iterdir())}


def load(folder, cache):
    return datasets.load_dataset("parquet", data_files=f"{folder}/train-*.parquet", split="train", cache_dir=cache)


@pytest.fixture(scope="module")
def exported(paper_files, tmp_path_factory):
    """A world and its dataset, to be read only."""
    world = linked(paper_files, tmp_path_factory.mktemp("exported") / "world")
    rollout(world)
    return world, export(world)


@pytest.fixture
def played(paper_world):
    rollout(paper_world)
    return paper_world


def test_datasets_loads_the_conversations_as_they_were(exported, tmp_path):
    world, summary = exported
    assert (summary.runs, summary.n_rows, summary.n_files) == (("oracle",), 70, 2)
    assert list(contents(summary.folder)) == [
        "README.md",
        "train-00000-of-00002.parquet",
        "train-00001-of-00002.parquet",
    ]
    loaded = load(summary.folder, tmp_path / "cache")
    assert loaded.column_names == TRAJECTORIES.names
    assert loaded["task"][:] == [task.id for task in world.tasks]
    first = loaded[0]
    roles = [message["role"] for message in first["messages"]]
    assert roles[:3] == ["system", "user", "assistant"] and "tool" in roles
    (call, *_) = first["messages"][2]["tool_calls"]
    assert call["function"]["name"] == "web_search" and json.loads(call["function"]["arguments"])
    assert all(message["content"] is not None for row in loaded for message in row["messages"])
    assert first["messages"][-1]["content"] == first["answer"] and first["item_f1"] == 1.0


def test_the_same_trajectories_are_the_same_bytes(played, tmp_path):
    first = contents(export(played).folder)
    rollout(played, run="oracle", resume="never", concurrency=1)
    assert contents(export(played, out=tmp_path / "elsewhere").folder) == first


def test_files_are_laid_out_as_the_hub_likes_them(exported):
    sizes = []
    for path in sorted(exported[1].folder.glob("*.parquet")):
        file = pq.ParquetFile(path)
        assert file.schema_arrow.equals(TRAJECTORIES)
        column = file.metadata.row_group(0).column(0)
        assert column.compression == "ZSTD" and column.has_offset_index and column.has_column_index
        sizes.append(file.metadata.num_rows)
    assert sizes == [50, 20]


def test_several_runs_come_in_the_order_of_their_names_or_as_asked(played):
    rollout(played, run="again", limit=10)
    summary = export(played)
    assert (summary.runs, summary.n_rows) == (("again", "oracle"), 80)
    assert export(played, runs=["oracle", "again"]).runs == ("oracle", "again")


def test_the_card_says_what_the_dataset_is(exported):
    world, summary = exported
    text = (summary.folder / "README.md").read_text()
    _, head, body = text.split("---\n", 2)
    card = YAML(typ="safe").load(head)
    assert (card["license"], card["language"], card["size_categories"]) == ("cc-by-4.0", ["en"], ["n<1K"])
    assert card["configs"][0]["data_files"] == [{"split": "train", "path": "train-*.parquet"}]
    assert "dataset_info" not in card
    assert world.digest in body and "| oracle | oracle@1 | 70 | 0 | 1.000 | 1.000 | 1.000 | 1.000 |" in body
    assert list(COLUMNS) == TRAJECTORIES.names
    assert all(f"| `{name}` |" in body for name in TRAJECTORIES.names)


def test_nothing_to_export_is_said(paper_world):
    with pytest.raises(InputError, match="there are no runs") as refused:
        export(paper_world)
    assert "worldforge rollout" in refused.value.hint
    assert not (paper_world.path / "datasets").exists()


def test_an_unfinished_run_is_left_out_but_not_when_it_is_asked_for(played):
    rollout(played, run="half", limit=3)
    (played.path / "trajectories" / "half" / "run.json").unlink()
    assert export(played).runs == ("oracle",)
    with pytest.raises(InputError, match="`half` is not finished"):
        export(played, runs=["oracle", "half"])


def test_a_run_on_the_world_as_it_was_is_refused(played):
    config = played.path / "trajectories" / "oracle" / "config.json"
    config.write_text(config.read_text().replace(played.digest, "e2" * 32))
    with pytest.raises(InputError, match="built anew"):
        export(played)


@pytest.mark.parametrize("damage", ["cut", "lost"])
def test_a_damaged_run_is_refused_and_mended_by_a_rollout(played, damage):
    shard = played.path / "trajectories" / "oracle" / "shards" / "00000.parquet"
    shard.write_bytes(shard.read_bytes()[:-1]) if damage == "cut" else shard.unlink()
    with pytest.raises(InputError, match=r"00000.parquet is missing or damaged"):
        export(played)
    assert rollout(played).n_played == 70
    assert export(played).n_rows == 70


def test_a_folder_that_holds_something_else_is_not_touched(played, tmp_path):
    thesis = tmp_path / "home" / "thesis.tex"
    thesis.parent.mkdir()
    thesis.write_text("ten years of work")
    with pytest.raises(InputError, match="`thesis\\.tex`"):
        export(played, out=thesis.parent)
    with pytest.raises(InputError, match="is a file"):
        export(played, out=thesis)
    assert thesis.read_text() == "ten years of work"


def test_an_earlier_dataset_is_replaced_whole(played, exported, tmp_path):
    shutil.copytree(exported[1].folder, tmp_path / "earlier")
    (tmp_path / "earlier" / "train-00007-of-00009.parquet").write_bytes(b"of an export with more files")
    assert contents(export(played, out=tmp_path / "earlier").folder) == contents(exported[1].folder)
