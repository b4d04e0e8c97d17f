"""Name semaphores after their process, so that those left by a SIGKILL can be found and removed.

    /dev/shm/sem.worldforge-4026531836-1234-56789-k3x9a_0q     PID namespace, process, its start, a random part

Processes that are spawned open semaphores by name. Python's resource tracker removes the names when the process that
made them ends, unless both are killed at once, as when a whole process group or a container is.
"""

from __future__ import annotations

import multiprocessing
import os
import re
from contextlib import suppress
from pathlib import Path

_FOLDER = Path("/dev/shm")
_NAME = re.compile(r"sem\.worldforge-(\d+)-(\d+)-(\d+)-\w+")


def name_semaphores() -> None:
    """Name this process's multiprocessing semaphores after it from now on, and remove stale ones. Linux only."""
    owner = _owner(os.getpid())
    if owner is None or not _FOLDER.is_dir():
        return
    namespace, started = owner
    multiprocessing.current_process()._config["semprefix"] = f"/worldforge-{namespace}-{os.getpid()}-{started}"  # type: ignore[attr-defined]
    remove_stale(namespace)


def remove_stale(namespace: int) -> None:
    """Remove this user's semaphores whose processes were in this PID namespace and have ended."""
    for path in _FOLDER.glob("sem.worldforge-*"):
        found = _NAME.fullmatch(path.name)
        if found is None or int(found[1]) != namespace or _owner(int(found[2])) == (namespace, int(found[3])):
            continue
        with suppress(OSError):  # removed meanwhile
            if path.stat().st_uid == os.getuid():
                path.unlink()


def _owner(pid: int) -> tuple[int, int] | None:
    """Return the PID namespace of a process, taken to be this one's, and when it started; None where there is none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        return Path("/proc/self/ns/pid").stat().st_ino, int(stat.rpartition(")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return None
