"""Temporary directories: removed at the end, or, after a kill, by the next process that makes one beside them.

    with temp_dir() as folder:
        (folder / "spilled").write_bytes(…)

A process holds a lock file beside its directory, and the system releases it when the process ends: a directory whose
lock is free is stale. Locks may not reach beyond a machine, so the name has the host's, and other hosts leave it alone.
"""

from __future__ import annotations

import glob
import secrets
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from worldforge.core.errors import InputError
from worldforge.core.files import locked

_SUFFIX, _LOCK = ".temp", ".lock"


@contextmanager
def temp_dir(parent: str | Path | None = None) -> Iterator[Path]:
    """Give a temporary directory below `parent` or the system's; remove it at the end, and stale ones there now."""
    top = Path(parent or tempfile.gettempdir())
    remove_stale(top)
    folder = top / f"{_prefix()}{secrets.token_hex(8)}{_SUFFIX}"
    with locked(folder.with_name(folder.name + _LOCK), "in use", then_remove=True):
        folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def remove_stale(parent: Path) -> None:
    """Remove temporary directories below `parent` whose processes have ended, and that this user may remove."""
    for lock in parent.glob(f"{glob.escape(_prefix())}*{_SUFFIX}{_LOCK}"):
        with suppress(InputError, OSError), locked(lock, "in use", then_remove=True):
            shutil.rmtree(lock.with_suffix(""), ignore_errors=True)


def _prefix() -> str:
    return f"worldforge-{socket.gethostname()}-"
