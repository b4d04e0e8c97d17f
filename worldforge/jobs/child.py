"""A step as a process of its own: memory comes back when it ends, and the end of one is the end of that one alone.

It leads a session and a group of processes, which end with it, and with us, were we killed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from worldforge.core.files import private
from worldforge.core.processes import ending_with_this

MODULE = "worldforge.cli.main"
_LOOK_S = 0.1  # between two looks at the process
_GRACE_S = 20.0  # that a step has to come to an end when it is interrupted


@dataclass(frozen=True, slots=True)
class Ended:
    """How a step ended: its exit code, negative for the signal that killed it; and why it was stopped, if it was."""

    code: int
    stopped: str = ""


def run_step(
    arguments: Sequence[str],
    folder: Path,
    out: Path,
    log: Path,
    environment: Mapping[str, str],
    stopping: Callable[[], str],
    grace_s: float = _GRACE_S,
) -> Ended:
    """Run the command `worldforge` with `arguments` in `folder`, to its end.

    What it prints goes to `out`, what it says to the end of `log`. `stopping` is asked again and again; where it gives
    a reason the step is interrupted, and after `grace_s` seconds killed with all that it started.
    """
    # -P: a folder of jobs may be a stranger's, and nothing is imported from it
    command = [sys.executable, "-P", "-m", MODULE, *arguments]
    with open(out, "wb", opener=private) as printed, open(log, "ab", opener=private) as said:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=said,
            start_new_session=True,
        )
        reason, since = "", 0.0
        try:
            with ending_with_this([-process.pid]):
                while not _has_ended(process.pid):
                    if not reason and (reason := stopping()):
                        since = time.monotonic()
                        os.kill(process.pid, signal.SIGINT)
                    elif reason and time.monotonic() - since > grace_s:
                        break
                    time.sleep(_LOOK_S)
        finally:
            _kill_group(process.pid)  # before the leader is waited for: until then nobody else can have its number
            process.wait()
    return Ended(process.returncode, reason)


def _has_ended(pid: int) -> bool:
    """Say whether a child has ended, and leave it to be waited for."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _kill_group(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):  # all have ended
        return
