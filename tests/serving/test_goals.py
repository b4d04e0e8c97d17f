"""Tasks with a goal: every adapter scores the final state of the session, as a rollout does."""

import asyncio
import importlib
import json
import sys
from types import SimpleNamespace

import pytest
from paper_world import paper_files
from store_room import SPOKEN, StoreRoom, store_world
from trainers import stand_in

from worldforge.core.errors import InputError
from worldforge.datasets.view import ExportContext
from worldforge.datasets.world_rows import task_rows
from worldforge.environments.registry import register
from worldforge.rollouts.scores import assess
from worldforge.serving.answer_reward import MEASURES, OUTCOME, compute_score, measures
from worldforge.serving.task_attempt import TaskAttempt
from worldforge.serving.trl_environment import TaskTools, item_f1, success
from worldforge.serving.worlds import configure

__all__ = ["paper_files", "store_world"]
CASES = {("lamps",): (1.0, 1.0), ("lamps", "ropes"): (1.0, 0.0), (): (0.0, 0.0)}
cases = pytest.mark.parametrize(("items", "rewards"), CASES.items(), ids=["reached", "collateral", "nothing"])


@pytest.fixture
def row(store_world):
    """The row of the first task, which asks for one lamp in the box."""
    register(StoreRoom)
    configure(store_world.path)
    first = next(task_rows(ExportContext(store_world, (), "CANARY"), SPOKEN, goals=True))
    yield {**first.about, "ground_truth": first.ground_truth}
    configure()


@pytest.fixture
def adapter(monkeypatch):
    """Imports an adapter whose trainer is not installed."""
    imported = []

    def load(name, trainer):
        stand_in(trainer, monkeypatch)
        imported.append(f"worldforge.serving.{name}")
        sys.modules.pop(imported[-1], None)
        return importlib.import_module(imported[-1])

    yield load
    for name in imported:
        sys.modules.pop(name, None)


class AgentData:
    """What verl keeps of a trajectory."""

    def __init__(self):
        self.extra_fields = {}


class StoreTools(TaskTools):
    dialect = "spoken"

    def move(self, item: str, count: int) -> str:
        """Move items into the box."""
        return self._call("move", item=item, count=count)


@cases
def test_an_attempt_is_scored_as_a_rollout_is(store_world, row, items, rewards):
    attempt, session = TaskAttempt(row), StoreRoom(store_world).session(store_world.task(row["task_id"]))
    for item in items:
        attempt.call("move", {"item": item, "count": 1})
        session._backend.answer(SPOKEN.types["move"](item, 1))
    scored = attempt.measures("any words")
    assert (scored["item_f1"], scored["success"]) == rewards
    recorded = {"answer": "any words", "messages": [], "observations": [], "sub_agents": []}
    recorded["outcome"] = json.dumps(session.check(session.goal).to_json())
    assess(recorded, store_world.task(row["task_id"]), lambda *_: [], None)
    assert scored == {name: recorded[name] for name in MEASURES}


@cases
def test_trl(row, items, rewards):
    tools = StoreTools()
    tools.reset(**row)
    for item in items:
        assert "The box" in tools.move(item, 1)
    given = {"completions": [[{"role": "assistant", "content": "Done."}]], "ground_truth": [row["ground_truth"]]}
    assert (item_f1(**given, environments=[tools])[0], success(**given, environments=[tools])[0]) == rewards
    with pytest.raises(InputError, match="final state"):
        item_f1(**given)


@cases
def test_skyrl(adapter, row, items, rewards):
    about = {name: value for name, value in row.items() if name != "ground_truth"}
    extras = {"reward_spec": {"ground_truth": row["ground_truth"]}, "extra_info": about, "max_turns": 4}
    environment = adapter("skyrl_env", "skyrl_gym").WorldForgeEnv(extras=extras)
    for item in items:
        call = json.dumps({"name": "move", "arguments": {"item": item, "count": 1}})
        assert not environment.step(f"<tool_call>{call}</tool_call>")["done"]
    last = environment.step("Done.")
    assert (last["reward"], last["metadata"]["success"]) == rewards


@cases
def test_verl(adapter, row, items, rewards):
    tool = adapter("verl_tools", "verl").WorldTool({"tool": "move", "dialect": "spoken"})

    trajectory = AgentData()

    async def move(item):
        instance, _ = await tool.create(create_kwargs=row)
        await tool.execute(instance, {"item": item, "count": 1}, agent_data=trajectory)
        await tool.release(instance)

    for item in items:
        asyncio.run(move(item))
    assert (OUTCOME in trajectory.extra_fields) == bool(items)
    scored = compute_score("store", "Done.", row["ground_truth"], {**row, **trajectory.extra_fields})
    assert (scored["score"], scored["acc"]) == rewards


@cases
def test_verifiers(store_world, row, items, rewards):
    pytest.importorskip("verifiers.v1")
    from verifiers.v1.mcp.server import _call_state

    from worldforge.serving.verifiers_taskset import WorldTaskset, WorldTasksetConfig

    taskset = WorldTaskset(WorldTasksetConfig(id="wf-store", world=str(store_world.path), dialect="spoken"))
    task = next(iter(taskset))
    (tools,) = taskset.toolsets(taskset.config)
    reply = SimpleNamespace(tool_calls=[])
    trace = SimpleNamespace(id="r", state=tools._state_cls(), assistant_messages=[reply], last_reply="Done.")

    async def play():
        await task.setup(trace, None)
        await tools.setup()
        token = _call_state.set(trace.state)
        for item in items:
            await tools.call_tool("move", {"item": item, "count": 1})
        _call_state.reset(token)
        return await task.item_f1(trace), (await task.strict_scores(trace))["success"]

    assert asyncio.run(play()) == rewards


def test_a_goal_without_its_session_is_refused(row):
    with pytest.raises(InputError, match="final state"):
        measures("| Club |", row["ground_truth"])
