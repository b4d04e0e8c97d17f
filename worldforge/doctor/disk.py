"""A folder to write to: how much is free, and whether rename, sync and locks work there."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from worldforge.core.errors import InputError
from worldforge.core.files import locked, write_text
from worldforge.doctor.check import CheckResult, gib

_MIN_FREE = 2**30  # a world of 100,000 pages with its index takes 0.6 GiB
_NETWORK_FILE_SYSTEMS = ("nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "9p", "lustre", "ceph", "glusterfs")


def check_folder(folder: Path) -> CheckResult:
    """Write to `folder`, or where it would be made: a file that is synced and renamed, and a lock."""
    existing = next(parent for parent in (folder.absolute(), *folder.absolute().parents) if parent.exists())
    if not existing.is_dir():
        return CheckResult("broken", f"{existing} is no folder", "remove it, or write elsewhere with `-o`")
    kind, free = _file_system(existing), shutil.disk_usage(existing).free
    details = {"folder": str(folder), "tried_in": str(existing), "free_bytes": free, "file_system": kind}
    found = f"{folder}: {gib(free)} free{f', {kind}' if kind else ''}"
    try:
        with tempfile.TemporaryDirectory(prefix=".worldforge-doctor-", dir=existing) as scratch:
            _write_twice(Path(scratch) / "written")
            details["locks"] = locks = _locks_work(Path(scratch) / ".lock")
    except OSError as error:
        message = f"{found}; it cannot be written to: {error.strerror or error}"
        return CheckResult(
            "broken", message, "correct its permissions, free space, or write elsewhere with `-o`", details
        )
    if not locks:
        do = "two processes would write one world: mount it with locks (NFS 4, no `nolock`), or write to a local disk"
        return CheckResult("broken", f"{found}; file locks do not hold there", do, details)
    if free < _MIN_FREE:
        return CheckResult("note", found, "free some: a world of 100,000 pages takes 0.6 GiB", details)
    if kind in _NETWORK_FILE_SYSTEMS:
        return CheckResult("note", found, "over a network: give each machine a log file of its own", details)
    return CheckResult("ok", f"{found}; rename, sync and locks work", details=details)


def _write_twice(path: Path) -> None:
    """Write a file as WorldForge does, over another, and read it back."""
    for text in ("first", "second"):
        write_text(path, text)
    if path.read_text(encoding="utf-8") != "second" or [*path.parent.iterdir()] != [path]:
        raise OSError("what was written does not read back")


def _locks_work(path: Path) -> bool:
    """Return whether a lock that is held is refused to another."""
    try:
        with locked(path, "first"), locked(path, "second"):
            return False
    except InputError:
        return True


def _file_system(folder: Path) -> str:
    """Return the kind of file system that `folder` lies on; empty where the system does not say."""
    try:
        mounts = [line.split() for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines()]
    except OSError:
        return ""
    real = folder.resolve()
    over = [(len(point), kind) for _, point, kind, *_ in mounts if real.is_relative_to(point.replace("\\040", " "))]
    return max(over)[1] if over else ""
