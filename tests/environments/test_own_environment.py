"""An environment of one's own, in `store_room.py`: a store room whose goals are predicates over its final state.

It gets sessions, controls, rewards, a proof, a world model with its guard, a bench and an export from what it declares.
"""

import asyncio
import json
import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from command import worldforge
from paper_world import paper_files, task_on_paper
from store_room import StoreRoom, store_task, store_world

from worldforge.core.errors import InputError
from worldforge.datasets.selection.selection_settings import Selection
from worldforge.entry_points.bench_model import bench_world_model
from worldforge.entry_points.export_dataset import export
from worldforge.entry_points.play_run import rollout
from worldforge.entry_points.rescore_runs import rescore
from worldforge.environments.goals import Goal
from worldforge.environments.registry import allow_code, environment_named, register
from worldforge.models.chat import ToolCall
from worldforge.models.scripted_model import ScriptedModel
from worldforge.rollouts.environments import settings_from
from worldforge.world.table_files import TASKS, write_parquet
from worldforge.world.task import tasks_to_table
from worldforge.world.world import open_world

__all__ = ["paper_files", "store_world"]


def play(world, agent="oracle", controls=None, world_model=None, **options):
    settings = settings_from(register(StoreRoom), None, controls, world_model, 1)
    return rollout(world, agent=agent, environment=settings, **options)


def rows_of(run):
    return [row for shard in sorted((run.folder / "shards").iterdir()) for row in pq.read_table(shard).to_pylist()]


def test_a_run_is_rewarded_by_its_final_state(store_world):
    run = play(store_world, trials=2)
    assert run.run == "oracle-storeroom" and run.tally.n_episodes == 24 and run.tally.scores["success"] == 1
    row = rows_of(run)[0]
    outcome = json.loads(row["outcome"])
    assert outcome["conditions"] == {"box/lamps = 1": True} and outcome["collateral"] == []
    assert row["environment"].endswith("store_room:StoreRoom/spoken") and row["coverage"] == 1
    assert row["observations"][0]["facts"] == ["club/0001#founded"]
    assert [summary.n_changed for summary in rescore(store_world)] == [0]


@pytest.mark.parametrize(
    ("moves", "progress", "success"),
    [([], 0.0, False), ([("lamps", 1)], 1.0, True), ([("lamps", 1), ("ropes", 1)], 1.0, False)],
)
def test_collateral_changes_cost_the_success(store_world, moves, progress, success):
    session = StoreRoom(store_world).session(store_world.tasks[0], seed=4)
    for item, count in moves:
        asyncio.run(session.step(ToolCall("1", "move", json.dumps({"item": item, "count": count}))))
    outcome = session.check(session.goal)
    assert (outcome.progress, outcome.success) == (progress, success)
    assert outcome.collateral == (("box/ropes", "shelf/ropes") if ("ropes", 1) in moves else ())


def test_equal_states_have_equal_digests(store_world):
    one, other = (StoreRoom(store_world).session(store_world.tasks[0], seed=4) for _ in range(2))
    digests = [one.state.digest]
    for count in (2, -2):
        asyncio.run(one.step(ToolCall("1", "move", json.dumps({"item": "ropes", "count": count}))))
        digests.append(one.state.digest)
    assert digests[0] == digests[2] == other.state.digest != digests[1]


def test_controls_reach_its_calls_and_its_facts(store_world):
    run = play(store_world, controls="none,errors.rate=0.4,wrong_facts.rate=1,truncation.rate=0.3")
    assert run.tally.scores["success"] == 1 and {"errors", "wrong_facts", "truncation"} <= run.tally.controls.keys()
    altered = {
        (one["fact"], one["true"]) for row in rows_of(run) for seen in row["observations"] for one in seen["altered"]
    }
    assert altered == {("club/0001#founded", "1902")}
    slow = play(store_world, run="slow", controls="none,latency.rate=1,latency.tools=[move]")
    assert slow.tally.controls == {"latency": 12}


def test_a_task_that_nothing_solves_or_the_plan_does_not_is_set_aside(store_world, monkeypatch):
    wanted = {"task/store-0000": {"box/lamps": 0}, "task/store-0001": {"box/lamps": 50}}
    goals = {name: Goal.from_json({"state": state, "may_change": ["shelf"]}) for name, state in wanted.items()}
    real = StoreRoom.goal
    monkeypatch.setattr(StoreRoom, "goal", lambda self, task: goals.get(task.id) or real(self, task))
    assert play(store_world).n_set_aside == 2


def test_a_model_words_it_and_is_guarded(store_world):
    def words(request):
        disclosed = request.messages[-1].content.partition("**Disclosed:**\n")[2]
        return f"**Environment Observation:**\n{disclosed.replace('now holds', 'has in it')}"

    models = {"scripted:world": ScriptedModel(words)}
    run = play(store_world, world_model="scripted:world", models=models)
    assert run.tally.wording.verdicts == {"clean": run.tally.wording.n_drafts}
    models = {"scripted:world": ScriptedModel(lambda request: words(request).replace("1902", "1903"))}
    lying = play(store_world, world_model="scripted:world", models=models, run="lying", out=store_world.path / "lies")
    assert "clean" not in lying.tally.wording.verdicts


def test_it_is_benched(store_world):
    play(store_world)
    summary = bench_world_model(store_world, "engine")
    assert summary.transitions.n == {"store": summary.n_transitions} and summary.n_transitions > 0
    assert summary.scores["factuality"].mean == 1 and list(summary.by_kind) == ["text"]


def test_it_is_exported(store_world, tmp_path):
    play(store_world)
    views = ["trajectories", "sft", "steps", "world_model"]
    export(store_world, out=tmp_path / "data", views=views, selection=Selection(clairvoyant=True))
    for view in views:
        assert list((tmp_path / "data").glob(f"{view}/**/*.parquet")), view
    (shard,) = (tmp_path / "data" / "world_model").glob("**/*.parquet")
    assert "You keep a store room." in str(pq.read_table(shard)["messages"][0].as_py())


def test_trainers_that_score_a_text_are_given_no_goals(store_world, tmp_path):
    mixed = [*(store_task(number) for number in range(3)), task_on_paper(1)]
    (store_world.path / "tasks.parquet").unlink()
    table = tasks_to_table(sorted(mixed, key=lambda task: task.id))
    write_parquet(store_world.path / "tasks.parquet", [table], TASKS)
    world = open_world(store_world.path)
    rollout(world, environment=settings_from("search", "plain", None, None, 1), limit=1)
    export(world, out=tmp_path / "data", views=["rl_trl"])
    (shard,) = (tmp_path / "data" / "rl_trl").glob("**/*.parquet")
    assert pq.read_table(shard)["task_id"].to_pylist() == ["task/list-0001"]


def test_the_command_takes_it_by_name_where_its_code_is_allowed(store_world, tmp_path):
    (tmp_path / "my_store.py").write_text("from store_room import StoreRoom\n\n\nclass Mine(StoreRoom):\n    pass\n")
    asked = ("rollout", store_world.path, "--environment", "my_store:Mine", "--limit", 2)
    assert "--allow-code" in worldforge(*asked, code=2).stderr
    here = Path(__file__).parent
    folders = {"PYTHONPATH": f"{here}{os.pathsep}{here.parent}"}
    worldforge(*asked, "--allow-code", "--workers", 2, cwd=tmp_path, env=folders)
    assert next(store_world.path.glob("trajectories/oracle-mine/run.json"))
    with pytest.raises(InputError, match="there is no environment `shop`"):
        environment_named("shop")


def test_leave_to_run_code_ends_with_the_command_that_had_it(tmp_path):
    allow_code(tmp_path)
    allow_code(None)
    with pytest.raises(InputError, match="runs only where you allow it"):
        environment_named("nowhere:Mine")
