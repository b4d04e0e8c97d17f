"""verl's tools: made and released for every call, and yet a trajectory keeps its notes; the row says which world."""

import asyncio
import gc
import importlib
import sys

import pytest
from trainers import stand_in

from worldforge.core.errors import InputError
from worldforge.datasets.views.rl_verl import VIEW as RL_VERL
from worldforge.environments.search.dialects import AGENT_WORLD, SEARCH_DIALECTS


class AgentData:
    """What verl hands to a tool: one a trajectory."""


@pytest.fixture
def module(paper_world, rows_of, monkeypatch):
    stand_in("verl", monkeypatch)
    monkeypatch.delitem(sys.modules, "worldforge.serving.verl_tools", raising=False)
    rows_of(RL_VERL, paper_world)
    yield importlib.import_module("worldforge.serving.verl_tools")
    sys.modules.pop("worldforge.serving.verl_tools", None)


@pytest.fixture
def called(module, paper_world, rows_of):
    """Calls a tool as verl's tool agent does, for the trajectory given."""
    tools = {name: module.WorldTool({"type": "native", "tool": name}, None) for name in AGENT_WORLD.types}
    kwargs = rows_of(RL_VERL, paper_world)[0]["extra_info"]["tools_kwargs"]

    async def call(trajectory, name, **parameters):
        tool = tools[name]
        instance, _ = await tool.create(create_kwargs=kwargs[name]["create_kwargs"])
        response, reward, _ = await tool.execute(instance, parameters, agent_data=trajectory)
        await tool.release(instance)
        assert reward == 0.0
        return response.text

    return lambda *given, **parameters: asyncio.run(call(*given, **parameters))


def test_search_and_visit(called):
    trajectory = AgentData()
    assert "https://wiki.example/velmar-rovers" in called(trajectory, "web_search", query="Velmar Rovers")
    assert "founded in 1901" in called(trajectory, "web_extractor", url="https://wiki.example/velmar-rovers")
    assert called(None, "web_extractor", url="https://x").startswith("Error: 404")
    assert called(trajectory, "web_search", when="now").startswith("Error: malformed request")


def test_trajectories_keep_their_own_notes_and_leave_none_behind(called, module):
    one, other = AgentData(), AgentData()
    called(one, "dict_memory", action="add", key="mine", value="secret")
    assert "secret" in called(one, "dict_memory", action="retrieve_all")
    assert "secret" not in called(other, "dict_memory", action="retrieve_all")
    del one, other
    gc.collect()
    assert len(module._SESSIONS) == 0


@pytest.mark.parametrize("dialect", SEARCH_DIALECTS.values(), ids=lambda dialect: dialect.name)
def test_a_model_is_told_of_the_tools_as_in_rollouts(module, dialect):
    for described in dialect.tools:
        name = described["function"]["name"]
        tool = module.WorldTool({"type": "native", "tool": name, "dialect": dialect.name})
        told = tool.tool_schema.model_dump(exclude_unset=True, exclude_none=True)
        assert (tool.name, told) == (name, described)


def test_a_bad_configuration_or_row_is_refused_with_a_reason(module):
    with pytest.raises(InputError, match="has no tool `search`"):
        module.WorldTool({"type": "native", "tool": "search"}, None)
    with pytest.raises(InputError, match="there is no dialect `latin`"):
        module.WorldTool({"tool": "search", "dialect": "latin"}, None)
    tool = module.WorldTool({"tool": "web_search"}, None)
    with pytest.raises(InputError, match="the row names no world"):
        asyncio.run(tool.create(create_kwargs={}))
