"""A process that has imported what commands need, and forks one for each line it reads: to be struck at will.

    {"arguments": ["build", …], "cwd": "…", "out": "…", "err": "…", "hook": {"at": 17, "do": "kill"}, …}

It answers with the fork's process id, then with its exit status as `waitpid` gives it. A fork leads a session of its
own, which the processes that it starts belong to. A line with `function` (`module:name`) has that called instead.

A hook counts what a command does to files below its folder: opening for writing, making, renaming, removing, syncing,
truncating. At the call `at` it kills the process before the call is made (`kill`); or that call and all that write
after it fail (`full`: no space left; `sealed`: a file system that can only be read). `log` lists the calls in a file.
`bound` lets permissions bind it, were it run by root.
"""

import contextlib
import ctypes
import errno
import importlib
import json
import os
import random
import resource
import runpy
import signal
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

COMMAND = "worldforge.cli.main"
IMPORTED = (
    "worldforge.entry_points.build_world", "worldforge.entry_points.play_run", "worldforge.entry_points.export_dataset",
    "worldforge.entry_points.rescore_runs", "worldforge.entry_points.score_answers",
    "datasets", "worldforge.agents.model_agent",
    "generators.names", "generators.values", "generators.pages", "generators.questions",
    "pandas", "pyarrow.dataset", "tantivy", "asyncio", "rich.progress",
    "sqlglot.dialects.duckdb",
    *(f"worldforge.cli.{name}_commands" for name in ("world", "rollout", "dataset", "score")),
)  # fmt: skip
_CALLS = {"os.rename": 0, "os.remove": 0, "os.rmdir": 0, "os.mkdir": 0, "os.truncate": 0, "os.link": 0}
"""Audit events of calls that change a folder, and which of their arguments is the path."""
_WRITES = frozenset(("open", "os.rename", "os.mkdir", "os.truncate", "os.link", "fsync"))
"""What a full disk may refuse: not the removal of things."""
_CAPABILITIES = 0x20080522  # the version of the structure that capset(2) takes
_ERRORS = {"full": errno.ENOSPC, "sealed": errno.EROFS}


class Hook:
    """Counts a process's calls that change files below `folder`, and strikes at one of them."""

    def __init__(self, folder: str, at: int = 0, do: str = "kill", log: str = "") -> None:
        self.folder, self.at, self.do, self.log = f"{folder}/", at, do, log
        self.n, self.lock = 0, threading.Lock()
        self.file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) if log else None
        sync = os.fsync

        def fsync(descriptor: int) -> None:
            self.come("fsync", _opened(descriptor))
            sync(descriptor)

        os.fsync = fsync
        sys.addaudithook(self.hear)

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Take an audit event of the interpreter."""
        if event == "open":
            path, mode, flags = arguments
            changes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC) if isinstance(flags, int) else 0
            if isinstance(mode, str):
                changes = any(letter in mode for letter in "wax+")
            if not changes or isinstance(path, int):
                return
        elif event in _CALLS:
            path = arguments[_CALLS[event]]
            if isinstance(path, int):
                return
            if arguments[-1] not in (-1, None) and event in ("os.remove", "os.rmdir"):
                path = f"{_opened(arguments[-1])}/{os.fsdecode(path)}"
        else:
            return
        self.come(event, os.fsdecode(path))

    def come(self, event: str, path: str) -> None:
        """Count a call; strike where it is the one."""
        path = os.path.abspath(path)  # noqa: PTH100  a link is what it is
        if not path.startswith(self.folder):
            return
        with self.lock:
            self.n += 1
            if self.file is not None:
                os.write(self.file, f"{time.monotonic():.4f} {event} {path[len(self.folder) :]}\n".encode())
            if not self.at or self.n < self.at:
                return
        if self.do == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if event in _WRITES or self.do == "sealed":
            raise OSError(_ERRORS[self.do], os.strerror(_ERRORS[self.do]), path)


def _opened(descriptor: int) -> str:
    return str(Path(f"/proc/self/fd/{int(descriptor)}").readlink())


def jump_about(seed: int) -> None:
    """Let the clock jump by hours, back and forth, as long as this process lives."""
    import time_machine

    draw, now = random.Random(seed), time.time()
    traveller = time_machine.travel(now, tick=True)
    coordinates = traveller.start()

    def jump() -> None:
        pause = threading.Event()
        while not pause.wait(0.02):
            with contextlib.suppress(Exception):
                coordinates.move_to(now + draw.uniform(-1, 1) * 36 * 3600)

    threading.Thread(target=jump, daemon=True).start()


def become(asked: dict[str, Any]) -> None:
    """Make this process the command, as `python -m` would."""
    os.setsid()
    for descriptor, path in enumerate((os.devnull, asked["out"], asked["err"])):
        opened = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
        os.dup2(opened, descriptor)
        os.close(opened)
    os.chdir(asked["cwd"])
    os.environ.update(asked.get("env", {}))
    if asked.get("file_size") is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (asked["file_size"], asked["file_size"]))
    if asked.get("bound"):
        ctypes.CDLL(None).capset((ctypes.c_uint32 * 2)(_CAPABILITIES, 0), (ctypes.c_uint32 * 6)())
    if asked.get("hook"):
        Hook(asked["cwd"], **asked["hook"])
    if asked.get("clock") is not None:
        jump_about(asked["clock"])
    if "function" in asked:
        module, _, name = asked["function"].partition(":")
        print(json.dumps(getattr(importlib.import_module(module), name)(*asked["arguments"])))
        return
    sys.argv = [COMMAND, *asked["arguments"]]
    sys.modules.pop(COMMAND, None)
    runpy.run_module(COMMAND, run_name="__main__", alter_sys=True)


def serve() -> dict[str, Any] | None:
    """Fork a process for each line that is read; return what to become in the fork, None when there are no more."""
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    for name in IMPORTED:
        importlib.import_module(name)
    asked, answers = sys.stdin, os.fdopen(os.dup(1), "w", buffering=1)
    print("ready", file=answers)
    while line := asked.readline():
        process_id = os.fork()
        if not process_id:
            answers.close()
            return json.loads(line)
        print(process_id, file=answers)
        print(os.waitpid(process_id, 0)[1], file=answers)
    return None


if __name__ == "__main__":
    sys.path.insert(0, str(Path.cwd()))
    wanted = serve()
    if wanted is not None:
        become(wanted)
