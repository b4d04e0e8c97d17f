"""`worldforge score`, as a user calls it: answers as WideSearch's runner writes them, tasks of a world or a folder."""

import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import worldforge
from model_notes import Notes, Slow
from scoring_examples import fenced

from worldforge.core.errors import InputError
from worldforge.core.files import file_digest, value_digest
from worldforge.entry_points.score_answers import score
from worldforge.models.model import ModelError
from worldforge.models.scripted_model import ScriptedModel
from worldforge.scoring.benchmark_files import METRICS, SCHEMA

GOLD = "Football club,Founded\nVelmar Rovers,1911\nTorvik City,1898\n"
EVALUATION = {
    "unique_columns": ["footballclub"],
    "required": ["footballclub", "founded"],
    "eval_pipeline": {
        "footballclub": {"preprocess": ["norm_str"], "metric": ["exact_match"]},
        "founded": {"preprocess": ["extract_number"], "metric": ["number_near"], "criterion": 0.0},
    },
}
RIGHT = fenced(["Football club", "Founded"], [["Velmar Rovers", "1911"], ["Torvik City", "1898"]])
HALF = fenced(["Football club", "Founded"], [["Velmar Rovers", "1911"], ["Torvik City", "1900"]])


def question(instance, evaluation=EVALUATION):
    return {"instance_id": instance, "query": "List every club.", "evaluation": evaluation, "language": "en"}


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def answered(instance, text, trial=0):
    return {
        "instance_id": instance,
        "response": text,
        "messages": [{"role": "user", "content": "…"}],
        "trial_idx": trial,
    }


@pytest.fixture
def tasks(tmp_path):
    """A folder in the benchmark's layout, with two questions."""
    folder = tmp_path / "benchmark"
    (folder / "widesearch_gold").mkdir(parents=True)
    lines(folder / "widesearch.jsonl", [question("ws_en_001"), question("ws_en_002", json.dumps(EVALUATION))])
    for instance in ("ws_en_001", "ws_en_002"):
        (folder / "widesearch_gold" / f"{instance}.csv").write_text(GOLD, encoding="utf-8")
    return folder


def gold_answer(task, n_rows=None):
    return fenced(task.labels, task.gold[:n_rows])


def test_the_runners_files_give_avg_max_and_min_over_trials(tmp_path, tasks):
    folder = tmp_path / "output"
    folder.mkdir()
    for instance in ("ws_en_001", "ws_en_002"):
        for trial, text in enumerate((RIGHT, HALF)):
            lines(folder / f"model_{instance}_{trial}_response.jsonl", [answered(instance, text, trial)])
    (folder / "model_ws_en_001_0_eval_result.json").write_text("{}")
    printed = worldforge("score", folder, "--tasks", tasks, "--json")
    summary = json.loads(printed.stdout)
    assert (summary["n_questions"], summary["n_trials"], summary["n_missing"]) == (2, 2, 0)
    assert summary["metrics"]["compat_item_f1"] == {"avg": 7 / 8, "max": 1, "min": 3 / 4}
    assert summary["metrics"]["strict_success"] == {"avg": 1 / 2, "max": 1, "min": 0}
    rows = pq.read_table(folder / "scores.parquet")
    assert rows.schema == SCHEMA
    assert rows["source"].to_pylist()[0] == "model_ws_en_001_0_response.jsonl:1"
    assert set(rows["compat_version"].to_pylist()) == {"widesearch-compatible-2"}
    assert set(rows["strict_version"].to_pylist()) == {summary["strict_version"]}
    worldforge("score", folder, "--tasks", tasks)  # its own output is no answer


def test_what_was_not_answered_counts_as_nothing_and_is_said(tmp_path, tasks):
    answers = lines(tmp_path / "answers.jsonl", [answered("ws_en_001", RIGHT), answered("ws_en_001", None, 1)])
    printed = worldforge("score", answers, "--tasks", tasks, "-o", tmp_path / "rows.jsonl")
    assert "3 of 4 were not answered and count as 0; never: ws_en_002" in printed.stderr
    assert "avg@2" in printed.stderr
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert [row["strict_item_f1"] for row in rows] == [1, 0, 0, 0]
    assert [row["answered"] for row in rows] == [True, False, False, False]
    assert rows[1]["compat_reason"] == "not answered"
    assert set(rows[0]) == set(SCHEMA.names)


def test_a_world_gives_the_tasks_by_any_of_their_names(tmp_path, world):
    first, second, third = world.tasks[:3]
    rows = [
        answered("ws_en_001", gold_answer(first)),
        {"task": second.id, "answer": gold_answer(second), "trial": 0},
        {"id": f"{third.id}#0", "answer": gold_answer(third)},
    ]
    summary = score(lines(tmp_path / "answers.jsonl", rows), world.path)
    assert summary.n_answers == 3
    scored = pq.read_table(summary.out).to_pylist()
    assert [row["task"] for row in scored] == [task.id for task in world.tasks]
    assert [row["strict_success"] and row["compat_success"] for row in scored] == [True] * 3 + [False] * (
        len(scored) - 3
    )


def test_a_worlds_folder_in_the_benchmarks_layout_scores_alike(tmp_path, world):
    rows = [
        answered(f"ws_en_{number:03d}", gold_answer(task, max(1, len(task.gold) - number % 3)))
        for number, task in enumerate(world.tasks, 1)
    ]
    answers = lines(tmp_path / "answers.jsonl", rows)
    by_world = score(answers, world.path, out=tmp_path / "world.parquet")
    by_folder = score(answers, world.path / "widesearch", out=tmp_path / "folder.parquet")
    assert by_world.metrics == by_folder.metrics
    assert 0 < by_world.metrics["compat_item_f1"].avg < 1


def test_a_worlds_aliases_stand_in_for_a_judge(tmp_path, world):
    aliased = tmp_path / "world"
    shutil.copytree(world.path, aliased, ignore=shutil.ignore_patterns("trajectories", "datasets", "index"))
    task = next(task for task in world.tasks if task.columns[0].path == "name" and len(task.gold) > 1)
    name = task.gold[0][0]
    path = aliased / "entities" / f"{task.about}.parquet"
    table = pq.read_table(path)
    names = [["The Old Ones"] if one == name else [] for one in table["name"].to_pylist()]
    place = table.schema.get_field_index("aliases")
    pq.write_table(table.set_column(place, table.schema.field(place), pa.array(names, table["aliases"].type)), path)
    manifest = json.loads((aliased / "world.json").read_text())
    manifest["files"][path.relative_to(aliased).as_posix()]["sha256"] = file_digest(path)
    manifest["digest"] = value_digest({name: one["sha256"] for name, one in manifest["files"].items()})
    (aliased / "world.json").write_text(json.dumps(manifest))
    text = fenced(task.labels, [("The Old Ones", *task.gold[0][1:]), *task.gold[1:]])
    answers = lines(tmp_path / "answers.jsonl", [{"task": task.id, "answer": text}])
    plain = score(answers, world.path).metrics
    known = score(answers, aliased).metrics
    assert score(answers, aliased / "widesearch").metrics == known
    assert score(answers, aliased, aliases=False).metrics == score(answers, world.path, aliases=False).metrics == plain
    copied = shutil.copytree(aliased / "widesearch", tmp_path / "elsewhere")
    by_id = lines(tmp_path / "by_id.jsonl", [answered(f"ws_en_{world.tasks.index(task) + 1:03d}", text)])
    assert score(by_id, copied).metrics == plain
    assert score(by_id, aliased / "widesearch").metrics == known
    assert "aliases of the world" in worldforge("score", by_id, "--tasks", aliased / "widesearch").stderr
    assert "no aliases" in worldforge("score", by_id, "--tasks", copied).stderr
    n = len(world.tasks)
    for success in ("strict_success", "compat_success"):
        assert (plain[success].avg, known[success].avg) == (0, 1 / n)


def test_a_model_judges_and_its_cache_answers_the_second_time(tmp_path, tasks):
    text = fenced(["Club", "Founded"], [["Velmar Rovers", "1911"], ["Torvik City", "1898"]])
    answers = lines(tmp_path / "answers.jsonl", [answered("ws_en_001", text), answered("ws_en_002", text)])
    models = {"scripted:judge": ScriptedModel(lambda request: '{"matches": [{"name": 0, "reference": 0}]}')}
    first = score(answers, tasks, judge="scripted:judge", models=models)
    assert first.metrics["compat_success"].avg == 1
    assert first.n_requests == 1  # both ask the same
    assert (tmp_path / "judge.sqlite").exists()
    assert pq.read_table(first.out)["judge"].to_pylist() == ["judge", "judge"]
    again = score(answers, tasks, judge="scripted:judge", models=models)
    assert (again.n_requests, again.metrics) == (0, first.metrics)


def test_what_a_judge_does_is_told_while_it_is_asked(tmp_path, tasks):
    text = fenced(["Club", "Founded"], [["Velmar Rovers", "1911"]])
    notes, answers = Notes(), lines(tmp_path / "answers.jsonl", [answered("ws_en_001", text)])
    models = {"scripted:judge": Slow(lambda request: '{"matches": [{"name": 0, "reference": 0}]}')}
    score(answers, tasks, judge="scripted:judge", models=models, progress=notes)
    assert notes.counts["model_tokens", "completion"] == 10
    assert any("40% from the prefix cache" in text for text in notes.texts)


def test_a_judge_that_fails_is_one_message(tmp_path, tasks):
    text = fenced(["Club", "Founded"], [["Velmar Rovers", "1911"]])
    answers = lines(tmp_path / "answers.jsonl", [answered("ws_en_001", text), answered("ws_en_002", HALF)])
    script = lines(tmp_path / "judge.jsonl", [{"text": "no idea"}])
    said = worldforge("score", answers, "--tasks", tasks, "--judge", f"scripted:{script}", code=1).stderr
    assert "no reply of 3 can be read" in said
    assert not (tmp_path / "answers.scores.parquet").exists()
    with pytest.raises(ModelError):
        score(answers, tasks, judge=f"scripted:{script}")


def test_a_revision_and_a_day_are_on_every_row(tmp_path, tasks):
    answers = lines(tmp_path / "answers.jsonl", [answered("ws_en_001", RIGHT)])
    worldforge("score", answers, "--tasks", tasks, "--revision", "pull-8", "--day", "2026-01-02")
    (first, _) = pq.read_table(tmp_path / "answers.scores.parquet").to_pylist()
    assert (first["compat_version"], first["compat_day"]) == ("widesearch-compatible-2+pull-8", "2026-01-02")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([answered("ws_en_003", RIGHT)], "answers.jsonl:1: no question is called `ws_en_003`"),
        (
            [answered("ws_en_001", RIGHT), answered("ws_en_001", HALF)],
            "answers.jsonl:2: trial 0 of `ws_en_001` stands in",
        ),
        ([answered("ws_en_001", RIGHT), {"instance_id": "ws_en_002"}], "answers.jsonl:2: "),
        ([{**answered("ws_en_001", RIGHT), "response": ["a"]}], "answers.jsonl:1: response"),
        ([answered("ws_en_001", RIGHT, -1)], "answers.jsonl:1: trial_idx"),
        ([], "holds no answers"),
    ],
)
def test_a_line_that_cannot_be_is_named(tmp_path, tasks, rows, said):
    with pytest.raises(InputError) as error:
        score(lines(tmp_path / "answers.jsonl", rows), tasks)
    assert said in str(error.value)


def test_what_is_no_json_is_named_with_its_line(tmp_path, tasks):
    answers = lines(tmp_path / "answers.jsonl", [answered("ws_en_001", RIGHT)])
    answers.write_text(answers.read_text() + "{not json\n", encoding="utf-8")
    assert "answers.jsonl:2: " in worldforge("score", answers, "--tasks", tasks, code=2).stderr


def test_files_that_cannot_be_used_are_named(tmp_path, tasks):
    answers = lines(tmp_path / "answers.jsonl", [answered("ws_en_001", RIGHT)])
    for arguments, said in (
        ([tmp_path / "none.jsonl", "--tasks", tasks], "none.jsonl is not there"),
        ([answers, "--tasks", tmp_path], "holds neither a world nor questions"),
        ([answers, "--tasks", tasks, "-o", tmp_path / "rows.csv"], "neither a `.parquet` nor a `.jsonl` file"),
        ([answers, "--tasks", tasks, "-o", answers], "holds the answers"),
        ([answers, "--tasks", tasks, "--judge", "nobody"], "no profile is called"),
    ):
        assert said in worldforge("score", *arguments, code=2).stderr


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"required": ["footballclub", "stadium"]}, "ws_en_001.csv has no column `stadium`"),
        ({"required": "footballclub"}, "widesearch.jsonl:1: `evaluation` needs `required`"),
        ({"unique_columns": ["town"]}, "widesearch.jsonl:1: "),
        ({"eval_pipeline": {"founded": {"metric": ["nearly"]}}}, "unknown metric `nearly`"),
        ({"eval_pipeline": None}, "widesearch.jsonl:1: `evaluation` is not the benchmark's"),
    ],
)
def test_a_question_that_cannot_be_scored_is_named(tmp_path, tasks, change, said):
    lines(tasks / "widesearch.jsonl", [question("ws_en_001", EVALUATION | change)])
    with pytest.raises(InputError) as error:
        score(lines(tmp_path / "answers.jsonl", [answered("ws_en_001", RIGHT)]), tasks)
    assert said in str(error.value)


def test_gold_may_have_more_columns_in_another_order(tmp_path, tasks):
    path = tasks / "widesearch_gold" / "ws_en_001.csv"
    path.write_text("\ufeffFounded,Notes, Football Club\n1911,a,Velmar Rovers\n1898,,Torvik City\n", encoding="utf-8")
    summary = score(lines(tmp_path / "answers.jsonl", [answered("ws_en_001", RIGHT)]), tasks)
    assert summary.metrics["compat_success"].avg == summary.metrics["strict_success"].avg == 1 / 2


def test_metrics_are_those_of_both_scorers():
    assert len(METRICS) == 15
