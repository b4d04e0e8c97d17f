"""On a real cluster of three nodes, one of them killed in the midst: the same bytes as on one machine."""

import csv
import json
import os
import shutil
import signal
import threading
import time
from pathlib import Path

import psutil
import pytest
from command import digest, worldforge
from ray.cluster_utils import Cluster
from watched_oracle import Deadly, Refused, WatchedOracle

from worldforge.core.errors import InputError, PartialError, WorldForgeError
from worldforge.core.files import file_digest
from worldforge.jobs.ray import RayEngine
from worldforge.rollout import rollout
from worldforge.rollouts.sitting import Budget
from worldforge.score import score
from worldforge.world.world import open_world

TRIALS = 3


@pytest.fixture(scope="module")
def cluster():
    """Three nodes, as processes of this machine; the head has no room for workers, so that it need not be killed."""
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    for _ in range(2):
        cluster.add_node(num_cpus=1)
    yield cluster
    cluster.shutdown()


@pytest.fixture
def engine(cluster, monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", cluster.address)
    with RayEngine() as engine:
        yield engine


@pytest.fixture(scope="module")
def world(quickstart, tmp_path_factory):
    """A world to play in, with a run of three trials by this machine alone."""
    folder = tmp_path_factory.mktemp("ray") / "world"
    shutil.copytree(quickstart, folder)
    shutil.rmtree(folder / "trajectories")
    rollout(open_world(folder), run="alone", trials=TRIALS)
    return folder


def shards(world, run):
    return {path.name: file_digest(path) for path in sorted((world / "trajectories" / run / "shards").iterdir())}


def test_a_build_has_the_same_digest(quickstart, cluster, tmp_path):
    worldforge("build", "quickstart", "-o", tmp_path / "world", "--engine", "ray", env={"RAY_ADDRESS": cluster.address})
    assert digest(tmp_path / "world") == digest(quickstart)


def test_a_budget_ends_a_run_and_the_next_goes_on_on_the_cluster_or_off_it(engine, world):
    assert engine.workers == 2
    with pytest.raises(PartialError, match="the budget is spent"):
        slow = WatchedOracle(begun=str(world))
        rollout(open_world(world), agent=slow, run="ray", trials=TRIALS, engine=engine, budget=Budget(time_s=1e-9))
    played = rollout(open_world(world), run="ray", trials=TRIALS, engine=engine, resume="require").n_played
    assert 0 < played < 120
    assert shards(world, "ray") == shards(world, "alone")


def test_scores_are_the_same(engine, world, tmp_path):
    answers = []
    for gold in sorted((world / "widesearch" / "widesearch_gold").glob("*.csv")):
        rows = list(csv.reader(gold.read_text(encoding="utf-8").splitlines()))
        table = [rows[0], ["---"] * len(rows[0]), *rows[2:]]
        text = "\n".join(f"| {' | '.join(row)} |" for row in table)
        answers += [
            {"instance_id": gold.stem, "trial_idx": trial, "response": f"```markdown\n{text}\n```"} for trial in (0, 1)
        ]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(answer) + "\n" for answer in answers), encoding="utf-8")
    alone = score(path, world, out=tmp_path / "alone.jsonl")
    score(path, world, out=tmp_path / "spread.jsonl", engine=engine)
    assert 0 < alone.metrics["strict_item_f1"].avg < 1
    assert (tmp_path / "spread.jsonl").read_bytes() == (tmp_path / "alone.jsonl").read_bytes()


def test_a_failure_that_is_explained_comes_back_as_itself(engine, world):
    with pytest.raises(InputError, match="this agent will not play") as raised:
        rollout(open_world(world), agent=Refused(), run="refused", engine=engine)
    assert type(raised.value) is InputError and raised.value.hint == "take another"


def test_work_that_kills_every_worker_ends(engine, world):
    with pytest.raises(WorldForgeError, match="4 Ray workers in a row were lost at the same work"):
        rollout(open_world(world), agent=Deadly(), run="deadly", engine=engine)


def test_what_no_node_has_and_what_no_node_sees_is_said(engine, tmp_path):
    with (
        pytest.raises(InputError, match="does not see /nowhere/world"),
        engine.crew(1, sees=Path("/nowhere/world.json")) as crew,
    ):
        list(crew.spread(abs, [1]))


def test_a_cluster_that_is_not_there_is_said_at_once(world):
    began = time.monotonic()
    said = worldforge("rollout", world, "--engine", "ray", env={"RAY_ADDRESS": "127.0.0.1:1"}, code=2)
    assert "there is no Ray cluster at `127.0.0.1:1`" in said.stderr
    assert time.monotonic() - began < 60, "Ray by itself tries for minutes"


def test_a_node_killed_in_the_midst_loses_nothing(engine, cluster, world, tmp_path):
    (begun := tmp_path / "begun").mkdir()
    lost = []

    def kill_a_node():
        node = cluster.list_all_nodes()[-1]
        raylet = psutil.Process(node.all_processes["raylet"][0].process.pid)
        until = time.monotonic() + 60
        while time.monotonic() < until:
            workers = {child.pid for child in raylet.children(recursive=True)}
            lost[:] = [path.name for path in begun.iterdir() if int(path.name.partition("-")[0]) in workers]
            if len(lost) >= 12:  # eight at once: some have been played, some are being played
                break
            time.sleep(0.02)
        for process in (*raylet.children(recursive=True), raylet):
            os.kill(process.pid, signal.SIGKILL)
        lost[:] = [path.name for path in begun.iterdir() if int(path.name.partition("-")[0]) in workers]

    killing = threading.Thread(target=kill_a_node)
    killing.start()
    rollout(
        open_world(world), agent=WatchedOracle(begun=str(begun)), run="killed", trials=TRIALS, concurrency=8,
        engine=engine,
    )  # fmt: skip
    killing.join()
    begun_by = {}
    for path in begun.iterdir():
        pid, _, index = path.name.partition("-")
        begun_by.setdefault(int(index), set()).add(pid)
    again = [index for index, pids in begun_by.items() if len(pids) > 1]
    assert len(lost) >= 12 and 0 < len(again) < len(lost), "some were under way when the node died, and begun again"
    assert len(begun_by) == 120
    assert shards(world, "killed") == shards(world, "alone")
