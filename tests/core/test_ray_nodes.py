"""Rollouts on a Ray cluster of three nodes that share no folder: each keeps worlds in a cache of its own."""

import json
import shutil
import threading
import time
from pathlib import Path

import pytest
from ray.cluster_utils import Cluster
from test_ray_pool import ports, shards
from watched_oracle import WatchedOracle

from worldforge.core.files import file_digest
from worldforge.core.ray_pool import RayEngine
from worldforge.entry_points.play_run import rollout
from worldforge.world.world import open_world

N_NODES = 3


@pytest.fixture(scope="module")
def nodes(tmp_path_factory):
    """A head without room for workers, where the driver is, and the nodes; where each has its cache."""
    caches = [tmp_path_factory.mktemp("nodes") / f"node{number}" for number in range(N_NODES)]
    cluster = Cluster()
    cluster.add_node(num_cpus=0, include_dashboard=False, no_monitor=True, include_log_monitor=False, **ports())
    for cache in caches:
        cluster.add_node(num_cpus=1, env_vars={"WORLDFORGE_CACHE": str(cache)}, **ports())
    yield cluster, caches
    cluster.shutdown()


@pytest.fixture
def cluster(nodes, monkeypatch):
    cluster, _ = nodes
    monkeypatch.setenv("RAY_ADDRESS", cluster.address)
    return cluster


@pytest.fixture
def caches(nodes):
    """The caches, empty."""
    _, caches = nodes
    for cache in caches:
        shutil.rmtree(cache, ignore_errors=True)
    return caches


@pytest.fixture(scope="module")
def alone(quickstart, tmp_path_factory):
    """A world, with a run of three trials by this process alone."""
    folder = tmp_path_factory.mktemp("driver") / "world"
    shutil.copytree(quickstart, folder, ignore=shutil.ignore_patterns("trajectories"))
    rollout(open_world(folder), run="alone", trials=3)
    return folder


def copies(cache):
    """The worlds in a node's cache, with their files that are as listed."""
    found = {}
    for manifest in cache.glob("*/world.json"):
        files = json.loads(manifest.read_text())["files"]
        found[manifest.parent.name] = [
            name for name, entry in files.items() if file_digest(manifest.parent / name) == entry["sha256"]
        ]
    return found


def test_a_damaged_copy_is_fetched_again_and_a_whole_one_is_not(cluster, caches, alone):
    world = open_world(alone)
    for number, run in enumerate(("first", "second")):
        with RayEngine() as engine:
            rollout(world, run=run, trials=3, workers=engine)
        assert shards(alone, run) == shards(alone, "alone")
        whole, damaged = [cache / world.digest / "pages.parquet" for cache in caches[:2]]
        if number == 0:
            before = whole.stat().st_ino
            damaged.write_bytes(b"PAR1")
    assert whole.stat().st_ino == before
    assert [copies(cache) for cache in caches] == [{world.digest: [*world.manifest["files"]]}] * N_NODES


def test_every_node_reads_the_address_that_the_world_was_opened_at(cluster, caches, alone, tmp_path):
    with RayEngine() as engine:
        rollout(open_world(f"file://{alone}"), run="at_url", trials=3, workers=engine, out=tmp_path / "runs")
    assert not [copy for cache in caches for copy in copies(cache)]
    assert {path.name: file_digest(path) for path in (tmp_path / "runs" / "at_url" / "shards").iterdir()} == shards(
        alone, "alone"
    )


def test_nodes_fetch_the_world_once_and_one_that_cannot_or_that_dies_is_left_out(cluster, caches, alone, tmp_path):
    """The last test of the cluster, which has a node less afterwards."""
    world = open_world(alone)
    caches[0].write_text("a file where the cache should be")  # this node cannot fetch
    (begun := tmp_path / "begun").mkdir()
    (opened := tmp_path / "opened").mkdir()
    told = []

    def kill_a_node():
        until = time.monotonic() + 120
        while len(list(begun.iterdir())) < 20 and time.monotonic() < until:
            time.sleep(0.05)
        cluster.remove_node(cluster.list_all_nodes()[-1], allow_graceful=False)

    killing = threading.Thread(target=kill_a_node)
    killing.start()
    watched = WatchedOracle(begun=str(begun), opened=str(opened))
    with RayEngine(tell=told.append) as engine:
        rollout(world, agent=watched, run="nodes", trials=3, concurrency=4, workers=engine)
    killing.join()
    assert shards(alone, "nodes") == shards(alone, "alone")
    assert [line for line in told if "could not fetch" in line]
    whole = {world.digest: [*world.manifest["files"]]}
    assert [copies(cache) for cache in caches[1:]] == [whole] * (N_NODES - 1)
    assert {Path(file.read_text()).parent for file in opened.iterdir()} == {*caches[1:]}
