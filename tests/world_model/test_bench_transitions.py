"""Held-out transitions: their lines field by field, their choice, what controls and databases make of them."""

import json
import shutil

import pyarrow.parquet as pq
import pytest
from bench_calls import read_truths
from command import worldforge
from read_action import read_action

import worldforge as wf
from worldforge.core.errors import InputError
from worldforge.entry_points.bench_model import export_transitions
from worldforge.entry_points.play_run import rollout
from worldforge.environments.search.dialects import AGENT_WORLD
from worldforge.models.chat import Reply, ToolCall
from worldforge.models.scripted_model import ScriptedModel
from worldforge.rollouts.environments import settings_from
from worldforge.world_model.bench.exact import ExactScorer
from worldforge.world_model.bench.harvest import TransitionSample
from worldforge.world_model.bench.transitions import held_out, messages_of, read_rows
from worldforge.world_model.prompt import DISCLOSED, read_observation, write_observation

FIELDS = ["task", "id", "prompt", "response", "current_prompt", "system_str", "turn_idx", "total_turns"]


@pytest.fixture(scope="module")
def world(quickstart, tmp_path_factory):
    """The quickstart world with four short runs: by the oracle with and without controls, on tables, by a team."""
    folder = tmp_path_factory.mktemp("bench") / "world"
    shutil.copytree(quickstart, folder, ignore=shutil.ignore_patterns("trajectories", "datasets"))
    world = wf.open_world(folder)
    rollout(world, run="plain", limit=6, trials=2)
    rollout(world, run="harsh", limit=6, environment=settings_from("search", None, "harsh", None, 1))
    rollout(world, run="growing", limit=6, environment=settings_from("search", None, "curriculum", None, 1))
    rollout(world, run="tables", limit=6, environment=settings_from("database", None, "harsh", None, 1))
    return world


@pytest.fixture(scope="module")
def exported(world, tmp_path_factory):
    folder = tmp_path_factory.mktemp("transitions")
    return export_transitions(world, folder, wanted=TransitionSample(10_000, 0, 1.0))


def lines_of(folder, pattern="*_test.jsonl"):
    return [json.loads(line) for path in sorted(folder.glob(pattern)) for line in path.read_text().splitlines()]


def trajectories(world, run):
    paths = sorted((world.path / "trajectories" / run / "shards").glob("*.parquet"))
    return {row["id"]: row for path in paths for row in pq.read_table(path).to_pylist()}


def test_lines_are_the_benchmarks_field_by_field(world, exported):
    lines = lines_of(exported.folder)
    assert len(lines) == sum(exported.n.values()) == exported.n_found > 100 and set(exported.n) == {"mcp", "search"}
    for line in lines:
        assert list(line) == FIELDS
        assert line["task"] in ("search", "mcp") and type(line["id"]) is int and line["id"] > 0
        assert len(line["prompt"]) == len(line["response"]) == line["total_turns"] >= line["turn_idx"] >= 1
        for turn, (prompt, response) in enumerate(zip(line["prompt"], line["response"], strict=True), 1):
            assert prompt.startswith(f"### Turn {turn}\n**Action:**\n```json\n") and response.startswith(
                write_observation("")
            )
            number, call = read_action(prompt)
            assert number == turn and isinstance(json.loads(call.arguments), dict)
        assert line["current_prompt"] == line["prompt"][line["turn_idx"] - 1]
        assert [DISCLOSED in prompt for prompt in line["prompt"]].count(True) == 1 and DISCLOSED in line[
            "current_prompt"
        ]
        assert line["system_str"].startswith("# Role")
    assert len({line["id"] for line in lines}) == len(lines)


def test_lines_tell_what_sessions_saw_and_truths_what_they_could_see(world, exported):
    runs = {run: trajectories(world, run) for run in exported.runs}
    truths = {truth.id: truth for path in exported.folder.glob("*_truth.jsonl") for truth in read_truths(path)}
    rows = read_rows(exported.folder)
    assert truths.keys() == {row.id for row in rows}
    for row in rows:
        truth = truths[row.id]
        assert (truth.turn, truth.world_digest) == (row.turn_idx, world.digest)
        told = [
            message["content"] for message in runs[truth.run][truth.trajectory]["messages"] if message["role"] == "tool"
        ]
        others = [place for place in range(row.total_turns) if place != row.turn_idx - 1]
        assert [read_observation(row.response[place]) for place in others] == [
            read_observation(write_observation(told[place])) for place in others
        ]
        assert row.target == read_observation(write_observation(truth.scene.text))
        untouched = not set(truth.controls.names) & {"truncation", "malformed", "fields"}
        assert not untouched or truth.scene.text == told[row.turn_idx - 1]
        assert bool(truth.controls.instruction) == (truth.run != "plain") or truth.run == "growing"
    assert any(truth.brought is not None for truth in truths.values() if truth.run == "tables")
    assert any(truth.brought is not None for truth in truths.values() if truth.run == "harsh")


def test_a_chat_begins_with_the_one_before(world, exported):
    rows = sorted((row for row in read_rows(exported.folder) if row.task == "search"), key=lambda row: row.turn_idx)
    model = ScriptedModel(lambda request: "")
    for row in rows[-3:]:
        asked = messages_of(row, model, 10**9)
        assert [message.role for message in asked] == ["system", *["user", "assistant"] * (row.turn_idx - 1), "user"]
        assert asked[-1].content == row.current_prompt and asked[0].content == row.system_str
        short = messages_of(row, model, 2_000 + len(row.system_str.split()))
        assert len(short) < len(asked) and short[0] == asked[0] and "are left out" in short[1].content


def test_tasks_are_held_out_whole_by_the_seed_and_the_choice_is_the_same_each_time(world, tmp_path):
    some = export_transitions(world, runs=["plain"], out=tmp_path / "a", wanted=TransitionSample(20, 3, 0.5))
    truths = [json.loads(line) for path in some.folder.glob("*_truth.jsonl") for line in path.read_text().splitlines()]
    tasks = held_out([task.id for task in world.tasks], 3, 0.5)
    assert len(tasks) == 20 and {truth["task"] for truth in truths} <= tasks and len(truths) == 20 < some.n_found
    again = export_transitions(world, runs=["plain"], out=tmp_path / "b", wanted=TransitionSample(20, 3, 0.5))
    files = ["search_test.jsonl", "search_truth.jsonl", "transitions.json"]
    assert all((some.folder / name).read_bytes() == (again.folder / name).read_bytes() for name in files)
    other = export_transitions(world, runs=["plain"], out=tmp_path / "c", wanted=TransitionSample(20, 4, 0.5))
    assert lines_of(other.folder) != lines_of(some.folder)
    fewer = export_transitions(world, runs=["plain"], out=tmp_path / "d", wanted=TransitionSample(10, 3, 0.5))
    ids = [{line["id"] for line in lines_of(summary.folder)} for summary in (fewer, some)]
    assert ids[0] < ids[1]


def test_more_tasks_held_out_are_the_fewer_and_others(world):
    ids = [task.id for task in world.tasks]
    few, more, every = (held_out(ids, 0, share) for share in (0.1, 0.5, 1.0))
    assert few < more < every == set(ids) and len(few) == 4
    assert held_out(reversed(ids), 0, 0.1) == few


def test_blind_lines_tell_nothing_of_this_call(world, tmp_path):
    summary = export_transitions(world, tmp_path, runs=["plain"], wanted=TransitionSample(30, 0, 1.0, blind=True))
    for line in lines_of(summary.folder):
        assert DISCLOSED not in line["current_prompt"] and DISCLOSED not in line["system_str"]
        assert read_observation(line["response"][line["turn_idx"] - 1]) not in line["current_prompt"]


def test_a_session_that_a_model_worded_is_held_against_the_engine(world, tmp_path):
    def honest(request):
        return write_observation(request.messages[-1].content.partition(f"{DISCLOSED}\n")[2])

    settings = settings_from("search", None, None, "scripted:world", 1)
    rollout(world, run="worded", limit=2, environment=settings, models={"scripted:world": ScriptedModel(honest)})
    summary = export_transitions(world, tmp_path, runs=["worded"], wanted=TransitionSample(50, 0, 1.0))
    assert summary.n_diverged == 0 and summary.n["search"] > 2


def test_sessions_of_teams_and_such_that_come_out_otherwise_are_left_out(world, tmp_path):
    def team(request):
        if len(request.messages) == 2 and any("create_sub_agents" in str(tool) for tool in request.tools):
            orders = {"sub_agents": [{"index": 1, "prompt": "Find towns."}]}
            return Reply("", (ToolCall("a", "create_sub_agents", json.dumps(orders)),), finish="tool_calls")
        return "| Town |\n| --- |\n| none |"

    rollout(world, run="team", agent="team:scripted:team", models={"scripted:team": ScriptedModel(team)}, limit=2)
    with_team = export_transitions(world, tmp_path / "team", runs=["team", "plain"], wanted=TransitionSample(5, 0, 1.0))
    assert with_team.n_teams == 2 and with_team.n_diverged == 0
    with pytest.raises(InputError, match="hold no transition"):
        export_transitions(world, tmp_path / "none", runs=["team"], wanted=TransitionSample(5, 0, 1.0))


def test_another_dialect_is_read_and_scored(world, tmp_path):
    rollout(world, run="wide", limit=2, environment=settings_from("search", "widesearch", None, None, 1))
    summary = export_transitions(world, tmp_path, runs=["wide"], wanted=TransitionSample(50, 0, 1.0))
    scorer = ExactScorer(world)
    for truth in read_truths(summary.folder / "search_truth.jsonl"):
        assert truth.scene.dialect is not AGENT_WORLD
        scored = scorer.score(truth, truth.scene.text)
        assert scored.format == scored.factuality == scored.completeness == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--run", "nowhere"], "nowhere"),
        (["--n", 0], "--n"),
        (["--held-out", 0], "--held-out"),
        (["--held-out", 1.5], "--held-out"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(world, tmp_path, options, said):
    done = worldforge("bench", "transitions", world.path, "-o", tmp_path / "out", *options, code=2)
    assert said in done.stderr and not list(tmp_path.glob("out/*.jsonl"))


def test_lines_of_others_are_not_written_over(world, tmp_path):
    (tmp_path / "search_test.jsonl").write_text("{}\n")
    done = worldforge("bench", "transitions", world.path, "-o", tmp_path, code=2)
    assert "no export wrote" in done.stderr and (tmp_path / "search_test.jsonl").read_text() == "{}\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nonsense", ":1"),
        ("[]", ":1"),
        ('{"turn_idx": 0, "prompt": ["a"]}', "turn_idx"),
        ('{"id": 1, "turn_idx": 2, "prompt": ["a"], "gen": "x"}', "no prompt for turn 2"),
        ('{"id": 1, "prompt": ["a"], "response": ["b"]}', "no line has a prediction"),
        ("", "no transitions"),
    ],
)
def test_lines_that_are_none_are_named(tmp_path, line, said):
    path = tmp_path / "lines.jsonl"
    path.write_text(line + "\n")
    done = worldforge("bench", "judge", path, "--judge", "scripted:x.jsonl", code=2)
    assert said in done.stderr and str(path) in done.stderr
