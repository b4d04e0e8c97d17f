"""The bench through the command: tables, files, resuming, a judge, what cannot be."""

import json
import re
import shutil
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pyarrow.parquet as pq
import pytest
from bench_calls import read_truths
from command import worldforge
from model_notes import Notes, Slow

import worldforge as wf
from worldforge.core.errors import InputError
from worldforge.core.store import Store
from worldforge.entry_points.bench_model import bench_world_model, export_transitions, judge_lines
from worldforge.models.chat import Sampling
from worldforge.models.model import ModelUnavailableError
from worldforge.models.scripted_model import ScriptedModel
from worldforge.world_model.bench.exact import DIMENSIONS, ExactScorer, with_consistency
from worldforge.world_model.bench.harvest import TransitionSample
from worldforge.world_model.bench.judge import RUBRIC, judge, judge_messages, normalised
from worldforge.world_model.bench.predict import SampledModel, predict
from worldforge.world_model.bench.transitions import Row, read_rows
from worldforge.world_model.prompt import DISCLOSED, write_observation

ADDRESS = "scripted:world"
FEW = TransitionSample(12, 0, 0.2)
GRADES = {"flaws": "None.", "format": 5, "factuality": 4, "consistency": 3, "realism": 2, "quality": 1}


@pytest.fixture(scope="module")
def world(quickstart, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench") / "world"
    shutil.copytree(quickstart, folder, ignore=shutil.ignore_patterns("datasets"))
    return wf.open_world(folder)


def copying(request):
    return f"<think>Copy.</think>{write_observation(request.messages[-1].content.partition(DISCLOSED)[2].strip())}"


def lying(request):
    told = request.messages[-1].content.partition(f"{DISCLOSED}\n")[2]
    return write_observation(re.sub(r"\d{4}", lambda year: str(int(year[0]) + 1), told))


def benched(world, out, model, **options):
    wanted = options.pop("wanted", FEW)
    return bench_world_model(world, ADDRESS, out, wanted=wanted, models={ADDRESS: ScriptedModel(model)}, **options)


def test_the_engine_scores_all_there_is(world, tmp_path):
    options = ["--model", "engine", "--samples", 2, "--n", 30, "--held-out", 1, "-o", tmp_path]
    done = worldforge("bench", "world-model", world.path, *options)
    rows = [line.split() for line in done.stdout.splitlines()]
    assert rows[0][:3] == ["dimension", "mean", "n"]
    assert {row[0]: row[1] for row in rows[1:]} == {
        name: "-" if name == "controllability" else "1.000" for name in DIMENSIONS
    }
    assert "guard: clean 60" in done.stderr
    table = pq.read_table(tmp_path / "scores.parquet")
    assert table.num_rows == 60 and set(table["sample"].to_pylist()) == {0, 1}
    record = json.loads((tmp_path / "bench.json").read_text())
    assert record["model"] == "engine" and record["versions"]["scorer"] == "exact-1"
    assert record["scores"]["format"] == {"mean": 1.0, "n": 60} and record["world_digest"] == world.digest


def test_a_scripted_model_through_the_command(world, tmp_path):
    script = tmp_path / "world.jsonl"
    script.write_text('{"text": "**Environment Observation:**\\nError: 500 Internal Server Error."}\n')
    options = ["--model", f"scripted:{script}", "--n", 5, "--json"]
    done = worldforge("bench", "world-model", world.path, *options, "-o", tmp_path / "out")
    told = json.loads(done.stdout)
    assert told["scores"]["format"]["mean"] == 1 and told["scores"]["completeness"]["mean"] < 0.1
    lines = [json.loads(line) for line in (tmp_path / "out" / "predictions.jsonl").read_text().splitlines()]
    assert [line["gen"].endswith("Server Error.") for line in lines] == [True] * 5
    worldforge("bench", "world-model", world.path, *options)
    assert (world.path / "bench" / "world.jsonl" / "bench.json").exists()


def test_honest_and_lying_models_are_told_apart(world, tmp_path):
    honest, liar = benched(world, tmp_path / "a", copying), benched(world, tmp_path / "b", lying)
    assert all(mean.mean == 1 for mean in honest.scores.values() if mean.n)
    assert liar.scores["format"].mean > 0.8 and liar.scores["factuality"].mean < 1
    assert liar.scores["completeness"].mean > 0.98 and liar.scores["ranking"].mean in (1, None)


def test_what_is_predicted_is_not_asked_again(world, tmp_path):
    asked = []

    def now_and_then(request):
        asked.append(request.sampling.seed)
        if len(asked) % 3 == 0:
            raise ModelUnavailableError("gone")
        return copying(request)

    first = benched(world, tmp_path, now_and_then, n_samples=2, concurrency=3)
    assert len(asked) == 24 and first.n_failed == 8 and len(set(asked)) == 24
    scores = pq.read_table(tmp_path / "scores.parquet").to_pylist()
    assert sum(row["format"] is None and "gone" in row["error"] for row in scores) == 8
    second = benched(world, tmp_path, lambda request: asked.append(0) or copying(request), n_samples=2)
    assert len(asked) == 32 and second.n_failed == 0 and second.scores["format"].n == 24
    third = benched(world, tmp_path, lambda request: pytest.fail("all is there"), n_samples=2)
    assert third.scores == second.scores
    more = benched(world, tmp_path, lambda request: asked.append(0) or copying(request), n_samples=3)
    assert len(asked) == 32 + 12 and more.scores["format"].n == 36


def test_requests_under_way_are_bounded(world, tmp_path):
    import asyncio

    now, most = [0], [0]

    async def slow(request):
        now[0] += 1
        most[0] = max(most[0], now[0])
        await asyncio.sleep(0.001)
        now[0] -= 1
        return copying(request)

    benched(world, tmp_path, slow, concurrency=4)
    assert most[0] == 4


def test_a_bench_tells_what_its_models_do(world, tmp_path):
    notes = Notes()
    models = {ADDRESS: Slow(copying, 0.01), "scripted:judge": Slow(lambda request: json.dumps(GRADES), 0.01)}
    bench_world_model(world, ADDRESS, tmp_path, wanted=FEW, judge="scripted:judge", models=models, progress=notes)
    assert any("40% from the prefix cache" in text for text in notes.texts)
    assert notes.counts["requests", ""] == 24 and notes.counts["model_tokens", "prompt"] == 2_400


class Refusing(BaseHTTPRequestHandler):
    """A server that has a model, and refuses every request."""

    def do_GET(self):
        self._answer(200, {"data": [{"id": "m", "object": "model"}]})

    def do_POST(self):
        self._answer(400, {"error": {"message": "too long for me"}})

    def _answer(self, status, body):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *words):
        pass


def test_predictions_that_fail_are_rows_with_a_reason_and_an_exit_code(world, tmp_path):
    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"openai:m@http://127.0.0.1:{server.server_port}/v1?retries=0"
        options = ["--model", address, "--n", 2, "-o", tmp_path]
        done = worldforge("bench", "world-model", world.path, *options, env={"OPENAI_API_KEY": "x"}, code=4)
        server.shutdown()
    assert "2 of 2 predictions failed" in done.stderr
    rows = pq.read_table(tmp_path / "scores.parquet").to_pylist()
    assert all("too long for me" in row["error"] and row["factuality"] is None for row in rows)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--model", "nobody"], "profile"),
        (["--model", "scripted:nowhere.jsonl"], "nowhere.jsonl"),
        (["--model", "engine", "--samples", 0], "--samples"),
        (["--model", "engine", "--judge", "vllm:"], "no model"),
        (["--model", "engine", "--run", "../x"], "cannot name a run"),
        ([], "--model"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(world, tmp_path, options, said):
    done = worldforge("bench", "world-model", world.path, "-o", tmp_path, *options, code=2)
    assert said in done.stderr and not (tmp_path / "bench.json").exists()


def judging(request):
    return f"<think>{{}}</think>```json\n{json.dumps(GRADES)}\n```"


def test_a_judge_grades_in_five_dimensions_and_is_asked_once(world, tmp_path):
    asked = []
    models = {
        ADDRESS: ScriptedModel(copying),
        "scripted:judge": ScriptedModel(lambda request: asked.append(request) or judging(request)),
    }
    options = {"wanted": FEW, "judge": "scripted:judge", "models": models}
    summary = bench_world_model(world, ADDRESS, tmp_path, **options)
    assert summary.judged == {
        "format": 100,
        "factuality": 75,
        "consistency": 50,
        "realism": 25,
        "quality": 0,
        "total": 50,
    }
    assert len(asked) == 12 and all(request.structure.kind == "json_schema" for request in asked)
    assert bench_world_model(world, ADDRESS, tmp_path, **options).judged == summary.judged and len(asked) == 12
    lines = [json.loads(line) for line in (tmp_path / "judged.jsonl").read_text().splitlines()]
    assert all(line["failed"] == 0.0 and line["total_score"] == 3 and line["format"] == 5 for line in lines)


def test_anybodys_lines_are_judged(tmp_path):
    lines = [
        {"task": "terminal", "id": number, "prompt": ["### Turn 1\nls", "### Turn 2\npwd"], "response": ["a", "/home"],
         "current_prompt": "", "system_str": "", "turn_idx": 2, "total_turns": 2, "gen": gen}
        for number, gen in enumerate(["/home", "", "/root"])
    ]  # fmt: skip
    path = tmp_path / "predictions.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    script = tmp_path / "judge.jsonl"
    script.write_text(json.dumps({"text": json.dumps(GRADES)}) + "\n")
    done = worldforge("bench", "judge", path, "--judge", f"scripted:{script}", "--json")
    told = json.loads(done.stdout)
    assert (told["n"], told["n_unjudged"], told["judged"]["total"]) == (3, 1, 50)
    judged = [json.loads(line) for line in (tmp_path / "judged.jsonl").read_text().splitlines()]
    assert [line["failed"] for line in judged] == [0.0, 1.0, 0.0] and "no observation" in judged[1]["error_message"]
    assert all(line.items() <= made.items() for line, made in zip(lines, judged, strict=True))


def test_a_judge_that_cannot_be_read_is_asked_thrice_and_leaves_a_reason(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps({"id": 7, "prompt": ["a"], "response": ["b"], "gen": "b"}) + "\n")
    seeds = []
    bad = iter(["", "fine!", json.dumps(GRADES | {"format": 6})])
    models = {"scripted:j": ScriptedModel(lambda request: seeds.append(request.sampling.seed) or next(bad))}
    summary = judge_lines(path, "scripted:j", models=models)
    assert summary.n_unjudged == 1 and summary.judged == {} and len(set(seeds)) == 3
    good = judge_lines(path, "scripted:j", models={"scripted:j": ScriptedModel(judging)})
    assert good.n_unjudged == 0
    with pytest.raises(InputError, match="cannot be read"):
        judge_lines(tmp_path / "nowhere.jsonl", "scripted:j")


def test_a_judge_reads_the_session_the_truth_and_the_prediction_and_no_more_than_fits():
    row = Row(
        id=1,
        prompt=tuple(f"### Turn {turn}\naction{turn}" for turn in range(1, 6)),
        response=tuple(write_observation(f"answer{turn}") for turn in range(1, 6)),
        turn_idx=5,
    )
    model = ScriptedModel(lambda request: "")
    whole = judge_messages(row, "predicted ========", model, 100_000)[1].content
    assert all(word in whole for word in ["action1", "answer4", "action5", "answer5", "predicted", "=========\n"])
    fits = sum(model.count_tokens(message.content) for message in judge_messages(row, "predicted", model, 100_000))
    short = judge_messages(row, "predicted", model, fits - 12)[1].content
    assert "action1" not in short and "answer4" in short and "turns are left out" in short
    assert [normalised(grade) for grade in (1, 3, 5)] == [0, 50, 100] and len(RUBRIC) == 5


def test_predictions_are_read_back_as_lines(world, tmp_path):
    benched(world, tmp_path, copying, n_samples=2)
    rows = read_rows(tmp_path / "predictions.jsonl")
    assert len(rows) == 24 and {row.sample for row in rows} == {0, 1} and all(row.gen for row in rows)


@pytest.mark.xdist_group("vllm")
def test_a_real_engine_predicts_and_judges(world, tiny_engine, tmp_path):
    """Random weights say nothing true: each prediction has scores, near nothing of the truth is in it."""
    exported = export_transitions(world, tmp_path, wanted=TransitionSample(4, 0, 0.2, blind=True))
    rows = read_rows(exported.folder)
    asked = SampledModel(tiny_engine.model, "tiny", Sampling(max_tokens=200))

    async def run():
        with Store(tmp_path / "replies.sqlite") as store:
            predictions = await predict(rows, asked, store, n_samples=2)
            again = await predict(rows, asked, store, n_samples=2)
            pairs = [(row, prediction) for row, prediction in zip(rows, predictions[::2], strict=True)]
            return predictions, again, await judge(pairs, asked, store)

    predictions, again, judged = tiny_engine.run(run())
    assert again == predictions and not any(one.error for one in predictions)
    assert all(one.completion_tokens > 0 and one.prompt_tokens > 100 for one in predictions)
    truths = {truth.id: truth for truth in read_truths(exported.folder / "search_truth.jsonl")}
    scorer = ExactScorer(world)
    scores = with_consistency([scorer.score(truths[one.id], one.observation) for one in predictions])
    assert all(scored.completeness < 0.2 and scored.verdict != "clean" for scored in scores)
    assert all(one.grades or one.error for one in judged)
