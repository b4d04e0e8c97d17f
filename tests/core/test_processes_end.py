"""Processes that others start, and workers: deaf to Ctrl-C, and gone with the one that had them started."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from worldforge.core.local_pool import LocalEngine
from worldforge.core.worker_runtime import worker_context

SLEEPER = "import time\nprint('up', flush=True)\ntime.sleep(60)"
PARENT = f"""
import multiprocessing, os, subprocess, sys, time
from worldforge.core.processes import block_sigint, kill_with_parent

def sleep():
    time.sleep(60)

if __name__ == "__main__":
    with block_sigint():
        spawned = multiprocessing.get_context("spawn").Process(target=sleep, daemon=True)
        spawned.start()
        other = subprocess.Popen([sys.executable, "-c", {SLEEPER!r}], stdout=subprocess.PIPE)
    other.stdout.readline()
    with kill_with_parent([spawned.pid, other.pid]):
        print(spawned.pid, other.pid, flush=True)
        sys.stdin.read()
    print("left in peace", flush=True)
"""
SHARING = """
import os, threading, time
from worldforge.core.local_pool import LocalEngine

def sleep(folder):
    with open(os.path.join(folder, str(os.getpid())), "w"):
        time.sleep(60)

def tell(folder):
    while len(pids := os.listdir(folder)) < 2:
        time.sleep(0.05)
    print(*pids, flush=True)

if __name__ == "__main__":
    folder = os.path.join(os.path.dirname(__file__), "pids")
    os.mkdir(folder)
    threading.Thread(target=tell, args=[folder]).start()
    with LocalEngine(2).pool(None) as pool:
        list(pool.map_unordered(sleep, [folder] * 4))
"""


def start(tmp_path, source=PARENT):
    script = tmp_path / "parent.py"
    script.write_text(source)
    parent = subprocess.Popen(
        [sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    return parent, [int(pid) for pid in parent.stdout.readline().split()]


def lives(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def gone(pids, seconds=10):
    limit = time.monotonic() + seconds
    while any(map(lives, pids)):
        if time.monotonic() > limit:
            return False
        time.sleep(0.02)
    return True


def test_they_go_with_a_process_that_is_killed(tmp_path):
    parent, children = start(tmp_path)
    assert len(children) == 2 and all(map(lives, children))
    parent.kill()
    parent.wait()
    assert gone(children)


def test_workers_go_with_their_parent_whatever_they_are_at(tmp_path):
    parent, workers = start(tmp_path, SHARING)
    assert len(workers) == 2 and all(map(lives, workers))
    parent.kill()
    parent.wait()
    assert gone(workers)


def test_they_do_not_hear_what_their_parent_hears(tmp_path):
    parent, children = start(tmp_path)
    os.killpg(parent.pid, signal.SIGINT)
    parent.wait(10)
    assert parent.returncode == -signal.SIGINT
    time.sleep(0.3)
    assert lives(children[1])  # the other is its parent's daemon, and ended by it
    os.kill(children[1], signal.SIGKILL)


def test_they_are_left_in_peace_when_the_block_ends(tmp_path):
    parent, children = start(tmp_path)
    said, _ = parent.communicate("")
    assert said.endswith("left in peace\n") and lives(children[1])
    os.kill(children[1], signal.SIGKILL)


def test_what_workers_begin_with_is_removed_with_the_pool(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with LocalEngine(2).pool({"given": "this"}) as pool:
        assert list(pool.map_ordered(given, [0, 1])) == [{"given": "this"}] * 2
    assert list(tmp_path.iterdir()) == []


def given(_item):
    return worker_context()


FAILING = """
from worldforge.core.local_pool import LocalEngine

if __name__ == "__main__":
    with LocalEngine(2).pool("what workers are given"):
        raise SystemExit("it failed before any of them had begun")
"""


def test_workers_whose_work_has_failed_before_they_began_end_in_silence(tmp_path):
    script = tmp_path / "failing.py"
    script.write_text(FAILING)
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, "", "it failed before any of them had begun\n")
