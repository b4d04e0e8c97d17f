"""Next observations: sessions as a world model is told them, until one turn."""

import json
from collections import Counter

import pytest
from paper_world import linked
from read_action import read_action
from talks import ask, bring, context_of, converted, observed, read_back, say, shards_of, sharing, table_of, talk

from worldforge.datasets.views.world_model import VIEW as WORLD_MODEL
from worldforge.entry_points.play_run import rollout
from worldforge.environments.controls.control_plan import CONTROLS
from worldforge.rollouts.environments import settings_from
from worldforge.world_model.bench.transitions import SEED, held_out
from worldforge.world_model.prompt import read_observation


@pytest.fixture(scope="module")
def context(paper_files, tmp_path_factory):
    return context_of(linked(paper_files, tmp_path_factory.mktemp("views") / "world"))


def three_calls(seed=0, observations=None, **columns):
    return talk(
        ask(("a", "web_search", {"query": "维尔马"}), ("b", "web_extractor", {"url": "u"})),
        bring("a", "[1] https://wiki.example/a"),
        bring("b", "Title: A", "web_extractor"),
        ask(("c", "web_extractor", "{broken")),
        bring("c", "Error: malformed request", "web_extractor"),
        say("assistant", "| A |"),
        observations=observations,
        seed=seed,
        **columns,
    )


def test_real_sessions(quickstart, tmp_path):
    world = sharing(quickstart, tmp_path / "quickstart")
    environment = settings_from("search", None, "harsh", None, 3)
    table = shards_of(
        rollout(world, agent="noisy-searcher", environment=environment, trials=2, limit=8, max_steps=40).folder
    )
    sources = {row["id"]: row for row in table.to_pylist()}
    rows = read_back(converted(WORLD_MODEL, [table], context_of(world)), tmp_path)
    kept_back = held_out([task.id for task in world.tasks], SEED)
    taken = [row for row in sources.values() if row["task"] not in kept_back]
    assert 0 < len(taken) < table.num_rows
    assert {row["id"] for row in rows} == {row["id"] for row in taken} and len(rows) == len(taken)
    for row in rows:
        source = sources[row["id"]]
        calls = [call["function"] for message in source["messages"] for call in message["tool_calls"] or ()]
        texts = [message["content"] for message in source["messages"] if message["role"] == "tool"]
        system, *turns = row["messages"]
        assert system["role"] == "system" and "web_extractor" in system["content"]
        assert "Disclosed" not in system["content"]
        assert [turn["role"] for turn in turns] == ["user", "assistant"] * row["turn"]
        assert [turn["loss"] for turn in turns[1::2]] == [False] * (row["turn"] - 1) + [True]
        for number, (action, brought) in enumerate(zip(turns[::2], turns[1::2], strict=True)):
            turn, call = read_action(action["content"])
            assert (turn, call.name) == (number + 1, calls[number]["name"])
            assert brought["content"].endswith(texts[number])
        assert row["n_turns"] == len(calls) and row["tool"] == calls[row["turn"] - 1]["name"]
        controls = [set(one["controls"]) - {"latency"} for one in source["observations"][: row["turn"]]]
        told = ["**Instruction:**" in action["content"] for action in turns[::2]]
        assert told == [bool(names) for names in controls]
        assert ("# Instruction" in system["content"]) == any(told)
    assert len({row["turn"] for row in rows}) > 4


def test_the_turn_is_drawn_by_the_trajectorys_seed_and_evenly(context):
    table = table_of(*(three_calls(seed) for seed in range(300)))
    rows = converted(WORLD_MODEL, [table], context).to_pylist()
    counted = Counter(row["turn"] for row in rows)
    assert set(counted) == {1, 2, 3} and min(counted.values()) > 70
    assert rows == converted(WORLD_MODEL, [table.slice(0, 7), table.slice(7)], context).to_pylist()


def test_calls_made_together_are_turns_one_after_the_other(context):
    for row in converted(WORLD_MODEL, [table_of(*map(three_calls, range(8)))], context).to_pylist():
        messages = [json.loads(message) for message in row["messages"]]
        calls = [read_action(message["content"])[1] for message in messages[1::2]]
        assert [call.name for call in calls] == ["web_search", "web_extractor", "web_extractor"][: row["turn"]]
        assert json.loads(calls[0].arguments) == {"query": "维尔马"}
        if row["turn"] == 3:
            assert calls[2].arguments == "{broken"
            assert read_observation(messages[-1]["content"]) == "Error: malformed request"


def test_wrong_facts_are_context_and_never_learnt(context):
    seen = [observed("a"), observed("b", controls=["wrong_facts"], altered=["club/0001#founded"]), observed("c")]
    rows = converted(WORLD_MODEL, [table_of(*(three_calls(seed, seen) for seed in range(40)))], context).to_pylist()
    assert {row["turn"] for row in rows} == {1, 3}
    late = next(row for row in rows if row["turn"] == 3)
    assert "shown otherwise" in json.loads(late["messages"][3])["content"]
    all_wrong = [observed(id_, altered=["club/0001#founded"]) for id_ in "abc"]
    assert converted(WORLD_MODEL, [table_of(three_calls(0, all_wrong))], context).num_rows == 0


def test_every_control_is_told_but_slowness(context):
    for name in CONTROLS:
        seen = [observed("a", controls=[name]), observed("b"), observed("c")]
        (row,) = converted(WORLD_MODEL, [table_of(three_calls(0, seen))], context).to_pylist()
        first = json.loads(row["messages"][1])["content"]
        assert ("**Instruction:**" in first) == (name != "latency"), name


def test_sub_agents_are_no_calls_and_trajectories_without_calls_have_no_row(context):
    started = talk(
        ask(("a", "create_sub_agents", {"sub_agents": [{"index": 1, "prompt": "p"}]})),
        bring("a", "Sub-agent 1:\nfound", "create_sub_agents"),
        ask(("b", "web_search", {"query": "x"})),
        bring("b", "[1] https://wiki.example/x"),
        trial=1,
        ending="failed",
        error="ModelError: gone",
    )
    (row,) = converted(WORLD_MODEL, [table_of(started, talk(say("assistant", "| A |")))], context).to_pylist()
    assert (row["trial"], row["turn"], row["n_turns"], row["tool"]) == (1, 1, 1, "web_search")


def test_a_database_is_another_domain(context):
    row = three_calls(environment="database/mcp")
    (written,) = converted(WORLD_MODEL, [table_of(row)], context).to_pylist()
    assert "Model Context Protocol" in json.loads(written["messages"][0])["content"]
