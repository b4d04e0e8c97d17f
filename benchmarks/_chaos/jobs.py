"""A job is struck: the command that runs it, the step that is under way, or both."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
from pathlib import Path

from benchmarks._chaos.command import GONE_S
from benchmarks._chaos.scene import RESUMED, DefectError, MissedError, Scene, wait_until

LEDGER = "jobs/jobs.sqlite"


def job(scene: Scene) -> str:
    """Kill `jobs run`, its step, or both, at a random moment; the same command is to end that run."""
    scene.lay_out()
    running = scene.until_a_moment()
    steps = _children(running.pid)
    way = scene.draw.choice(("command", "step", "both")) if steps else "command"
    scene.tell(f"{way} killed")
    if way != "step":
        running.kill()
    for pid in steps if way != "command" else ():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    done = scene.finish(running)
    if done.code != (0 if way == "step" else -9):
        raise MissedError if done.code == 0 else DefectError(f"it ended with {done.code}:\n{done.err}")
    if not wait_until(lambda: not _at_work(scene.folder), GONE_S):
        raise DefectError(f"processes are still at work there: {_at_work(scene.folder)}")
    if way == "step":
        scene.check_records()
        scene.check_same()
        return RESUMED
    states = _states(scene.folder / LEDGER)
    if states and states[-1] not in ("queued", "running"):
        raise MissedError  # it had ended: the same command would begin another run
    return scene.resumed()


def _children(pid: int) -> list[int]:
    with contextlib.suppress(OSError):
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def _at_work(folder: Path) -> list[int]:
    """List the processes that stand in `folder`, zombies left out."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (path / "cwd").readlink().is_relative_to(folder):
                found.append(int(path.name))
    return found


def _states(path: Path) -> list[str]:
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(path)) as ledger:
        return [row[0] for row in ledger.execute("SELECT state FROM runs ORDER BY id")]
    return []
