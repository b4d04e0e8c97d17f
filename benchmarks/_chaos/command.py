"""Commands under way, as whoever strikes them sees them: start, watch, kill, wait, and what is left of them."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks._chaos import forker

ROOT = Path(__file__).parent.parent.parent
HANGS_S = 240.0
"""A command that has not ended by then hangs: a hundred times what it takes alone, for machines that are busy."""
GONE_S = 10.0
"""By then the processes that a killed one had started are gone."""


@dataclass(frozen=True, slots=True)
class Done:
    """A command that has ended: its exit code (negative: the signal), what it wrote, how long it took in seconds."""

    code: int
    out: str
    err: str
    seconds: float


class Running:
    """A command under way, forked by a `Commands`."""

    def __init__(self, commands: Commands, pid: int, out: Path, err: Path) -> None:
        self.pid, self.started = pid, time.monotonic()
        self._commands, self._out, self._err = commands, out, err

    def is_over(self, within_s: float = 0.0) -> bool:
        """Say whether it has ended, waiting as long as that."""
        return bool(select.select([self._commands.answers], [], [], max(0.0, within_s))[0])

    def kill(self, pid: int | None = None) -> None:
        """Kill it, or one process that it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid or self.pid, signal.SIGKILL)

    def kill_all(self) -> None:
        """Kill it and all that it has started, at once, as a power cut would."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def children(self) -> list[int]:
        """List the processes of its session but itself, zombies left out."""
        return [pid for pid in session(self.pid) if pid != self.pid]

    def workers(self) -> list[int]:
        """List the worker processes that it has started."""
        return [pid for pid in self.children() if "spawn_main" in _command_of(pid)]

    def wait(self, at_most_s: float = HANGS_S) -> Done | None:
        """Return how it ended; None, and it is killed, where it hangs."""
        hung = not self.is_over(at_most_s)
        if hung:
            self.kill_all()
        status = int(self._commands.answers.readline())
        if hung:
            return None
        seconds = time.monotonic() - self.started
        return Done(os.waitstatus_to_exitcode(status), _text(self._out), _text(self._err), seconds)

    def orphans(self) -> list[int]:
        """Return the processes that it has left behind and that do not go within `GONE_S`."""
        deadline = time.monotonic() + GONE_S
        while (left := self.children()) and time.monotonic() < deadline:
            time.sleep(0.02)
        for pid in left:
            self.kill(pid)
        return left


class Commands:
    """Starts commands, one at a time, each forked from a process that has imported what they need."""

    def __init__(self, scratch: Path, env: Mapping[str, str]) -> None:
        self._scratch = scratch
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
        self._process = subprocess.Popen(
            [sys.executable, forker.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            cwd=scratch,
            env={**os.environ, **env, "PYTHONPATH": path, "WORLDFORGE_DEBUG": ""},
        )
        assert self._process.stdout is not None
        self.answers = self._process.stdout
        self.answers.readline()

    def start(self, arguments: Sequence[object], cwd: Path, **more: Any) -> Running:
        """Start a command in the folder `cwd`; `more` goes to the forker."""
        out, err = self._scratch / "out.txt", self._scratch / "err.txt"
        told = {"arguments": [str(one) for one in arguments], "cwd": str(cwd), "out": str(out), "err": str(err)}
        assert self._process.stdin is not None
        self._process.stdin.write((json.dumps({**told, **more}) + "\n").encode())
        return Running(self, int(self.answers.readline()), out, err)

    def run(self, arguments: Sequence[object], cwd: Path, **more: Any) -> Done | None:
        """Run a command to its end; None where it hangs."""
        return self.start(arguments, cwd, **more).wait()

    def call(self, function: str, *arguments: object, cwd: Path) -> Any:
        """Call `module:name` in a process of its own; return what it returns, by way of JSON."""
        done = self.run(arguments, cwd, function=function)
        if done is None or done.code:
            raise RuntimeError(f"{function}: {done}")
        return json.loads(done.out)

    def close(self) -> None:
        """Let the forking process end."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def session(leader: int) -> list[int]:
    """List the processes of the session that `leader` leads, zombies left out."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _parent, _group, its_session = path.read_text().rpartition(")")[2].split()[:4]
            if int(its_session) == leader and state != "Z":
                found.append(int(path.parent.name))
    return found


def _command_of(pid: int) -> str:
    try:
        return (Path("/proc") / str(pid) / "cmdline").read_text(errors="replace")
    except OSError:
        return ""


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
