"""SkyRL's environment: a turn of text in, what its calls brought out; the answer's reward at the end."""

import importlib
import json
import sys

import pytest
from trainers import stand_in

from worldforge.core.errors import InputError
from worldforge.datasets.views.rl_skyrl import VIEW as RL_SKYRL
from worldforge.environments.answer_rows import answer_table


def call(tool, **arguments):
    return f"<tool_call>\n{json.dumps({'name': tool, 'arguments': arguments})}\n</tool_call>"


@pytest.fixture
def make(paper_world, rows_of, monkeypatch):
    """Makes an environment as SkyRL's generator does: all columns but the prompt, and the most turns."""
    stand_in("skyrl_gym", monkeypatch)
    monkeypatch.delitem(sys.modules, "worldforge.serving.skyrl_env", raising=False)
    rows = rows_of(RL_SKYRL, paper_world)
    module = importlib.import_module("worldforge.serving.skyrl_env")
    yield lambda task=0, **more: module.WorldForgeEnv(env_config={}, extras={**rows[task], "max_turns": 4, **more})
    sys.modules.pop("worldforge.serving.skyrl_env", None)


@pytest.fixture
def table(paper_world):
    task = paper_world.tasks[0]
    return answer_table(task.labels, [list(row) for row in task.gold])


def test_search_visit_answer_reward(make, table):
    env = make()
    found = env.step(f"<think>\nclubs?\n</think>\n{call('web_search', query='Velmar Rovers')}")
    (message,) = found["observations"]
    assert message["role"] == "user" and "https://wiki.example/velmar-rovers" in message["content"]
    assert (found["reward"], found["done"]) == (0.0, False)
    two = call("web_extractor", url="https://wiki.example/velmar-rovers") + call("web_extractor", url="https://x")
    (message,) = env.step(two)["observations"]
    assert message["content"].count("<tool_response>\n") == message["content"].count("\n</tool_response>") == 2
    assert "founded in 1901" in message["content"] and "Error: 404" in message["content"]
    last = env.step(f"<think>\n{call('web_search', query='x')}\n</think>\n{table}")
    assert (last["observations"], last["reward"], last["done"]) == ([], 1.0, True)
    assert env.get_metrics() == last["metadata"]
    assert {name: last["metadata"][name] for name in ("success", "n_tool_calls", "n_tool_errors")} == {
        "success": 1.0, "n_tool_calls": 3, "n_tool_errors": 1,
    }  # fmt: skip


def test_what_cannot_be_read_comes_back_as_words(make):
    (message,) = make().step("<tool_call>oh</tool_call>" + call("fly"))["observations"]
    assert message["content"].count("Error: ") == 2 and "no JSON" in message["content"]


def test_no_answer_no_reward(make, table):
    assert make().step("")["reward"] == 0.0
    over = make(max_turns=1).step(f"{table}\n{call('web_search', query='x')}")
    assert (over["reward"], over["done"], over["observations"]) == (0.0, True, [])


def test_two_environments_keep_notes_of_their_own(make):
    one, other = make(), make(1)
    one.step(call("dict_memory", action="add", key="mine", value="secret"))
    assert "secret" in one.step(call("dict_memory", action="retrieve_all"))["observations"][0]["content"]
    assert "secret" not in other.step(call("dict_memory", action="retrieve_all"))["observations"][0]["content"]


def test_bad_rows_are_refused_with_a_reason(make):
    for part in ("extra_info", "reward_spec"):
        with pytest.raises(InputError, match=f"a row lacks `{part}`"):
            make(**{part: None})
    with pytest.raises(InputError, match="a row lacks `ground_truth`"):
        make(reward_spec={"method": "rule"})
