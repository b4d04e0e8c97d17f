"""Rollouts whose observations a model words: honest, lying, gone, and out of the store the second time."""

import itertools
import json
import re
import shutil

import pyarrow.parquet as pq
import pytest
from command import worldforge
from fault_server import completion, serving_faults
from model_notes import Notes, Slow
from tiny_model import LIGHT

import worldforge as wf
from worldforge.core.errors import InputError
from worldforge.core.store import Store, StoreError
from worldforge.entry_points.play_run import rollout
from worldforge.models.chat import Reply, ToolCall
from worldforge.models.model import ModelError, ModelUnavailableError
from worldforge.models.scripted_model import ScriptedModel
from worldforge.rollouts.environments import settings_from
from worldforge.world_model.prompt import DISCLOSED, write_observation

ADDRESS = "scripted:world"
LIMIT = 6


@pytest.fixture
def world(quickstart, tmp_path):
    """The quickstart world, without its runs."""
    folder = tmp_path / "world"
    shutil.copytree(quickstart, folder, ignore=shutil.ignore_patterns("trajectories", "datasets"))
    return wf.open_world(folder)


def disclosed(request):
    return request.messages[-1].content.partition(f"{DISCLOSED}\n")[2]


def honest(request):
    return f"<think>Copy it.</think>{write_observation(disclosed(request))}"


def lying(request):
    return write_observation(re.sub(r"\d", lambda digit: str((int(digit[0]) + 1) % 10), disclosed(request)))


def played(world, model, run, *, environment="search", **options):
    settings = settings_from(environment, None, options.pop("controls", None), ADDRESS, options.pop("drafts", 2))
    return rollout(world, environment=settings, models={ADDRESS: ScriptedModel(model)}, run=run, limit=LIMIT, **options)


def rows_of(summary):
    return [row for path in sorted(summary.folder.glob("shards/*.parquet")) for row in pq.read_table(path).to_pylist()]


def texts_of(summary):
    return [[message["content"] for message in row["messages"]] for row in rows_of(summary)]


@pytest.mark.parametrize("environment", ["search", "database"])
def test_an_honest_model_words_everything_and_is_asked_once_for_each_text(world, environment):
    first = played(world, honest, "first", environment=environment)
    tally = first.tally
    assert tally.scores["item_f1"] == 1 and tally.rates.fallback == tally.rates.refused_otherwise == 0
    assert tally.wording.n_rendered > 0 and set(tally.wording.verdicts) == {"clean"}

    def never(request):
        raise AssertionError("the store has it")

    second = played(world, never, "second", environment=environment)
    assert second.tally.rates.stored == 1 and second.tally.wording.n_drafts == 0
    assert texts_of(first) == texts_of(second)


def test_batching_is_seen_while_a_run_is_played_and_in_its_record(world):
    settings = settings_from("search", None, None, ADDRESS, 2)
    told = Notes()
    busy = Slow(honest, seconds=0.5)  # so that reports, a second apart, see it at work
    summary = rollout(
        world, environment=settings, models={ADDRESS: busy}, limit=LIMIT, concurrency=LIMIT, progress=told
    )
    models = json.loads((summary.folder / "run.json").read_text())["models"]
    n_drafts = summary.tally.wording.n_drafts
    assert models["n_requests"] == n_drafts > LIMIT
    assert (models["prompt_tokens"], models["completion_tokens"]) == (100 * n_drafts, 10 * n_drafts)
    assert models["prefix_cache_hits"] == 0.4 and models["completion_tokens_per_s"] > 0
    assert models["most_running"] == 2 and models["most_waiting"] >= LIMIT - 2
    assert any(re.search("[12] requests running, [1-9].* 40% from the prefix cache", note) for note in told.texts)
    assert any("tokens read" in note and "of about" in note for note in told.texts)
    assert told.counts["model_tokens", "cached"] == 40 * n_drafts and told.counts["under_way", "running"] == 0


def test_several_workers_tell_of_their_models_before_an_episode_ends(world):
    """Of two episodes each worker plays one, of one request: more than one is seen, ended or running, by a report."""
    notes = Notes()
    with serving_faults((200, {}, completion("| name |\n|---|\n| none |"), 2.5)) as (_, url):
        rollout(world, agent=f"openai:m@{url}", limit=2, workers=2, progress=notes)
    running = [(done, re.search(r"(\d) requests running", text)) for done, text in notes.notes]
    assert any(found and int(found[1]) and done + int(found[1]) > 1 for done, found in running)


def test_workers_share_the_limit_of_requests_under_way(world):
    with serving_faults((200, {}, completion("| name |\n|---|\n| none |"), 0.5)) as (server, url):
        rollout(world, agent=f"openai:m@{url}?concurrency=2", limit=8, concurrency=8, workers=2)
    assert server.most <= 2


def test_a_lying_model_is_refused_each_time_and_the_agent_is_told_the_truth(world):
    summary = played(world, lying, "lied-to")
    truth = rollout(world, run="truth", limit=LIMIT)
    assert texts_of(summary) == texts_of(truth) and summary.tally.scores["success"] == 1
    rates, wording = summary.tally.rates, summary.tally.wording
    assert rates.fallback == 1 and "clean" not in wording.verdicts
    drafted = wording.n_rendered - wording.n_stored
    assert wording.n_drafts == 2 * drafted and sum(wording.verdicts.values()) == wording.n_drafts
    seen = [observation for row in rows_of(summary) for observation in row["observations"]]
    assert {observation["source"] for observation in seen} == {"fallback"}


def test_a_model_that_dies_stops_the_run_and_the_same_run_goes_on_with_another(world):
    answered = []

    def dying(request):
        answered.append(request)
        if len(answered) > 12:
            raise ModelUnavailableError("nobody answers")
        return honest(request)

    with pytest.raises(ModelUnavailableError, match="nobody answers") as raised:
        played(world, dying, "gone")
    assert raised.value.exit_code == 4
    summary = played(world, honest, "gone")
    assert summary.tally.rates.fallback == summary.tally.rates.unavailable == 0 == summary.tally.n_failed
    assert summary.unavailable == {}


def test_a_model_whose_context_is_too_small_for_any_call_stops_the_run(world):
    def small(request):
        raise ModelError("the prompt has 5,000 tokens, the model's context 512")

    with pytest.raises(ModelUnavailableError, match="the model's context 512"):
        played(world, small, "small")
    assert played(world, honest, "small").tally.rates.unavailable == 0


def test_requests_that_are_not_answered_are_counted_apart_from_refusals_with_the_reason(world):
    asked = []

    def sometimes(request):
        asked.append(request)
        if len(asked) % 3 == 0:
            raise ModelError("HTTP 400: too long")
        return honest(request)

    summary = played(world, sometimes, "sometimes")
    counted = summary.tally.wording.verdicts["unavailable"]
    assert counted == len(asked) // 3 and summary.unavailable == {"HTTP 400: too long": counted}
    assert (
        summary.tally.rates.fallback
        == 0
        < summary.tally.rates.unavailable
        == counted / summary.tally.wording.n_rendered
    )


def test_controls_and_a_world_model_together_keep_every_task_solvable(world):
    summary = played(world, honest, "harsh", controls="harsh")
    assert summary.tally.scores["success"] == 1 and summary.tally.rates.fallback == 0
    assert {"snippets", "errors"} <= summary.tally.controls.keys()
    again = played(world, lambda request: pytest.fail("the store has it"), "harsh-again", controls="harsh")
    assert texts_of(again) == texts_of(summary)


def test_a_team_is_on_record(world):
    def team(request):
        main = any(tool["function"]["name"] == "create_sub_agents" for tool in request.tools)
        if main and len(request.messages) == 2:
            orders = {"sub_agents": [{"index": 1, "prompt": "Find towns."}, {"index": 2, "prompt": "Find clubs."}]}
            return Reply("Help me.", (ToolCall("a", "create_sub_agents", json.dumps(orders)),), finish="tool_calls")
        if not main and len(request.messages) == 2:
            return Reply("", (ToolCall("b", "web_search", '{"query": "town"}'),), finish="tool_calls")
        return "| Town |\n| --- |\n| none |" if main else "I found nothing."

    summary = rollout(world, agent="team:scripted:team", models={"scripted:team": ScriptedModel(team)}, limit=2)
    for row in rows_of(summary):
        assert [sub["ending"] for sub in row["sub_agents"]] == ["answered"] * 2
        assert [sub["messages"][1]["content"] for sub in row["sub_agents"]] == ["Find towns.", "Find clubs."]
        assert {sub["tool_call_id"] for sub in row["sub_agents"]} == {row["observations"][0]["tool_call_id"]}
        assert row["n_tool_calls"] == 3 and "I found nothing." in row["messages"][3]["content"]
    assert summary.tally.n_prompt_tokens > 0


def test_a_store_that_has_no_room_ends_the_run_and_fails_no_episode(world, monkeypatch):
    n_put, put_many = itertools.count(), Store.put_many

    def full(store, texts):
        if next(n_put) < 2:
            return put_many(store, texts)
        raise StoreError("observations.sqlite cannot be used: database or disk is full")

    with monkeypatch.context() as patch, pytest.raises(StoreError, match="full"):
        patch.setattr(Store, "put_many", full)
        played(world, honest, "full")
    assert played(world, honest, "full").tally.n_failed == 0


def test_controls_that_break_every_task_are_refused_by_name_and_nothing_is_begun(world):
    said = worldforge(
        "rollout", world.path, "--controls", "mild,errors.rate=1,errors.most_in_a_row=10", "--limit", 3, code=2
    )
    assert "the controls break all of 3 episodes: task/list-0000#0" in said.stderr and "--max-steps" in said.stderr
    assert not list(world.path.glob("trajectories/*/config.json"))


def test_a_task_that_controls_break_is_set_aside_and_the_others_are_played(world):
    most = sorted(task.measures.oracle_calls for task in world.tasks)[-3]
    command = ("rollout", world.path, "--controls", "mild", "--max-steps", most, "--run", "aside")
    said = worldforge(*command, code=4)
    run = world.path / "trajectories" / "aside"
    lines = [json.loads(line) for line in (run / "set_aside.jsonl").read_text().splitlines()]
    record = json.loads((run / "run.json").read_text())
    assert 0 < len(lines) == record["n_set_aside"] == len(world.tasks) - record["tally"]["n_episodes"] < 40
    assert f"{len(lines)} episode" in said.stderr and "set_aside.jsonl" in said.stderr
    assert record["tally"]["scores"]["item_f1"] == 1 and "set_aside.jsonl" in worldforge(*command, code=4).stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--agent", "nobody"], "oracle"),
        (["--agent", "noisy-searcher?lies=1"], "`lies=1`"),
        (["--agent", "noisy-searcher", "--environment", "database"], "--environment search"),
        (["--dialect", "klingon"], "agentworld, widesearch, plain"),
        (["--environment", "database", "--dialect", "plain"], "mcp"),
        (["--controls", "gentle"], "mild"),
        (["--controls", "mild,errors.rate=7"], "errors"),
        (["--world-model", "vllm:"], "no model"),
        (["--world-model", "scripted:nowhere.jsonl"], "nowhere.jsonl"),
        (["--agent", "openai:m@http://me:secret@127.0.0.1:1/v1"], "api_key_env"),
        (["--resume", "require"], "no run"),
        (["--agent", "vllm:nowhere", "--workers", 2], "one worker"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(world, options, said):
    done = worldforge("rollout", world.path, *options, code=2)
    assert said in done.stderr and "secret" not in done.stderr
    assert not list(world.path.glob("trajectories/*/shards/*"))


@pytest.mark.xdist_group("vllm")
def test_the_command_plays_and_words_with_vllm(world, tiny_model, tiny_engine, tiny_server):
    """Random weights call tools validly, and word nothing that the guard lets pass: in an engine, and on a server."""
    agent = f"vllm:{tiny_model}?max_tokens=200&max_model_len=8192&enforce_eager=true"
    words = f"openai:tiny@{tiny_server}?max_tokens=200"
    done = worldforge(
        "rollout", world.path, "--agent", agent, "--world-model", words, "--limit", 2, "--trials", 6,
        "--max-steps", 2, "--drafts", 2, "--json", env=LIGHT,
    )  # fmt: skip
    tally = json.loads(done.stdout)["tally"]
    assert (tally["n_episodes"], tally["n_failed"]) == (12, 0)  # in fewer, all may happen to answer at once
    assert tally["n_prompt_tokens"] > 0 and tally["n_completion_tokens"] > 0
    (folder,) = (world.path / "trajectories").iterdir()
    record = json.loads((folder / "run.json").read_text())
    assert record["config"]["world_model"].startswith("tiny") and record["asked"] == {
        "agent": agent,
        "world_model": words,
        "concurrency": 64,
    }
    rows = [row for path in folder.glob("shards/*.parquet") for row in pq.read_table(path).to_pylist()]
    seen = [observation for row in rows for observation in row["observations"]]
    calls = [call["function"] for row in rows for said in row["messages"] for call in said["tool_calls"] or []]
    assert calls and all(isinstance(json.loads(call["arguments"]), dict) for call in calls)
    assert not any(observation["error"] == "unknown_tool" for observation in seen)
    assert all(observation["source"] != "model" for observation in seen)
    assert not tiny_engine.model._engine.errored, "were the server's engine dead, nothing would be worded either"


@pytest.fixture
def checkpoints(tmp_path):
    """Two scripts of one name, each in a folder of its own, as the checkpoints of a training are."""
    paths = [tmp_path / step / "model.jsonl" for step in ("step-1", "step-2")]
    for path in paths:
        path.parent.mkdir()
        path.write_text(json.dumps({"text": f"| name |\n|---|\n| {path.parent.name} |"}), encoding="utf-8")
    return [f"scripted:{path}" for path in paths]


def test_a_resume_with_other_weights_is_refused_and_names_them(world, tmp_path):
    """The address stays the same; what lies there has changed."""
    path = tmp_path / "model.jsonl"
    path.write_text('{"text": "one"}', encoding="utf-8")
    first = rollout(world, agent=f"scripted:{path}", run="one", limit=2)
    path.write_text('{"text": "two"}', encoding="utf-8")
    with pytest.raises(InputError, match="agent_weights"):
        rollout(world, agent=f"scripted:{path}", run="one", limit=2)
    path.write_text('{"text": "one"}', encoding="utf-8")
    assert rollout(world, agent=f"scripted:{path}", run="one", limit=2).config == first.config


def test_episodes_of_checkpoints_of_one_name_have_identities_of_their_own(world, checkpoints):
    runs = [rollout(world, agent=address, run=f"run-{at}", limit=2) for at, address in enumerate(checkpoints)]
    first, second = ({row["episode"] for row in rows_of(run)} for run in runs)
    assert len(first) == len(second) == 2 and not first & second


def test_the_weights_of_a_world_model_are_part_of_a_run(world):
    settings = settings_from("search", None, None, ADDRESS, 2)

    def identity(weights):
        model = ScriptedModel(honest, identity=weights)
        return rollout(world, environment=settings, models={ADDRESS: model}, run=weights, limit=1).config.identity

    assert len({identity("step-1"), identity("step-2")}) == 2
