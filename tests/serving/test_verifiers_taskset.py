"""The taskset for verifiers, where that is installed: its tasks, its tools over MCP, its rewards."""

import asyncio
from types import SimpleNamespace

import pytest

from worldforge.core.errors import InputError
from worldforge.environments.answer_rows import answer_table
from worldforge.environments.search.dialects import AGENT_WORLD

pytest.importorskip("verifiers.v1")


@pytest.fixture
def taskset(paper_world):
    from worldforge.serving.verifiers_taskset import WorldTaskset, WorldTasksetConfig

    return WorldTaskset(WorldTasksetConfig(id="wf-search", world=str(paper_world.path)))


def test_a_task_for_each_of_the_worlds(taskset, paper_world):
    tasks = list(taskset)
    assert [task.key for task in tasks] == [task.id for task in paper_world.tasks]
    assert [task.data.prompt for task in tasks] == [task.wording for task in paper_world.tasks]
    assert "web_search" in tasks[0].data.system_prompt
    with pytest.raises(InputError, match="was given no world"):
        list(type(taskset)(taskset.config.model_copy(update={"world": ""})))


def test_the_last_reply_is_scored(taskset, paper_world):
    task, gold = next(iter(taskset)), paper_world.tasks[0]

    def rewarded(text, calls=()):
        said = SimpleNamespace(tool_calls=list(calls))
        trace = SimpleNamespace(assistant_messages=[said], last_reply=text)
        return asyncio.run(task.item_f1(trace))

    table = answer_table(gold.labels, [list(row) for row in gold.gold])
    assert [rewarded(table), rewarded(""), rewarded(table, ["a call"])] == [1.0, 0.0, 0.0]


def test_its_server_offers_the_dialects_tools_and_keeps_rollouts_apart(taskset):
    from verifiers.v1.mcp.server import _call_state

    (tool,) = taskset.toolsets(taskset.config)

    async def play():
        await tool.setup()
        listed = await tool.list_tools()
        texts = []
        for rollout, action in [("a", {"action": "add", "key": "k", "value": "secret"}), ("a", {}), ("b", {})]:
            token = _call_state.set(tool._state_cls(session=rollout))
            result = await tool.call_tool("dict_memory", action or {"action": "retrieve_all"})
            _call_state.reset(token)
            texts.append(result.content[0].text)
        return listed, texts

    listed, (_, own, others) = asyncio.run(play())
    functions = [described["function"] for described in AGENT_WORLD.tools]
    assert [(one.name, one.input_schema) for one in listed] == [(f["name"], f["parameters"]) for f in functions]
    assert "secret" in own and "secret" not in others
