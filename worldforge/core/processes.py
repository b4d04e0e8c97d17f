"""Child processes: nothing is imported from the current folder, Ctrl-C goes to the parent, and they end with it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any

from worldforge.core.semaphores import name_semaphores
from worldforge.core.store_server import server_address, use_server

_SAFE_PATH = "PYTHONSAFEPATH"


class SafeProcess(SpawnProcess):
    """A spawned process that imports nothing from the current folder.

    Its text stores are those of the process that starts it, or of that one's own server (`store_server`).
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._stores = server_address()

    def run(self) -> None:
        """Use the parent's stores, then do the work."""
        use_server(self._stores)
        super().run()

    @staticmethod
    def _Popen(process_obj: Any) -> Any:  # noqa: N802 - multiprocessing calls it so
        with safe_path():
            return SpawnProcess._Popen(process_obj)


class SafeContext(SpawnContext):
    """Multiprocessing's spawn context with safe processes; its resource tracker is one too."""

    Process = SafeProcess

    def __init__(self) -> None:
        super().__init__()
        name_semaphores()
        with safe_path():
            resource_tracker.ensure_running()


@contextmanager
def safe_path() -> Iterator[None]:
    """Start Python processes within the block as `python -P` does: without the current folder on `sys.path`."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


def end_with_parent() -> None:
    """End this process as soon as its parent has ended, by SIGKILL perhaps: nobody would read the results."""
    threading.Thread(target=_end_after_parent, daemon=True).start()


def _end_after_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def block_sigint() -> Iterator[None]:
    """Let the processes that this thread starts within the block ignore Ctrl-C for good; this process still gets it.

    They inherit the signal mask of this thread. A second thread takes the signal meanwhile, and Python raises
    KeyboardInterrupt in the main thread as ever.
    """
    with safe_path():
        resource_tracker.ensure_running()  # started below, it would unblock Ctrl-C at its end
    over = threading.Event()
    hearing = threading.Thread(target=over.wait, daemon=True)
    hearing.start()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        over.set()
        hearing.join()


@contextmanager
def kill_with_parent(pids: Iterable[int]) -> Iterator[None]:
    """Kill the processes `pids` when this one ends, even by SIGKILL.

    For processes that do not watch their parent: one more process waits for a pipe to close, which it does with this
    process, however that ends.
    """
    command = [sys.executable, "-I", "-S", "-c", _END_OTHERS, *map(str, pids)]
    waiting = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
    try:
        yield
    finally:
        waiting.kill()
        waiting.communicate()


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that leads a group, and all in that group."""
    with suppress(ProcessLookupError, PermissionError):  # all have ended
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@contextmanager
def process_group(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command that leads a group; kill that group when the block ends, or this process does."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True, **options)
    try:
        with kill_with_parent([-process.pid]):
            yield process
    finally:
        kill_group(process)


_END_OTHERS = """\
import contextlib, os, signal, sys
sys.stdin.read()
for pid in sys.argv[1:]:
    with contextlib.suppress(ProcessLookupError):
        os.kill(int(pid), signal.SIGKILL)
"""
