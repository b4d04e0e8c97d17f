"""The same spec and seed give the same world: by any number of workers, on any day, after any kill."""

import random
import shutil
import subprocess
import sys

import pyarrow.parquet as pq
import pytest
from command import digest, killed, worldforge

SMALL = ("--set", "scale=0.3", "--set", "tasks.list.count=5")
ANOTHER_DAY = """
import datetime, sys
import time_machine
from worldforge.cli.main import run
with time_machine.travel(datetime.datetime(2033, 2, 1, 23, 59, 58)):
    code = run(sys.argv[1:])
sys.exit(code)
"""


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reference") / "world"
    worldforge("build", "quickstart", "-o", folder, *SMALL, env={"PYTHONHASHSEED": "1"})
    return folder


def test_another_day_gives_the_same_world(reference, tmp_path):
    command = [sys.executable, "-c", ANOTHER_DAY, "build", "quickstart", "-o", str(tmp_path / "w"), *SMALL]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    assert digest(tmp_path / "w") == digest(reference)


def test_two_workers_and_another_hash_seed_give_the_same_world_byte_for_byte(reference, tmp_path):
    worldforge("build", "quickstart", "-o", tmp_path / "w", *SMALL, "--workers", 2, env={"PYTHONHASHSEED": "77"})
    assert digest(tmp_path / "w") == digest(reference)
    for root in (reference, tmp_path / "w"):
        assert (root / "world.json").exists()
    files = [
        sorted(p.relative_to(root) for p in root.rglob("*") if p.is_file()) for root in (reference, tmp_path / "w")
    ]
    assert files[0] == files[1]
    different = [name for name in files[0] if (reference / name).read_bytes() != (tmp_path / "w" / name).read_bytes()]
    assert different == []


def test_another_seed_gives_another_world(reference, tmp_path):
    worldforge("build", "quickstart", "-o", tmp_path / "w", *SMALL, "--set", "seed=5")
    assert digest(tmp_path / "w") != digest(reference)


@pytest.mark.parametrize(
    ("agent", "n_tasks", "max_steps"),
    [("searcher", 12, 400), ("noisy-searcher?misread=0.4&give_up=0", 3, 60), ("team:searcher", 3, 60)],
)
def test_scripted_agents_act_and_speak_alike_under_another_hash_seed(reference, tmp_path, agent, n_tasks, max_steps):
    said = []
    for number in ("1", "2"):
        folder = tmp_path / number
        shutil.copytree(reference, folder)
        options = ("--agent", agent, "--limit", n_tasks, "--max-steps", max_steps)
        worldforge("rollout", folder, *options, env={"PYTHONHASHSEED": number})
        (shard,) = folder.glob("trajectories/*/shards/*.parquet")
        said.append(pq.read_table(shard, columns=["id", "messages", "sub_agents", "answer"]))
    assert said[0].equals(said[1])


def test_a_killed_build_goes_on_to_the_same_world(reference, tmp_path):
    """SIGKILL at eight moments of one build, each time resumed: what comes out is the undisturbed world."""
    chance = random.Random(4)
    folder = tmp_path / "w"
    n_killed = sum(
        killed("build", "quickstart", "-o", folder, *SMALL, after_s=chance.uniform(0.02, 1.5)) for _ in range(8)
    )
    assert n_killed > 1
    worldforge("build", "quickstart", "-o", folder, *SMALL)
    assert digest(folder) == digest(reference)
    ours = sorted(p.relative_to(folder) for p in folder.rglob("*") if p.is_file())
    assert ours == sorted(p.relative_to(reference) for p in reference.rglob("*") if p.is_file()), "leftovers"


def test_a_stage_runs_again_only_where_its_inputs_changed(reference, tmp_path):
    folder = tmp_path / "w"
    shutil.copytree(reference, folder)

    def runs(*settings):
        done = worldforge("plan", "quickstart", "-o", folder, *SMALL, *settings)
        return [line.split()[0] for line in done.stdout.splitlines()[1:] if line.split()[1] == "run"]

    assert runs() == []
    assert runs("--set", "tasks.list.rows.high=9") == ["tasks", "audit"]
    assert runs("--set", "sites.herald.title=The Sarn Gazette") == ["pages", "index", "tasks", "audit"]
    assert runs("--set", "seed=9") == ["populate", "pages", "index", "tasks", "audit"]
    assert runs("--set", "rollouts.trials=3") == []
    (folder / "links.parquet").write_bytes(b"damaged")
    assert runs()[0] == "pages"
    worldforge("build", "quickstart", "-o", folder, *SMALL)
    assert digest(folder) == digest(reference)


def test_a_build_that_fails_at_once_leaves_what_was_there(reference, tmp_path):
    impossible = ("--set", "types.festival.attributes.since.params.high=1000")
    worldforge("build", "quickstart", "-o", tmp_path / "new", *SMALL, *impossible, code=2)
    assert not (tmp_path / "new").exists()
    shutil.copytree(reference, tmp_path / "old")
    worldforge("build", "quickstart", "-o", tmp_path / "old", *SMALL, *impossible, code=2)
    worldforge("audit", tmp_path / "old")
    done = worldforge("plan", "quickstart", "-o", tmp_path / "old", *SMALL)
    assert "run" not in {line.split()[1] for line in done.stdout.splitlines()[1:]}
