"""Temporary directories: removed at the end, or, after a kill, by the next process that makes one beside them.

    with temp_dir() as folder:
        (folder / "spilled").write_bytes(…)

A process holds a lock on its directory, and the system releases it when the process ends: a directory without a lock is
stale. Locks may not reach beyond a machine, so the name has the host's, and other hosts leave the directory alone.
Where a file system cannot lock directories, they are removed at the end alone.
"""

from __future__ import annotations

import fcntl
import glob
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_SUFFIX = ".tmpdir"


@contextmanager
def temp_dir(parent: str | Path | None = None) -> Iterator[Path]:
    """Give a temporary directory below `parent` or the system's; remove it at the end, and stale ones there now."""
    top = Path(parent or tempfile.gettempdir())
    remove_stale(top)
    descriptor = None
    while descriptor is None:  # where another process took it for stale before it was locked
        folder = Path(tempfile.mkdtemp(_SUFFIX, _prefix(), top))
        descriptor = _open(folder)
        if descriptor is not None:
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            if not folder.is_dir():
                os.close(descriptor)
                descriptor = None
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


def remove_stale(parent: Path) -> None:
    """Remove this user's temporary directories below `parent` whose processes have ended."""
    for folder in parent.glob(f"{glob.escape(_prefix())}*{_SUFFIX}"):
        with suppress(OSError):  # another's, in use, or gone already
            descriptor = _open(folder) if folder.stat().st_uid == os.getuid() else None
            if descriptor is not None:
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder, ignore_errors=True)
                finally:
                    os.close(descriptor)


def _prefix() -> str:
    return f"worldforge-{socket.gethostname()}-"


def _open(folder: Path) -> int | None:
    """Open a directory to be locked; None where it is gone."""
    with suppress(FileNotFoundError):
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    return None
