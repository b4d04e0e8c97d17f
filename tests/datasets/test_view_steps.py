"""Steps, a row a call, and traces, a file a trajectory."""

import json

import pytest
from paper_world import linked
from talks import ask, bring, context_of, converted, observed, read_back, say, shards_of, sharing, table_of, talk

from worldforge.datasets.views.steps import VIEW as STEPS
from worldforge.datasets.views.traces import MOST_TRACES
from worldforge.datasets.views.traces import VIEW as TRACES
from worldforge.entry_points.play_run import rollout
from worldforge.rollouts.environments import settings_from
from worldforge.scoring.reward_recipe import DEFAULT, reward


@pytest.fixture(scope="module")
def context(paper_files, tmp_path_factory):
    return context_of(linked(paper_files, tmp_path_factory.mktemp("views") / "world"))


@pytest.fixture(scope="module")
def noisy(quickstart, tmp_path_factory):
    world = sharing(quickstart, tmp_path_factory.mktemp("steps") / "quickstart")
    environment = settings_from("search", None, "mild", None, 3)
    folder = rollout(world, agent="noisy-searcher", environment=environment, trials=3, limit=8, max_steps=60).folder
    return shards_of(folder), context_of(world)


def test_steps_add_up_to_their_trajectories(noisy, tmp_path):
    table, context = noisy
    rows = read_back(converted(STEPS, [table.slice(0, 5), table.slice(5)], context), tmp_path)
    for source in table.to_pylist():
        steps = [row for row in rows if row["id"] == source["id"]]
        calls = [
            (turn, call["function"])
            for turn, message in enumerate(one for one in source["messages"] if one["role"] == "assistant")
            for call in message["tool_calls"] or ()
        ]
        assert [step["step"] for step in steps] == list(range(source["n_tool_calls"]))
        assert [(step["turn"], step["tool"], step["arguments"]) for step in steps] == [
            (turn, call["name"], call["arguments"]) for turn, call in calls
        ]
        for step, seen in zip(steps, source["observations"], strict=True):
            assert all(step[name] == value for name, value in seen.items() if name != "tool_call_id")
            assert step["sub_agent"] is None
        assert sum(step["gain"] for step in steps) == pytest.approx(source["coverage"])
        assert not steps or steps[-1]["coverage_so_far"] == pytest.approx(source["coverage"])
        assert sum(step["redundant"] for step in steps) == source["n_redundant_calls"]
        assert sum(bool(step["error"]) for step in steps) == source["n_tool_errors"]
        assert all(step["reward"] == reward(DEFAULT, source) for step in steps)
        assert all(step["item_f1"] == source["item_f1"] for step in steps)
    assert any(row["redundant"] for row in rows) and any(row["controls"] for row in rows)


def test_gain_counts_a_cell_once_and_redundance_knows_the_same_call_in_other_spelling(context):
    row = talk(
        ask(("a", "web_search", '{"query": "x", "page": 1}'), ("b", "web_search", '{"page":1,"query":"x"}')),
        bring("a", "…"),
        bring("b", "…"),
        ask(("c", "web_search", {"query": "y"})),
        bring("c", "Error: 500"),
        ask(("d", "web_search", {"query": "y"})),
        bring("d", "…"),
        say("assistant", "| A |"),
        observations=[
            observed("a", gold_seen=[0, 1, 1]),
            observed("b", gold_seen=[1]),
            observed("c", error="server_error"),
            observed("d", gold_seen=[1, 5]),
        ],
    )
    n_cells = len(context.world.tasks[0].gold) * 2
    steps = converted(STEPS, [table_of(row)], context).to_pylist()
    assert [step["gain"] * n_cells for step in steps] == pytest.approx([2, 0, 0, 1])
    assert [step["coverage_so_far"] * n_cells for step in steps] == pytest.approx([2, 2, 2, 3])
    assert [step["redundant"] for step in steps] == [False, True, False, False]
    assert [step["turn"] for step in steps] == [0, 0, 1, 2]


def sub_agent(call, *queries, gold_seen=()):
    own = talk(*(one for query in queries for one in (ask((query, "web_search", {"query": query})), bring(query, "…"))))
    seen = [observed(query, gold_seen=gold_seen) for query in queries]
    return {"tool_call_id": call, "messages": own["messages"], "observations": seen, "ending": "answered", "error": ""}


def test_what_sub_agents_did_stands_before_the_call_that_started_them(context):
    team = talk(
        ask(("a", "web_search", {"query": "first"})),
        bring("a", "…"),
        ask(("b", "create_sub_agents", {"sub_agents": []})),
        bring("b", "done", "create_sub_agents"),
        say("assistant", "| A |"),
        trial=1,
        observations=[observed("a", gold_seen=[0]), observed("b")],
        sub_agents=[sub_agent("b", "p", "q", gold_seen=[0, 2]), sub_agent("b", "r"), sub_agent("lost", "s")],
    )
    alone = talk(ask(("a", "web_search", {"query": "x"})), bring("a", "…"), say("assistant", "| A |"))
    steps = converted(STEPS, [table_of(alone, team, alone)], context).to_pylist()
    told = [
        (step["trial"], step["step"], step["sub_agent"], json.loads(step["arguments"]).get("query")) for step in steps
    ]
    assert told == [
        (0, 0, None, "x"),
        (1, 0, None, "first"),
        (1, 1, 0, "p"),
        (1, 2, 0, "q"),
        (1, 3, 1, "r"),
        (1, 4, None, None),
        (1, 5, 2, "s"),
        (0, 0, None, "x"),
    ]
    n_cells = len(context.world.tasks[0].gold) * 2
    assert [step["gain"] * n_cells for step in steps[1:4]] == pytest.approx([1, 1, 0])


def test_trajectories_without_calls_have_no_steps(context):
    assert converted(STEPS, [table_of(talk(say("assistant", "| A |")))], context).num_rows == 0
    assert converted(STEPS, [table_of().slice(0, 0)], context).num_rows == 0


def test_traces_are_a_session_and_its_messages(context):
    row = talk(
        ask(("a", "web_search", {"query": "维尔马"}), reasoning="看"),
        bring("a", "[1] …"),
        say("assistant", "| A |"),
    )
    ((name, content, n_rows),) = TRACES.files([table_of(row)], context)
    session, *messages = [json.loads(line) for line in content.decode().splitlines()]
    assert (name, n_rows) == ("000-task-list-0000-0.jsonl", 1)
    assert (session["type"], session["harness"], session["id"]) == ("session", "worldforge", "task/list-0000#0")
    assert session["canary"] == context.canary
    assert [one["type"] for one in messages] == ["message"] * 5
    assert messages[2]["message"] == {
        "role": "assistant",
        "content": "",
        "reasoningContent": "看",
        "toolCalls": [{"id": "a", "function": {"name": "web_search", "arguments": '{"query": "维尔马"}'}}],
    }
    assert messages[3]["message"] == {"role": "tool", "content": "[1] …", "toolCallId": "a"}


def test_no_more_traces_than_a_sample_and_no_two_of_one_name(context):
    def portions():
        for _ in range(3):
            yield table_of(*(talk(say("assistant", "| A |"), trial=trial) for trial in range(45)))
        raise AssertionError("more was asked for than a sample needs")

    names = [name for name, _, _ in TRACES.files(portions(), context)]
    assert len(set(names)) == len(names) == MOST_TRACES
