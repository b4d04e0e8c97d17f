"""Atomic writes (a file beside the target, then a rename), locks, digests, and checks of output paths."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import re
import shutil
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from worldforge.core.errors import InputError

_PARTIAL = ".partial"
_OF_DISKS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS, errno.EACCES, errno.EPERM)
_READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)
_TICK_NS = 20_000_000  # twice the longest step of the clock that file systems date by
_SYNCING = 8  # threads
_FORMER = f".former{_PARTIAL}"


CACHE_VARIABLE = "WORLDFORGE_CACHE"
_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")


def typed_url(path: str | Path) -> str | None:
    """Return the URL that `path` is, with the slashes that a Path has lost (`s3:/bucket`); None for a plain path."""
    text = str(path)
    if not _REMOTE.match(text):
        return None
    scheme, _, rest = text.partition(":")
    return f"{scheme}://{'/' if scheme == 'file' else ''}{rest.lstrip('/')}"


def output_path(path: str | Path) -> Path:
    """Return the path of what is to be written. Raises InputError for an address: `s3://…`, `hf://…`, `gs://…`."""
    if (url := typed_url(path)) is not None:
        raise InputError(
            f"{url} is an address, and outputs are written to folders of this machine",
            "write to a folder, then copy it there; `worldforge push` uploads a dataset to the Hub",
        )
    return Path(path)


@contextmanager
def atomic(path: Path) -> Iterator[Path]:
    """Give a path beside `path` to write to (file or folder); on success move it into place, else remove it.

    An OSError without a file name gets `path`.
    """
    with add_path_to_error(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}{_PARTIAL}")
        remove(beside)
        remove(_former(path))
        try:
            yield beside
            replace(beside, path)
        finally:
            remove(beside)


def replace(source: Path, target: Path) -> None:
    """Move `source` (file or folder) over `target` after its content was synced to disk.

    An existing folder is renamed before it is removed: `target` is the old folder, the new one, or absent.
    """
    with ThreadPoolExecutor(_SYNCING) as threads:  # eight take a third of the time of one
        deque(threads.map(sync, [source] if source.is_file() else [p for p in source.rglob("*") if p.is_file()]), 0)
    former = _former(target)
    try:
        if target.is_dir():
            remove(former)
            target.replace(former)
        source.replace(target)
        sync(target.parent)
    finally:
        if target.exists():
            remove(former)
        elif former.exists():
            former.replace(target)


def _former(path: Path) -> Path:
    """Return the name that an old folder has while it is being removed."""
    return path.with_name(f".{path.name}{_FORMER}")


@contextmanager
def add_path_to_error(path: Path) -> Iterator[None]:
    """Add `path` to an OSError of a disk that names no file, as those of `write` do."""
    try:
        yield
    except OSError as error:
        if error.errno not in _OF_DISKS or error.filename is not None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error


def remove(path: Path) -> None:
    """Remove a file or a folder, if it exists."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def remove_at_once(path: Path) -> None:
    """Remove a file or a folder: a kill leaves it whole or absent.

    It is renamed first; what a kill leaves under the new name is removed by the next call.
    """
    left = path.with_name(f".{path.name}.removed")
    if path.exists():
        remove(left)
        path.replace(left)
    remove(left)


@contextmanager
def locked(path: Path, refusal: str, *, shared: bool = False, then_remove: bool = False) -> Iterator[None]:
    """Hold the lock file `path`; raise InputError with `refusal` where another process holds it.

    With `shared`, as one of several readers; in a read-only folder without the file no lock is then taken, as no writer
    can hold it there. With `then_remove` the file is removed at the end. The system releases the lock when the process
    ends.
    """
    descriptor = _take_lock(path, refusal, shared)
    try:
        yield
    finally:
        if descriptor is not None:
            if then_remove:
                path.unlink(missing_ok=True)
            os.close(descriptor)


def _take_lock(path: Path, refusal: str, shared: bool) -> int | None:
    """Open and lock a lock file; None where it does not exist and cannot be created."""
    while (descriptor := _open_lock(path, shared)) is not None:
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
            if path.exists() and path.stat().st_ino == os.fstat(descriptor).st_ino:  # else removed by its last holder
                return descriptor
        except BlockingIOError as error:
            os.close(descriptor)
            raise InputError(refusal, "wait until it has finished, or stop it") from error
        os.close(descriptor)
    return None


def _open_lock(path: Path, shared: bool) -> int | None:
    try:
        if not shared:
            path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, (os.O_RDONLY if shared else os.O_RDWR) | os.O_CREAT, 0o644)
    except OSError as error:
        if not shared or error.errno not in (errno.ENOENT, *_READ_ONLY):
            raise
    return os.open(path, os.O_RDONLY) if path.exists() else None


def is_locked(path: Path) -> bool:
    """Say whether a process holds the lock file `path`."""
    if not path.exists():
        return False
    try:
        with locked(path, "held", shared=not os.access(path, os.W_OK)):
            return False
    except InputError:
        return True


def cache_root() -> Path:
    """Return the folder of the cache: `$WORLDFORGE_CACHE`, or one for this user in the system's temporary directory."""
    named = os.environ.get(CACHE_VARIABLE)
    return Path(named).absolute() if named else Path(tempfile.gettempdir()) / f"worldforge-cache-{os.getuid()}"


def check_writable(path: Path, hint: str) -> None:
    """Raise InputError with `hint` where nothing can be written at `path`, a file or folder that need not be there.

    Nothing is to be written beside what was fetched from a URL (`folder_cache`).
    """
    if path.absolute().is_relative_to(cache_root()):
        raise InputError(f"{path} is a copy of what was fetched from a URL, and is only read", hint)
    place = next(one for one in (path.absolute(), *path.absolute().parents) if one.exists())
    if not os.access(place, os.W_OK):
        raise InputError(f"{path} cannot be written: {place} is read-only", hint)


def private(path: str | Path, flags: int) -> int:
    """Open a file, created with mode 0600: an `opener` for `open`."""
    return os.open(path, flags, 0o600)


def write_text(path: Path, text: str, opener: Callable[[str, int], int] | None = None) -> None:
    """Write UTF-8 text atomically, line ends as given."""
    with atomic(path) as beside, open(beside, "w", encoding="utf-8", newline="", opener=opener) as file:
        file.write(text)


def write_json(path: Path, value: Any, opener: Callable[[str, int], int] | None = None) -> None:
    """Write JSON atomically: indented, keys in the order given, a line end last."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n", opener)


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal; cached until the file changes.

    A change is seen by the inode's ctime. A file changed within its resolution is read each time.
    """
    state = path.stat()
    if abs(time.time_ns() - state.st_ctime_ns) < _TICK_NS:
        return _digest_of.__wrapped__(path)
    return _digest_of(path, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)


@lru_cache(maxsize=4096)
def _digest_of(path: Path, *_state: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def value_digest(value: Any) -> str:
    """Return the SHA-256 of a JSON value written canonically: sorted keys, no spaces, no NaN."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def files_below(folder: Path) -> list[Path]:
    """List the files below `folder`, sorted, without partial ones."""
    return sorted(p for p in folder.rglob("*") if p.is_file() and not p.name.endswith(_PARTIAL))


def sync(path: Path) -> None:
    """Sync a file, or the entries of a folder, to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
