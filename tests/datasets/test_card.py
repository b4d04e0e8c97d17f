"""The card: what the Hub reads in its head, what people read below, and what of others' words may do harm."""

import re
from xml.etree import ElementTree

import pyarrow as pa
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from paper_world import linked
from shards_by_hand import WORLD, trajectory, write_run
from talks import sharing

from worldforge.datasets.card.card import has_own_code, trial_scores
from worldforge.datasets.card.markdown import code, plain
from worldforge.datasets.card.plots import histogram, plots
from worldforge.datasets.card.yaml_header import default_config, description, update_head
from worldforge.datasets.manifest import read_manifest
from worldforge.datasets.selection.select_rows import select
from worldforge.datasets.selection.selection_report import Histograms
from worldforge.datasets.selection.selection_settings import Selection
from worldforge.datasets.view import load_views
from worldforge.entry_points import export_dataset as export_module
from worldforge.entry_points.export_dataset import export
from worldforge.entry_points.play_run import rollout
from worldforge.schema.resolved_spec import write_resolved
from worldforge.schema.spec_loader import load_spec
from worldforge.world.world import open_world

ALL = Selection(any_outcome=True)
HARMFUL = '"><script>alert(1)</script>\n---\nlicense: mit\n# Not a title\n[click](http://evil.example) ![x](y) | `a`'


def written(world, **options):
    """The head of a card, read, and its body."""
    text = (export(world, **options).folder / "README.md").read_text(encoding="utf-8")
    opening, head, body = text.split("---\n", 2)
    assert opening == ""
    return yaml.safe_load(head), body


@pytest.fixture(scope="module")
def world(quickstart, tmp_path_factory):
    """A world in which an agent that errs tried some tasks four times; not to be changed."""
    world = sharing(quickstart, tmp_path_factory.mktemp("carded") / "world")
    rollout(world, agent="noisy-searcher", run="noisy", trials=4, limit=8, max_steps=60)
    return world


@pytest.fixture(autouse=True)
def unproved(monkeypatch):
    """These datasets are not read back."""
    monkeypatch.setattr(export_module, "check_loads", lambda *_: None)


def test_the_head_says_what_the_hub_asks_for(world, tmp_path):
    views = ["trajectories", "sft", "traces", "dpo"]
    head, _ = written(world, views=views, selection=ALL, out=tmp_path / "out")
    assert (head["license"], head["language"], head["size_categories"]) == ("cc-by-4.0", ["en"], ["n<1K"])
    assert (
        head["pretty_name"] == "The Sarn Isles and their football: search trajectories" and "worldforge" in head["tags"]
    )
    configs = {config["config_name"]: config for config in head["configs"]}
    assert list(configs) == ["dpo", "sft", "trajectories"], "files that are no tables are no configurations"
    assert [name for name, config in configs.items() if config.get("default")] == ["sft"]
    assert configs["dpo"]["data_files"] == [{"split": "train", "path": "dpo/train-*.parquet"}]
    assert "dataset_info" not in head, "features there would keep old readers from every configuration"


def test_a_configuration_is_described_by_its_rows_and_a_digest_of_its_files(world, tmp_path):
    def described(**options):
        head, _ = written(world, views=["trajectories", "tasks"], out=tmp_path / "out", **options)
        return {config["config_name"]: config["description"] for config in head["configs"]}

    few, others = (described(selection=Selection(order="shuffled", seed=seed, limit=9)) for seed in (1, 2))
    assert re.fullmatch(r"9 rows, sha256:[0-9a-f]{16} of their files", few["trajectories"])
    assert few["trajectories"] != others["trajectories"] and few["tasks"] == others["tasks"]
    assert described(selection=Selection(limit=1))["trajectories"].startswith("1 row, ")


DATA_FILES = "[{split: train, path: sft/train-*.parquet}]"
ON_LINES = "\n  - split: train\n    path: sft/train-*.parquet"


@pytest.mark.parametrize(
    "config",
    [
        f'- config_name: sft\n  description: "1 row"\n  default: true\n  data_files: {DATA_FILES}',
        f"- config_name: sft\n  default: true\n  data_files: {ON_LINES}\n  description: 1 row, of files",
        f"- config_name: 'sft'\n  description: >-\n    1 row,\n    folded\n  data_files: {ON_LINES}\n  default: true",
        f"  - config_name: sft\n    data_files: {DATA_FILES}\n    default: true",
    ],
    ids=["as written", "moved", "folded", "without"],
)
def test_a_description_is_made_anew_however_a_head_is_laid_out(world, tmp_path, config):
    manifest = read_manifest(export(world, views=["sft"], selection=ALL, out=tmp_path / "out").folder)
    indent = config[: config.index("-")]
    other = f"{indent}- config_name: sft_str\n{indent}  data_files: x\n{indent}  description: of another"
    card = f"---\nlicense: mit\nconfigs:\n{other}\n{config}\ntags: [a]\n---\n\n# A card\n"
    head = yaml.safe_load(card.split("---\n")[1])
    head["configs"][1]["description"] = description(manifest, "sft")
    head["size_categories"] = ["n<1K"]
    renewed = update_head(card, manifest, ["sft"])
    assert yaml.safe_load(renewed.split("---\n")[1]) == head and renewed.endswith("\n---\n\n# A card\n")
    assert update_head(renewed, manifest, ["sft"]) == renewed


def test_what_is_loaded_by_default():
    assert default_config(["pages", "trajectories", "sft"]) == "sft"
    assert default_config(["pages", "trajectories"]) == "trajectories"
    assert (default_config(["tasks", "pages"]), default_config([])) == ("tasks", "")


def test_the_body_tells_what_is_in_the_dataset_and_where_it_came_from(world, tmp_path):
    summary = export(world, views=["trajectories", "sft"], selection=ALL, out=tmp_path / "out")
    body = (summary.folder / "README.md").read_text(encoding="utf-8")
    assert world.digest in body and summary.canary in body and "worldforge build spec/spec.yaml" in body
    assert "| `sft` | TRL" in body and "| 32 rows |" in body
    assert "| noisy | `noisy-searcher@" in body
    assert "32 of 32 trajectories were selected" in body and '"item_f1": {"weight": 1.0}' in body
    for view in summary.views:
        assert f"Columns of {view}" in body
    for plot in re.findall(r"!\[\w+\]\((plots/\w+\.svg)\)", body):
        assert ElementTree.parse(summary.folder / plot).getroot().tag.endswith("svg")
    assert (summary.folder / "spec" / "spec.yaml").read_text() == (world.path / "spec.yaml").read_text()


def test_repeated_trials_show_their_mean_their_best_and_their_worst(world, tmp_path):
    _, body = written(world, out=tmp_path / "out")
    header, _, row = body[body.index("| run | N |") :].splitlines()[:3]
    told = dict(zip(header.split(" | "), row.split(" | "), strict=True))
    average, best, worst = (float(told[f"item F1 {kind}@N"]) for kind in ("avg", "max", "min"))
    assert told["N"] == "4" and worst < average < best <= 1


def test_trials_are_reduced_task_by_task():
    rows = {"task": ["a", "b", "a", "b"], "item_f1": [0.5, 1.0, 1.0, 0.0], "row_f1": [0.0, 0.0, 0.0, 1.0]}
    halves = pa.table(rows | {"success": [False, True, True, False]})
    trials = trial_scores(pa.concat_tables([halves.slice(0, 3), halves.slice(3)]))
    assert trials == {"item_f1": [0.625, 1.0, 0.25], "row_f1": [0.25, 0.5, 0.0], "success": [0.5, 1.0, 0.0]}


@pytest.mark.parametrize("view", [view for view in load_views(["all"]) if view.columns], ids=lambda view: view.name)
def test_every_column_of_every_view_is_explained(view):
    assert all(meaning for _, _, meaning in view.columns)


def test_words_of_a_worlds_author_do_nothing(paper_files, tmp_path):
    world = linked(paper_files, tmp_path / "paper")
    rollout(world, limit=2)
    spec = replace_texts(world.spec, title=HARMFUL, description=HARMFUL)
    (tmp_path / "world").mkdir()
    for path in world.path.iterdir():
        if path.name not in ("spec.yaml", "datasets"):
            (tmp_path / "world" / path.name).symlink_to(path)
    (tmp_path / "world" / "spec.yaml").write_text(write_resolved(spec), encoding="utf-8")
    head, body = written(open_world(tmp_path / "world"))
    assert head["license"] == "cc-by-4.0" and head["pretty_name"].startswith('"><script>')
    for mark in ("<script>", "\n---\n", "\n# Not", "[click](", "![x]", "\nlicense"):
        assert mark not in body.replace("| --- |", "")


def replace_texts(spec, **texts):
    return spec.model_copy(update=texts)


@given(st.text())
def test_plain_text_is_one_line_without_mark_up(text):
    shown = plain(text)
    assert shown.isprintable() and "\n" not in shown
    assert not re.search(r"(?<!\\)(?:\\\\)*[<>|`\[\]*_]", shown)
    assert not re.match(r"(?:[-+]|\d+[.)])(?:\s|$)", shown)
    assert "\n" not in code(text)


def test_own_code_and_models_words_are_said():
    spec = load_spec("quickstart")
    assert not has_own_code(spec)
    own = spec.types["club"].model_copy(
        update={"name": spec.types["club"].name.model_copy(update={"generator": "m:f"})}
    )
    assert has_own_code(spec.model_copy(update={"types": {**spec.types, "club": own}}))


def test_plots_show_how_the_rows_that_are_left_are_spread(tmp_path):
    values = zip([0.0, 0.31, 0.999, 1.0, 0.0], [None, 0.1, 1.0, 1.0, None], [3, 3, 4, 60, 3], strict=True)
    rows = [trajectory(0, n, item_f1=f1, coverage=seen, n_steps=steps) for n, (f1, seen, steps) in enumerate(values)]
    with select([write_run(tmp_path, rows)], Selection(), WORLD, scratch=tmp_path) as selected:
        found = selected.histograms
    assert found.n_rows == 5 and found.n_steps == {3: 3, 4: 1, 60: 1}
    assert found.shares["item_f1"] == [2, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1]
    assert found.shares["coverage"] == [2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2]
    assert list(plots(found)) == ["item_f1.svg", "coverage.svg", "steps.svg"]
    assert plots(Histograms()) == {}


def test_a_histogram_is_drawn_to_scale():
    drawn = ElementTree.fromstring(histogram("a < b", ["x", "y"], [2, 4]))
    heights = [float(bar.get("height")) for bar in drawn if bar.tag.endswith("rect")]
    assert heights[1] == 2 * heights[0] > 0
    assert [text.text for text in drawn if text.tag.endswith("text")] == ["a < b", "x", "2", "y", "4"]
