"""Killed at any moment, a run goes on where it stood: none lost, none twice, the same bytes in the end."""

import multiprocessing
import random
import signal
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import started
from paper_world import linked, task_on_paper

from worldforge.core.files import file_digest
from worldforge.entry_points.play_run import rollout
from worldforge.rollouts.unit_driver import UnitDriver
from worldforge.world.table_files import TASKS, write_parquet
from worldforge.world.task import tasks_to_table

TRIALS = 3
SCRIPT = Path(__file__).with_name("slow_oracle.py")
FOLDER = Path("trajectories") / "oracle"
MOMENTS = {
    "no episode is done": lambda run: (run / "config.json").exists(),
    "a few are": lambda run: lines(run) >= 3,
    "the first shard is": lambda run: (run / "shards" / "00000.parquet").exists(),
    "half are": lambda run: (run / "shards" / "00012.parquet").exists(),  # 210 episodes, 8 a unit
}


def lines(run):
    return sum(journal.read_bytes().count(b"\n") for journal in run.glob("shards/*.jsonl"))


def shard_bytes(run):
    return {path.name: file_digest(path) for path in sorted((run / "shards").iterdir())}


def start(world, workers, trials=TRIALS):
    return started(SCRIPT, world, workers, trials)


def killed(process):
    """Kill it; return whether that is what ended it."""
    process.send(signal.SIGKILL)
    return process.wait().returncode == -signal.SIGKILL


def wait_for(moment, run, process):
    deadline = time.monotonic() + 30
    while not moment(run):
        assert process.works() and time.monotonic() < deadline, "the run ended before the moment to end it came"
        time.sleep(0.002)


@pytest.fixture(scope="module")
def undisturbed(paper_files, tmp_path_factory):
    """The shards of the run that was left alone."""
    world = linked(paper_files, tmp_path_factory.mktemp("undisturbed") / "world")
    return shard_bytes(rollout(world, run="undisturbed", trials=TRIALS).folder)


def test_a_run_killed_again_and_again_ends_as_one_that_was_left_alone(paper_world, undisturbed):
    run = paper_world.path / FOLDER
    for moment in MOMENTS.values():
        with start(paper_world.path, workers=1) as process:
            wait_for(moment, run, process)
            assert killed(process) and not (run / "run.json").exists()
    summary = rollout(paper_world, trials=TRIALS)
    assert 0 < summary.n_played < summary.tally.n_episodes == 210
    assert shard_bytes(run) == undisturbed


def test_killed_when_all_was_played_nothing_is_played_again(paper_world):
    undisturbed = rollout(paper_world, run="undisturbed", workers=2)
    (undisturbed.folder / "run.json").unlink()
    assert rollout(paper_world, run="undisturbed", workers=2).n_played == 0


def test_killed_with_workers_no_orphan_writes_on(paper_world, undisturbed):
    run = paper_world.path / FOLDER
    with start(paper_world.path, workers=2) as process:
        wait_for(MOMENTS["a few are"], run, process)
        assert killed(process)
    time.sleep(0.3)  # until the workers have seen it
    left = shard_bytes(run)
    time.sleep(0.3)
    assert shard_bytes(run) == left
    assert rollout(paper_world, trials=TRIALS).n_played < 210
    assert shard_bytes(run) == undisturbed


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupt_ends_a_run_at_once_and_leaves_what_was_done(paper_world, workers):
    run = paper_world.path / FOLDER
    with start(paper_world.path, workers) as process:
        wait_for(MOMENTS["a few are"], run, process)
        process.send(signal.SIGINT)
        deadline = time.monotonic() + 10
        while process.works():
            assert time.monotonic() < deadline, "it works on"
            time.sleep(0.01)
        ended = process.wait()
    assert (ended.returncode, ended.stderr) == (130, "")
    shards = {path.stem: pq.read_metadata(path).num_rows for path in run.glob("shards/*.parquet")}
    journals = {path.stem: path.read_bytes().count(b"\n") for path in run.glob("shards/*.jsonl")}
    done = sum((journals | shards).values())  # a unit's journal is there until its shard is in the ledger
    assert 3 <= done < 210
    assert rollout(paper_world, trials=TRIALS).n_played == 210 - done


def test_interrupted_while_it_puts_a_result_down_it_leaves_no_worker_at_work(paper_world, monkeypatch):
    def interrupted(self, value):
        raise KeyboardInterrupt

    monkeypatch.setattr(UnitDriver, "take", interrupted)
    with pytest.raises(KeyboardInterrupt) as told:
        rollout(paper_world, workers=2)
    assert told.tb is not None and not multiprocessing.active_children()


@pytest.fixture
def large_world(paper_files, tmp_path):
    """The world on paper with 200 tasks."""
    world = linked(paper_files, tmp_path / "large")
    (world.path / "tasks.parquet").unlink()
    tasks = [task_on_paper(number) for number in range(200)]
    write_parquet(world.path / "tasks.parquet", [tasks_to_table(tasks)], TASKS)
    return world


def test_twenty_kills_at_random_moments_lose_nothing_and_repeat_nothing(large_world):
    undisturbed = rollout(large_world, run="undisturbed", trials=4)
    run, draw, n_killed = large_world.path / FOLDER, random.Random(20), 0
    for number in range(20):
        with start(large_world.path, workers=1 + number % 2, trials=4) as process:
            wait_for(lambda run: (run / "shards").exists(), run, process)
            time.sleep(draw.uniform(0, 0.4))
            n_killed += killed(process)
    assert n_killed == 20
    rollout(large_world, trials=4)
    ids = pa.concat_tables(pq.read_table(path, columns=["id"]) for path in run.glob("shards/*.parquet"))["id"]
    assert len(ids) == len(set(ids.to_pylist())) == 800
    assert shard_bytes(run) == shard_bytes(undisturbed.folder)
