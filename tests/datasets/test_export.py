"""An export from the outside: what is written, that `datasets` loads it, what is refused."""

import json
import shutil
from collections import Counter

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from paper_world import linked
from pydantic import ValidationError
from talks import sharing

from worldforge.builders.tasks.widesearch_files import widesearch
from worldforge.cli.main import run
from worldforge.core.errors import InputError, PartialError, WorldForgeError
from worldforge.core.files import file_digest, files_below
from worldforge.datasets.manifest import read_manifest, verify
from worldforge.datasets.selection.selection_settings import Bounds, Selection
from worldforge.datasets.view import load_views
from worldforge.entry_points import export_dataset as export_module
from worldforge.entry_points.export_dataset import export
from worldforge.entry_points.play_run import rollout
from worldforge.models.scripted_model import ScriptedModel
from worldforge.rollouts.rank_shards import RankShard
from worldforge.rollouts.run_monitor import Budget
from worldforge.schema.spec import Export

MODELS = {"scripted:mute": ScriptedModel(lambda request: "I cannot say.")}
VIEWS = load_views(["all"])
PARQUET = [view for view in VIEWS if view.tables is not None]
IMITATED = [view.name for view in VIEWS if view.imitated]
ORACLES = Selection(clairvoyant=True)  # what they did is for views that are imitated too


def contents(folder):
    return {path.relative_to(folder).as_posix(): file_digest(path) for path in files_below(folder)}


def load(folder, name, cache):
    return datasets.load_dataset(str(folder), name, split="train", cache_dir=str(cache))


def completed(world):
    """The world on paper, with those of its files that only some views read."""
    with widesearch(world.path / "widesearch") as write:
        for task in world.tasks:
            write(task)
    (world.path / "entities").unlink()  # a link to what tests share
    (world.path / "entities").mkdir()
    clubs = {"id": [f"club/{n:04d}" for n in range(12)], "name": [f"Club {n}" for n in range(12)]}
    rest = {"aliases": [["The Club"]] * 12, "founded": range(1901, 1913)}
    pq.write_table(pa.table(clubs | rest), world.path / "entities" / "club.parquet")
    return world


@pytest.fixture(scope="module")
def world(paper_files, tmp_path_factory):
    """A world with a run of the oracle and one in which it has few calls, twice each task; not to be changed."""
    world = linked(paper_files, tmp_path_factory.mktemp("exported") / "world")
    rollout(world)
    rollout(world, run="hurried", trials=2, limit=12, max_steps=4)
    return completed(world)


@pytest.fixture(scope="module")
def exported(world):
    """All views of it, proved by `datasets`; to be read only."""
    return export(world, views=["all"], selection=ORACLES)


@pytest.fixture(autouse=True)
def unproved(monkeypatch, exported):
    """Exports of these tests, but for that one, are not read back: it takes seconds."""
    monkeypatch.setattr(export_module, "check_loads", lambda *_: None)


@pytest.fixture
def played(paper_world, world):
    """A world with the oracle's run."""
    shutil.copytree(world.path / "trajectories" / "oracle", paper_world.path / "trajectories" / "oracle")
    return completed(paper_world)


def test_the_benchmarks_questions_load_from_their_folder_and_from_a_dataset_of_them_alone(world, exported, tmp_path):
    alone = export(world, views=["widesearch", "rl_nemo_gym"], out=tmp_path / "alone").folder
    for folder in (exported.folder / "widesearch", alone / "widesearch", alone):
        questions = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))["full"]
        assert questions.column_names == ["instance_id", "query", "evaluation", "language"]
        assert questions["query"][:] == [task.wording for task in world.tasks]
    gold = exported.folder / "widesearch" / "widesearch_gold"
    assert all((gold / f"{name}.csv").is_file() for name in questions["instance_id"])


def test_a_dataset_is_a_card_a_manifest_the_spec_and_a_folder_a_view(exported):
    top = {path.name for path in exported.folder.iterdir()}
    assert top == {"README.md", "manifest.json", "spec", "plots", *exported.views}
    assert {*exported.views, *exported.empty_views} == {view.name for view in VIEWS}
    assert (exported.runs, exported.n_rows) == (("hurried", "oracle"), 94)
    assert exported.n_files == len(contents(exported.folder))
    assert list(exported.views["trajectories"].files) == [
        f"trajectories/train-0000{i}-of-00002.parquet" for i in (0, 1)
    ]


@pytest.mark.parametrize("view", PARQUET, ids=lambda view: view.name)
def test_datasets_loads_every_table_by_name(exported, view, tmp_path):
    record = exported.views[view.name]
    rows = load(exported.folder, view.name, tmp_path)
    assert rows.num_rows == record.n_rows > 0 and rows.column_names == view.schema.names
    assert exported.canary in json.dumps(rows[record.n_rows - 1], default=str)


@pytest.mark.parametrize("view", PARQUET, ids=lambda view: view.name)
def test_files_are_laid_out_as_the_hub_likes_them(exported, view):
    sizes = []
    for name in exported.views[view.name].files:
        file = pq.ParquetFile(exported.folder / name)
        assert file.schema_arrow.equals(view.schema)
        column = file.metadata.row_group(0).column(0)
        assert column.compression == "ZSTD" and column.has_offset_index and column.has_column_index
        sizes.append(file.metadata.num_rows)
    assert all(size == 50 for size in sizes[:-1]) and 0 < sizes[-1] <= 50


def test_conversations_are_as_they_were(exported, world, tmp_path):
    loaded = load(exported.folder, "trajectories", tmp_path).filter(lambda row: row["run"] == "oracle")
    assert loaded["task"][:] == [task.id for task in world.tasks]
    first = loaded[0]
    roles = [message["role"] for message in first["messages"]]
    assert roles[:3] == ["system", "user", "assistant"] and "tool" in roles
    (call, *_) = first["messages"][2]["tool_calls"]
    assert call["function"]["name"] == "web_search" and json.loads(call["function"]["arguments"])
    assert all(message["content"] is not None for row in loaded for message in row["messages"])
    assert first["messages"][-1]["content"] == first["answer"] and first["item_f1"] == 1.0


def test_rows_written_anew_into_a_folder_are_read_anew(world, tmp_path):
    """As many rows of the same columns, under the same name and with the same cache."""
    arguments = ["export", str(world.path), "--run", "oracle", "--view", "trajectories", "--view", "tasks"]
    drawn = []
    for seed in ("1", "2", "1"):
        draw = ["--order", "shuffled", "--seed", seed, "--limit", "5"]
        assert run([*arguments, *draw, "-o", str(tmp_path / "out"), "--json"]) == 0
        (shard,) = (tmp_path / "out" / "trajectories").iterdir()
        drawn.append(pq.read_table(shard)["task"].to_pylist())
        assert load(tmp_path / "out", "trajectories", tmp_path / "cache")["task"][:] == drawn[-1]
    assert drawn[0] == drawn[2] != drawn[1]


def test_the_same_trajectories_are_the_same_bytes(played, tmp_path):
    first = contents(export(played, views=["all"], selection=ORACLES).folder)
    rollout(played, run="oracle", resume="never", concurrency=1)
    again = export(played, views=["all"], selection=ORACLES, out=tmp_path / "elsewhere")
    assert contents(again.folder) == first


def test_the_specs_views_are_written_unless_others_are_named(played):
    assert list(export(played).views) == ["trajectories"]
    assert list(export(played, views=["tasks", "sft"], selection=ORACLES).views) == ["sft", "tasks"]
    assert Export(views=["all", *(view.name for view in VIEWS), "my_views:compact"])
    with pytest.raises(ValidationError, match="sft"):
        Export(views=["sftt"])


def test_a_view_that_does_not_exist_is_the_users_mistake(played):
    with pytest.raises(InputError, match="unknown view `sft_string`") as refused:
        export(played, views=["sft_string"])
    assert refused.value.hint == "did you mean `sft_str`?"
    with pytest.raises(InputError, match="no view"):
        load_views([])


def test_views_without_rows_have_no_folder_and_are_named(played):
    summary = export(played, views=["trajectories", "dpo"])
    assert summary.empty_views == ("dpo",) and not (summary.folder / "dpo").exists()
    assert "`dpo`" in (summary.folder / "README.md").read_text()
    assert verify(summary.folder).empty_views == ["dpo"]


def test_several_runs_come_in_the_order_of_their_names_or_as_asked(played):
    rollout(played, run="again", limit=10, seed=1)
    summary = export(played)
    assert (summary.runs, summary.n_rows) == (("again", "oracle"), 80)
    assert export(played, selection=Selection(runs=["oracle", "again"])).runs == ("oracle", "again")


def test_episodes_that_another_run_repeats_are_exported_once(played, capsys):
    rollout(played, run="second", limit=10)  # the same agent, seed and tasks: the same episodes under another name
    assert run(["export", str(played.path), "--view", "trajectories", "--view", "sft", "--clairvoyant"]) == 0
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("duplicates")]
    assert line.split()[-2:] == ["10", "70"]
    manifest = read_manifest(played.path / "datasets")
    rows = pa.concat_tables(
        pq.read_table(played.path / "datasets" / file) for file in manifest.views["trajectories"].files
    )
    assert rows.num_rows == len(set(rows["episode"].to_pylist())) == 70
    assert set(rows["run"].to_pylist()) == {"oracle"} and manifest.views["sft"].n_rows == 70
    assert manifest.selection["report"]["n_found"] == 80


def test_rows_are_counted_as_readers_count_them_and_files_hold_no_more_than_asked(played, tmp_path, capsys):
    views = ["rl_nemo_gym", "widesearch", "tasks", "traces"]
    asked = [argument for view in views for argument in ("--view", view)]
    assert (
        run(["export", str(played.path), *asked, "--rows-per-file", "30", "-o", str(tmp_path / "out"), "--json"]) == 0
    )
    told = json.loads(capsys.readouterr().out)["views"]
    n_tasks = len(played.tasks)
    assert {name: told[name]["n_rows"] for name in views} == dict.fromkeys(views, n_tasks)
    lines = [(tmp_path / "out" / name).read_text().count("\n") for name in told["rl_nemo_gym"]["files"]]
    assert lines == [30, 30, 10] == [pq.read_metadata(tmp_path / "out" / f).num_rows for f in told["tasks"]["files"]]
    assert told["rl_nemo_gym"]["files"][0] == "rl_nemo_gym/train-00000-of-00003.jsonl"
    questions = (tmp_path / "out" / "widesearch" / "widesearch.jsonl").read_text().splitlines()
    assert len(questions) == n_tasks
    card = (tmp_path / "out" / "README.md").read_text()
    for view in views:
        assert any(line.startswith(f"| `{view}` |") and f"| {n_tasks} rows |" in line for line in card.splitlines())


def test_a_card_without_tables_speaks_of_no_configurations(played, tmp_path):
    card = (export(played, views=["rl_nemo_gym", "traces"], out=tmp_path / "out").folder / "README.md").read_text()
    assert "config" not in card


def test_what_is_selected_is_written_and_on_record(world, tmp_path):
    selection = Selection(item_f1=Bounds(max=0.999), clairvoyant=True)
    summary = export(world, views=["trajectories", "sft"], selection=selection, out=tmp_path / "hard")
    rows = pq.read_table(summary.folder / summary.views["trajectories"].files[0])
    assert 0 < summary.n_rows == rows.num_rows < 24 and max(rows["item_f1"].to_pylist()) < 1
    manifest = read_manifest(summary.folder)
    assert manifest.selection["asked"] == {"item_f1": {"max": 0.999}, "clairvoyant": True}
    *_, step = manifest.selection["report"]["steps"]
    assert (step["n_removed"], step["n_left"]) == (94 - summary.n_rows, summary.n_rows)
    assert f"{summary.n_rows} of 94 trajectories were selected" in (summary.folder / "README.md").read_text()


def rows_of(summary, view, columns):
    tables = [pq.read_table(summary.folder / file, columns=columns) for file in summary.views[view].files]
    return pa.concat_tables(tables).to_pylist()


def counted(summary, view, column):
    """How many rows of a view have each value of a column."""
    return Counter(row[column] for row in rows_of(summary, view, [column]))


def outcomes(summary, view):
    """How many successes and how many failures the rows of a view are."""
    return counted(summary, view, "success")


def test_views_that_are_imitated_take_successes_unless_outcomes_are_named(world, tmp_path, capsys):
    views = ["trajectories", "sft", "sft_str", "sft_sharegpt", "dpo"]
    asked = [argument for view in views for argument in ("--view", view)]
    assert run(["export", str(world.path), *asked, "--clairvoyant", "-o", str(tmp_path / "out")]) == 0
    manifest = read_manifest(tmp_path / "out")
    summary = export(world, views=views, selection=ORACLES, out=tmp_path / "again")
    played = outcomes(summary, "trajectories")
    n_good = played[True]
    assert played[False] and outcomes(summary, "sft") == outcomes(summary, "sft_str") == {True: n_good}
    assert summary.imitated.views == ("sft", "sft_sharegpt", "sft_str") and summary.imitated.report.n_left == n_good
    assert manifest.selection["imitated"]["report"]["n_left"] == n_good
    told = f"{n_good} of 94 trajectories"
    assert told in capsys.readouterr().err and told in (tmp_path / "out" / "README.md").read_text()
    for selection, wanted in (
        (Selection(any_outcome=True), played),
        (Selection(success=False), {False: played[False]}),
        (Selection(item_f1=Bounds(min=0.0)), played),
        (Selection(where="row_f1 >= 0"), played),
        (Selection(where="n_steps >= 0"), {True: n_good}),
    ):
        selection = selection.model_copy(update={"clairvoyant": True})
        again = export(world, views=["sft"], selection=selection, out=tmp_path / "out")
        assert outcomes(again, "sft") == wanted and (again.imitated is None) == (len(wanted) == 2 or False in wanted)


def test_steps_of_a_selection_are_taken_among_successes_for_views_that_are_imitated(world, tmp_path):
    selection = Selection(per_task=1, order="shuffled", clairvoyant=True)
    for workers in (1, 2):
        both = export(world, views=["trajectories", "sft"], selection=selection, workers=workers, out=tmp_path / "out")
        assert outcomes(both, "sft") == {True: 70} and sum(outcomes(both, "trajectories").values()) == 70
        assert outcomes(both, "trajectories")[False]


def test_views_that_are_imitated_leave_out_agents_that_knew_what_they_were_not_shown(quickstart, tmp_path):
    world = sharing(quickstart, tmp_path / "world")
    rollout(world, agent="oracle", limit=4)
    with pytest.raises(InputError, match="`clairvoyant` removed 4") as refused:
        export(world, views=IMITATED)
    assert "--clairvoyant" in refused.value.hint and "--any-outcome" not in refused.value.hint
    alone = export(world, views=["trajectories", *IMITATED])
    assert alone.empty_views == tuple(IMITATED) and alone.views["trajectories"].n_rows == 4
    searched = rollout(world, agent="searcher", limit=4, max_steps=400).tally
    n_good = round(4 * searched.scores["success"])
    assert n_good
    for chosen, imitated, others in (
        (None, {"searcher": n_good}, {"oracle": 4, "searcher": 4}),
        (False, {"searcher": n_good}, {"searcher": 4}),
        (True, {"oracle": 4}, {"oracle": 4}),
    ):
        summary = export(world, views=["trajectories", *IMITATED], selection=Selection(clairvoyant=chosen))
        assert counted(summary, "trajectories", "run") == others
        assert all(counted(summary, view, "run") == imitated for view in IMITATED)
        for row in rows_of(summary, "trajectories", ["run", "clairvoyant"]):
            assert row["clairvoyant"] == (row["run"] == "oracle")


def test_where_nothing_succeeded_that_is_said(paper_world, tmp_path):
    world = paper_world
    rollout(world, agent="scripted:mute", models=MODELS, run="mute", limit=3)
    with pytest.raises(InputError, match="`success` removed 3") as refused:
        export(world, views=["sft"], selection=Selection(runs=["mute"]), out=tmp_path / "out")
    assert "--any-outcome" in refused.value.hint and not (tmp_path / "out").exists()
    assert export(
        world, views=["trajectories", "sft"], selection=Selection(runs=["mute"]), out=tmp_path / "out"
    ).empty_views == ("sft",)


def test_a_selection_that_leaves_nothing_is_said(played):
    with pytest.raises(InputError, match="none of 70 trajectories is left: `item_f1` removed 70"):
        export(played, selection=Selection(item_f1=Bounds(max=0.5)))
    assert not (played.path / "datasets").exists()


def test_nothing_to_export_is_said(paper_world):
    with pytest.raises(InputError, match="there are no runs") as refused:
        export(paper_world)
    assert "worldforge rollout" in refused.value.hint
    assert not (paper_world.path / "datasets").exists()


def test_views_of_the_world_need_no_run(paper_world):
    summary = export(paper_world, views=["pages", "rl_verl"])
    assert (summary.runs, summary.n_rows, summary.views["pages"].n_rows) == ((), 0, 12)
    assert not (summary.folder / "plots").exists()
    with pytest.raises(InputError, match="there is no run `oracle`"):
        export(paper_world, views=["pages"], selection=Selection(runs=["oracle"]))


def test_an_unfinished_run_is_left_out_and_named_but_not_when_it_is_asked_for(played, capsys):
    with pytest.raises(PartialError):
        rollout(played, run="half", budget=Budget(tokens=1), models=MODELS, agent="scripted:mute", concurrency=1)
    rollout(played, run="old", limit=3)
    (played.path / "trajectories" / "old" / "run.json").write_text('{"run": "old"}')
    rollout(played, run="lost", limit=3)
    (played.path / "trajectories" / "lost" / "config.json").unlink()
    rollout(played, run="shared", limit=3, part=RankShard(0, 2))
    before = contents(played.path / "trajectories")
    summary = export(played)
    assert summary.runs == ("oracle",)
    reasons = {run.run: run.reason for run in summary.left_out}
    assert list(reasons) == ["half", "lost", "old", "shared"]
    assert "1 of 70 episodes" in reasons["half"] and "config.json" in reasons["lost"]
    assert "run.json" in reasons["old"] and "not merged" in reasons["shared"]
    assert contents(played.path / "trajectories") == before
    assert run(["export", str(played.path), "--json"]) == 0
    told = capsys.readouterr()
    assert [one["run"] for one in json.loads(told.out)["left_out"]] == list(reasons)
    for command in (["export"], ["rescore"], ["bench", "transitions"]):
        assert run([*command, str(played.path)]) == 0
        said = capsys.readouterr().err
        assert all(f"`{name}`: {reason}" in said for name, reason in reasons.items())
        assert run([*command, str(played.path), "--run", "oracle"]) == 0
        assert "half" not in capsys.readouterr().err
    with pytest.raises(InputError, match="`half` is not finished"):
        export(played, selection=Selection(runs=["oracle", "half"]))


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
    assert rollout(played).n_played == 8, "the episodes of one shard"
    assert export(played).n_rows == 70


def test_what_no_export_has_written_is_not_touched(played, tmp_path):
    home = tmp_path / "home"
    (home / "notes").mkdir(parents=True)
    thesis = home / "thesis.tex"
    thesis.write_text("ten years of work")
    with pytest.raises(InputError, match="`thesis\\.tex`"):
        export(played, out=home)
    with pytest.raises(InputError, match="is no folder"):
        export(played, out=thesis)
    (home / "README.md").write_text("# Mine")
    (home / "manifest.json").write_text('{"start_url": "/"}')
    with pytest.raises(InputError, match=r"manifest\.json cannot be read"):
        export(played, out=home)
    assert thesis.read_text() == "ten years of work" and (home / "README.md").read_text() == "# Mine"


@pytest.mark.parametrize("name", ["notes.md", "sft/train-00000-of-00001.parquet", "README.md"])
def test_what_was_added_to_a_dataset_or_edited_in_its_card_is_not_lost(played, name):
    folder = export(played).folder
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("by hand")
    with pytest.raises(InputError, match=name):
        export(played)
    assert (folder / name).read_text() == "by hand"


def test_an_earlier_dataset_is_replaced_whole(played, exported, tmp_path):
    shutil.copytree(exported.folder, tmp_path / "earlier")
    summary = export(played, out=tmp_path / "earlier")
    assert set(contents(summary.folder)) == {*verify(summary.folder).files, "manifest.json"}
    assert not (summary.folder / "sft").exists()


def test_a_link_to_a_folder_stays_one(played, tmp_path, monkeypatch):
    (tmp_path / "large_disk").mkdir()
    (played.path / "datasets").symlink_to(tmp_path / "large_disk")
    assert export(played).folder == tmp_path / "large_disk" and (played.path / "datasets").is_symlink()
    monkeypatch.chdir(tmp_path / "large_disk")
    assert export(played, out=".").folder == tmp_path / "large_disk"


def test_a_dataset_that_cannot_be_read_does_not_replace_one_that_can(played, monkeypatch):
    before = contents(export(played).folder)

    def fails(*_):
        raise WorldForgeError("`datasets` cannot read it")

    monkeypatch.setattr(export_module, "check_loads", fails)
    with pytest.raises(WorldForgeError, match="cannot read"):
        export(played, views=["sft"], selection=ORACLES)
    assert contents(played.path / "datasets") == before
    assert [path.name for path in played.path.glob(".datasets*")] == []


def test_the_command_says_what_it_wrote(played, tmp_path, capsys):
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text("row_f1: 2.0\n")
    asked = ["--view", "sft", "--view", "steps", "--clairvoyant"]
    arguments = ["export", str(played.path), *asked, "--recipe", str(recipe)]
    assert run([*arguments, "-o", str(tmp_path / "out"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert list(told["views"]) == ["sft", "steps"] and told["n_rows"] == told["views"]["sft"]["n_rows"] == 70
    rewards = pq.read_table(tmp_path / "out" / told["views"]["sft"]["files"][0])["reward"].to_pylist()
    assert set(rewards) == {2.0} and read_manifest(tmp_path / "out").recipe == {"row_f1": {"weight": 2.0}}
    assert run([*arguments, "-o", str(tmp_path / "out")]) == 0
    shown = capsys.readouterr().err
    assert "sft" in shown and "load_dataset" in shown
    assert run(["export", str(played.path), "--view", "sfft"]) == 2
    assert "did you mean `sft`?" in capsys.readouterr().err
