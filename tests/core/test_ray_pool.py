"""On a real cluster of three nodes, one of them killed in the midst: the same bytes as on one machine."""

import csv
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from command import digest, worldforge
from ray.cluster_utils import Cluster
from watched_oracle import Deadly, Refused, WatchedOracle, put_session, put_texts, tell_the_log

from worldforge.builders.pages import pages_stage
from worldforge.core import ray_cluster
from worldforge.core.errors import InputError, PartialError, WorldForgeError
from worldforge.core.events import log_to, stop_logging
from worldforge.core.files import file_digest
from worldforge.core.ray_pool import RayEngine
from worldforge.core.store import Store
from worldforge.datasets.manifest import read_manifest
from worldforge.entry_points.build_world import build
from worldforge.entry_points.play_run import rollout
from worldforge.entry_points.score_answers import score
from worldforge.rollouts.run_monitor import Budget
from worldforge.world.world import open_world

TRIALS = 3
PATIENCE_S = 300  # for workers to start and play, beside whatever else this machine does


@pytest.fixture(scope="module")
def cluster():
    """Three nodes, as processes of this machine; the head has no room for workers, so that it need not be killed."""
    cluster = Cluster()
    cluster.add_node(num_cpus=0, include_dashboard=False, no_monitor=True, include_log_monitor=False, **ports())
    cluster.add_node(num_cpus=1, num_gpus=1, **ports())  # a GPU that Ray is told of
    cluster.add_node(num_cpus=1, **ports())
    yield cluster
    cluster.shutdown()


def ports():
    """Ports for a node's agents. Where they choose their own, Ray ends the node if they take more than 15 s."""
    names = ("metrics_agent_port", "metrics_export_port", "dashboard_agent_listen_port", "runtime_env_agent_port")
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in names]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return {name: one.getsockname()[1] for name, one in zip(names, sockets, strict=True)}


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


def test_a_build_of_the_spec_in_a_dataset_has_the_same_digest(quickstart, engine, tmp_path, monkeypatch):
    """A dataset's spec builds the world that its rows are of, and a cluster builds the same world as one process."""
    monkeypatch.setattr(pages_stage, "PAGES_WORTH_WORKERS", 0)
    built = build(quickstart / "datasets" / "spec" / "spec.yaml", tmp_path / "world", workers=engine)
    assert built.digest == read_manifest(quickstart / "datasets").world["digest"]
    assert digest(tmp_path / "world") == digest(quickstart)


def test_a_budget_ends_a_run_and_the_next_goes_on_on_the_cluster_or_off_it(engine, world):
    assert engine.workers == 2
    with pytest.raises(PartialError, match="the budget is spent"):
        slow = WatchedOracle(begun=str(world))
        rollout(open_world(world), agent=slow, run="ray", trials=TRIALS, workers=engine, budget=Budget(time_s=1e-9))
    played = rollout(open_world(world), run="ray", trials=TRIALS, workers=engine, resume="require").n_played
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
    score(path, world, out=tmp_path / "spread.jsonl", workers=engine)
    assert 0 < alone.metrics["strict_item_f1"].avg < 1
    assert (tmp_path / "spread.jsonl").read_bytes() == (tmp_path / "alone.jsonl").read_bytes()


def test_workers_write_to_the_log(engine, tmp_path):
    log = log_to(str(tmp_path / "log"), "build")
    try:
        with engine.pool(None) as pool:
            pids = set(pool.map_ordered(tell_the_log, range(8)))
    finally:
        stop_logging(log)
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    told = [line for line in lines if line["event"] == "told"]
    assert {line["pid"] for line in told} == pids and os.getpid() not in pids
    assert {(line["verb"], line["command"]) for line in told} == {("build", os.getpid())}
    assert sorted(line["number"] for line in told) == list(range(8))


def test_workers_write_to_no_store_and_the_driver_keeps_what_they_put(engine, tmp_path):
    path = tmp_path / "observations.sqlite"
    with Store(path) as store:
        store.put("before", "was there")
    with engine.pool(None) as pool:
        found = list(pool.map_ordered(put_texts, [(tmp_path, number) for number in range(8)]))
    assert all(kept[1:] == [f"{number}", "was there"] and not files for number, (kept, files) in enumerate(found))
    with Store(path) as store:
        texts = dict(store.items())
    assert texts.pop("shared") in {kept[0] for kept, _ in found} and texts.pop("before") == "was there"
    assert texts == {f"{number}": f"{number}" for number in range(8)}
    with engine.pool(None) as pool:
        told = dict(pool.map_async(put_session, [(tmp_path, number) for number in range(20)], 4))
    with Store(path) as store:
        assert {store.get("shared")} == set(told.values()) and len(list(store.items())) == 22
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_failure_that_is_explained_comes_back_as_itself(engine, world):
    with pytest.raises(InputError, match="this agent will not play") as raised:
        rollout(open_world(world), agent=Refused(), run="refused", workers=engine)
    assert type(raised.value) is InputError and raised.value.hint == "take another"


def test_work_that_kills_every_worker_ends(cluster, world, monkeypatch, capfd):
    monkeypatch.setenv("RAY_ADDRESS", cluster.address)
    told = []
    with (
        RayEngine(tell=told.append) as engine,
        pytest.raises(WorldForgeError, match=r"was killed.* and 3 in all with the same item"),
    ):
        rollout(open_world(world), agent=Deadly(), run="deadly", workers=engine)
    assert "a worker was killed, or left, before its work was done: others do what it had not done" in told
    assert not capfd.readouterr().out, "stdout is for data"


def test_models_get_the_gpus_that_they_take(engine):
    with engine.pool(None, gpus=1) as pool:
        assert pool.size == 1
        assert list(pool.map_ordered(os.getenv, ["CUDA_VISIBLE_DEVICES"])) == ["0"]


def test_what_no_node_has_is_said(engine):
    with (
        pytest.raises(InputError, match="no node of the Ray cluster has 1 CPU and 2 GPUs"),
        engine.pool(None, gpus=2),
    ):
        pass


def test_a_cluster_that_is_not_there_is_said_at_once(world):
    began = time.monotonic()
    said = worldforge("rollout", world, "--engine", "ray", env={"RAY_ADDRESS": "127.0.0.1:1"}, code=2)
    assert "there is no Ray cluster at `127.0.0.1:1`" in said.stderr
    assert time.monotonic() - began < 60, "Ray by itself tries for minutes"


@contextmanager
def answering(host, words):
    """Answer what connects at a port of `host` with `words`; give the port."""
    with socket.create_server((host, 0)) as listening:

        def answer():
            with suppress(OSError), listening.accept()[0] as connection:
                connection.sendall(words)
                connection.recv(100)

        threading.Thread(target=answer, daemon=True).start()
        yield listening.getsockname()[1]


_OTHERS = {"an HTTP server": b"HTTP/1.0 400 Bad Request\r\n\r\n", "a silent one": b""}
_GRPC = bytes(3) + b"\x04" + bytes(5)


@pytest.mark.parametrize(
    ("host", "words"),
    [
        *(pytest.param("", words, id=name) for name, words in _OTHERS.items()),
        pytest.param("127.0.0.1", _GRPC, id="alone"),
    ],
)
def test_what_listens_and_is_no_cluster_is_said_at_once(monkeypatch, host, words):
    began = time.monotonic()
    with answering(host, words) as port:  # `127.0.0.1` alone: Ray asks at the address that other nodes know
        monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{port}")
        with pytest.raises(InputError, match=f"no Ray cluster at `127.0.0.1:{port}`"):
            _ = RayEngine().workers
    assert time.monotonic() - began < 30, "Ray by itself tries for ever"


def test_a_cluster_that_is_there_but_lets_nobody_in_is_told_from_none(monkeypatch):
    def init(*_given, **_options):
        raise ConnectionError("Failed to connect to Ray cluster")

    monkeypatch.setattr(ray_cluster, "ray", SimpleNamespace(is_initialized=lambda: False, init=init, shutdown=int))
    with answering("", _GRPC) as port:
        monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{port}")
        with pytest.raises(InputError, match=f"cluster at `127.0.0.1:{port}` does not let") as refused:
            _ = RayEngine().workers
    assert "RAY_AUTH_MODE=token" in (refused.value.hint or "")


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_a_driver_killed_in_the_midst_leaves_nobody_and_the_next_goes_on(engine, cluster, world, tmp_path, end):
    (begun := tmp_path / "begun").mkdir()
    run = f"driver-{end}"
    until = time.monotonic() + PATIENCE_S
    with subprocess.Popen([sys.executable, "-c", _DRIVER, world, run, begun], cwd=Path(__file__).parent) as driver:
        try:
            while (n_begun := len(list(begun.iterdir()))) < 40:  # some units are complete then
                assert driver.poll() is None and time.monotonic() < until, f"{n_begun} of 120 episodes have begun"
                time.sleep(0.02)
            driver.send_signal(end)
            assert driver.wait(PATIENCE_S) == (130 if end == signal.SIGINT else -end)
        finally:
            driver.kill()  # it would keep the cluster's nodes from the tests that follow
    workers = {int(path.name.partition("-")[0]) for path in begun.iterdir()}
    while left := [pid for pid in workers if psutil.pid_exists(pid)]:
        assert time.monotonic() < until, f"still at work: {left}"
        time.sleep(0.1)
    n_begun = len(list(begun.iterdir()))
    assert n_begun < 120
    played = rollout(open_world(world), run=run, trials=TRIALS, workers=engine, resume="require").n_played
    assert 120 - n_begun <= played < 120
    assert shards(world, run) == shards(world, "alone")


_DRIVER = f"""
import sys
from watched_oracle import WatchedOracle
from worldforge.core.ray_pool import RayEngine
from worldforge.entry_points.play_run import rollout
from worldforge.world.world import open_world
world, run, begun = sys.argv[1:]
try:
    with RayEngine() as engine:
        slow = WatchedOracle(begun=begun)
        rollout(open_world(world), agent=slow, run=run, trials={TRIALS}, concurrency=4, workers=engine)
except KeyboardInterrupt:
    sys.exit(130)
"""


def test_a_node_killed_in_the_midst_loses_nothing(engine, cluster, world, tmp_path):
    (begun := tmp_path / "begun").mkdir()
    lost = []

    def kill_a_node():
        node = cluster.list_all_nodes()[-1]
        raylet = psutil.Process(node.all_processes["raylet"][0].process.pid)
        until = time.monotonic() + PATIENCE_S
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
        workers=engine,
    )  # fmt: skip
    killing.join()
    begun_by = {}
    for path in begun.iterdir():
        pid, _, index = path.name.partition("-")
        begun_by.setdefault(int(index), set()).add(pid)
    again = [index for index, pids in begun_by.items() if len(pids) > 1]
    assert len(lost) >= 12 and 0 < len(again) <= len(lost), "some were under way when the node died, and begun again"
    assert len(begun_by) == 120
    assert shards(world, "killed") == shards(world, "alone")
