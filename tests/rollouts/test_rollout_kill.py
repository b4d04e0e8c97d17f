"""Killed at any moment, a run goes on where it stood: none lost, none twice, the same bytes in the end."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from slow_oracle import TRIALS

from worldforge.core.files import file_digest
from worldforge.rollout import rollout
from worldforge.rollouts.ledger import EPISODES_PER_UNIT

SCRIPT = Path(__file__).with_name("slow_oracle.py")
FOLDER = Path("trajectories") / "oracle"
MOMENTS = {
    "no episode is done": lambda run: (run / "config.json").exists(),
    "a few are": lambda run: lines(run) >= 3,
    "the first shard is": lambda run: (run / "shards" / "00000.parquet").exists(),
    "the last has begun": lambda run: (run / "shards" / "00001.jsonl").exists(),
}


def lines(run):
    return sum(journal.read_bytes().count(b"\n") for journal in run.glob("shards/*.jsonl"))


def shard_bytes(run):
    return {path.name: file_digest(path) for path in sorted((run / "shards").iterdir())}


def start(world, workers):
    return subprocess.Popen([sys.executable, SCRIPT, world, str(workers)], stderr=subprocess.PIPE)


def wait_for(moment, run, process):
    deadline = time.monotonic() + 30
    while not moment(run):
        assert process.poll() is None and time.monotonic() < deadline, "the run ended before the moment to end it came"
        time.sleep(0.002)


def test_a_run_killed_again_and_again_ends_as_one_that_was_left_alone(paper_world):
    undisturbed = rollout(paper_world, run="undisturbed", trials=TRIALS)
    run = paper_world.path / FOLDER
    for moment in MOMENTS.values():
        process = start(paper_world.path, workers=1)
        wait_for(moment, run, process)
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL and not (run / "run.json").exists()
    summary = rollout(paper_world, trials=TRIALS)
    assert 0 < summary.n_played < summary.tally.n_episodes == 210
    assert shard_bytes(run) == shard_bytes(undisturbed.folder)


def test_killed_with_workers_no_orphan_writes_on(paper_world):
    run = paper_world.path / FOLDER
    process = start(paper_world.path, workers=2)
    wait_for(MOMENTS["a few are"], run, process)
    process.kill()
    process.communicate()
    left = shard_bytes(run)
    time.sleep(0.3)
    assert shard_bytes(run) == left
    assert rollout(paper_world, trials=TRIALS).n_played < 210
    assert shard_bytes(run) == shard_bytes(rollout(paper_world, run="undisturbed", trials=TRIALS).folder)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupt_ends_a_run_at_once_and_leaves_what_was_done(paper_world, workers):
    run = paper_world.path / FOLDER
    process = start(paper_world.path, workers)
    wait_for(MOMENTS["a few are"], run, process)
    os.kill(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=10)
    assert (process.returncode, said) == (130, b"")
    done = lines(run) + EPISODES_PER_UNIT * len(list(run.glob("shards/*.parquet")))
    assert 3 <= done < 210
    assert rollout(paper_world, trials=TRIALS).n_played == 210 - done
