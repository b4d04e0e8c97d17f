"""Folders for the time that something takes: removed at the end, or, where a kill came first, by whoever comes next.

    with PassingFolder() as folder:
        (folder / "spilled").write_bytes(…)

Its process holds a lock on a folder, which goes when the process does: a folder without one belongs to nobody. Locks
may not reach beyond a machine, so a folder is named after its own, and others leave it alone. Where a file system locks
no folders, they are removed at the end alone.
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

_SUFFIX = ".passing"


class PassingFolder:
    """A folder of this process's own at `path`, below `parent` or the system's folder for temporary files."""

    def __init__(self, parent: str | Path | None = None) -> None:
        """Make the folder, and remove those below `parent` whose processes have died."""
        top = Path(parent or tempfile.gettempdir())
        remove_left(top)
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
        """Remove the folder with all that is in it."""
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


def remove_left(parent: Path) -> None:
    """Remove the passing folders below `parent` whose processes have died."""
    for left in parent.glob(f"{glob.escape(_prefix())}*{_SUFFIX}"):
        _remove_if_left(left)


def _prefix() -> str:
    return f"worldforge-{socket.gethostname()}-"


def _remove_if_left(folder: Path) -> None:
    """Remove a folder unless a living process, or another user, has it."""
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
