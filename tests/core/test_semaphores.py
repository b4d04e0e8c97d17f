"""Semaphores that a SIGKILL of a process group leaves: the next command removes them, and those of nobody else."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from worldforge.core.processes import SafeContext

SHARED = Path("/dev/shm")
HOLD = """
from worldforge.core.processes import SafeContext
context = SafeContext()
held = [context.Event(), context.Lock()]
print("held", flush=True)
input()
"""
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="named semaphores are elsewhere")


def holder():
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    assert process.stdout.readline() == b"held\n"
    return process


def left_by(process):
    return list(SHARED.glob(f"sem.worldforge-*-{process.pid}-*"))


def end(process, group):
    os.killpg(process.pid, signal.SIGKILL) if group else process.stdin.close()
    process.wait()
    process.stdout.close()
    process.stdin.close()


def test_what_a_killed_group_has_left_goes_at_the_next_start_and_no_one_elses():
    killed, alive = holder(), holder()
    try:
        end(killed, group=True)
        others = SHARED / "sem.worldforge-1-1-1-elsewhere"  # of another PID namespace, where we know no process
        others.touch()
        assert len(left_by(killed)) > 2 and len(left_by(alive)) > 2
        SafeContext()
        assert not left_by(killed) and len(left_by(alive)) > 2 and others.exists()
    finally:
        end(alive, group=False)
        others.unlink()
    assert not left_by(alive)
