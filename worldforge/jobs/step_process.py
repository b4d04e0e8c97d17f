"""Run a step as a process of its own, in a process group that ends with it, and with us if we are killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from worldforge.core.files import private
from worldforge.core.processes import kill_group, kill_with_parent

Reason = TypeVar("Reason")
MODULE = "worldforge.cli.main"
_POLL_S = 0.1
_INTERRUPT_TIMEOUT_S = 20.0  # for an interrupted step to end before it is killed


def run_step(
    arguments: Sequence[str],
    folder: Path,
    out: Path,
    log: Path,
    environment: Mapping[str, str],
    stop_reason: Callable[[], Reason | None],
) -> tuple[int, Reason | None]:
    """Run `worldforge` with `arguments` in `folder`; its output goes to `out`, its messages to the end of `log`.

    `stop_reason` is polled: when it returns a reason, the step is interrupted, and killed with all that it started if
    it does not end in time. Return the exit code, negative for the signal that killed the step, and that reason.
    """
    # -P: nothing is imported from the folder, which may be a stranger's
    command = [sys.executable, "-P", "-m", MODULE, *arguments]
    with open(out, "wb", opener=private) as stdout, open(log, "ab", opener=private) as stderr:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr,
            start_new_session=True,
        )  # fmt: skip
        reason, deadline = None, float("inf")
        try:
            with kill_with_parent([-process.pid]):
                while process.poll() is None and time.monotonic() < deadline:
                    if reason is None and (reason := stop_reason()) is not None:
                        deadline = time.monotonic() + _INTERRUPT_TIMEOUT_S
                        process.send_signal(signal.SIGINT)
                    time.sleep(_POLL_S)
        finally:
            kill_group(process)
    return process.returncode, reason


@contextmanager
def stop_on_signals(stop: threading.Event) -> Iterator[None]:
    """Set `stop` on Ctrl-C, SIGTERM and SIGHUP.

    Processes that are started meanwhile get SIGINT again, even if this process was started with it ignored.
    """
    before = {
        number: signal.signal(number, lambda *_: stop.set())
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
