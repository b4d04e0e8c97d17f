"""Temporary directories: removed at the end, or, after a kill, by the next process that makes one beside them.

    with TempDir() as folder:
        (folder / "spilled").write_bytes(…)

A process holds a lock on its directory, and the system releases it when the process ends: a directory without a lock is
stale. Locks may not reach beyond a machine, so the name has the host's, and other hosts leave the directory alone.
Where a file system cannot lock directories, they are removed at the end alone.
"""

from __future__ import annotations

import contextlib
import fcntl
import glob
import os
import shutil
import socket
import tempfile
from pathlib import Path
from types import TracebackType

_SUFFIX = ".tmpdir"


class TempDir:
    """A temporary directory at `path`, below `parent` or the system's temporary directory."""

    def __init__(self, parent: str | Path | None = None) -> None:
        """Make the directory, and remove stale ones below `parent`."""
        top = Path(parent or tempfile.gettempdir())
        remove_stale(top)
        self._held: int | None = None
        while self._held is None:  # where another took it for left, before it was locked
            self.path = Path(tempfile.mkdtemp(_SUFFIX, _prefix(), top))
            self._held = _opened(self.path)
            if self._held is not None:
                with contextlib.suppress(OSError):
                    fcntl.flock(self._held, fcntl.LOCK_EX)
                if not self.path.is_dir():
                    os.close(self._held)
                    self._held = None

    def close(self) -> None:
        """Remove the directory."""
        if self._held is not None:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._held)
            self._held = None

    def __enter__(self) -> Path:
        return self.path

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def remove_stale(parent: Path) -> None:
    """Remove the temporary directories below `parent` whose processes have ended."""
    for stale in parent.glob(f"{glob.escape(_prefix())}*{_SUFFIX}"):
        _remove_if_stale(stale)


def _prefix() -> str:
    return f"worldforge-{socket.gethostname()}-"


def _remove_if_stale(folder: Path) -> None:
    """Remove a directory unless a running process, or another user, has it."""
    with contextlib.suppress(OSError):  # another's, or gone already
        held = _opened(folder) if folder.stat().st_uid == os.getuid() else None
        if held is not None:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(held)


def _opened(folder: Path) -> int | None:
    """Open a folder to be locked; None where it is gone."""
    with contextlib.suppress(FileNotFoundError):
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    return None
