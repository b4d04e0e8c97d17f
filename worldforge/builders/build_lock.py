"""Lock a world's folder during a build, refuse folders of other content, and restore it on failure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from worldforge.builders.pages.prose.archive import FILE
from worldforge.builders.stage_records import FOLDER, record_path
from worldforge.builders.stages import STAGES
from worldforge.core.errors import InputError
from worldforge.core.files import file_digest, locked, remove, write_text
from worldforge.search.embedding_archive import FILE as EMBEDDINGS
from worldforge.world.world import AUDIT, MANIFEST, SPEC


@contextmanager
def build_lock(folder: Path) -> Iterator[None]:
    """Lock a world's folder. Raises InputError where another build holds it, or where it holds other files."""
    check_claimable(folder)
    with locked(folder / FOLDER / "lock", f"another build is writing to {folder}"):
        yield


def check_claimable(folder: Path) -> None:
    """Raise InputError where the path is a file, or a folder that holds something else than a world."""
    if folder.is_file():
        raise InputError(f"{folder} is a file", "choose a folder with `-o`")
    if folder.is_dir() and any(folder.iterdir()) and not _is_world(folder):
        raise InputError(f"{folder} is not empty, and no world", "choose another folder with `-o`, or empty this one")


@contextmanager
def rollback_on_failure(folder: Path) -> Iterator[None]:
    """Restore the folder where a build fails before it has written anything: a complete world, or no folder."""
    records = [record_path(folder, stage.name) for stage in STAGES]
    before = {
        path: path.read_bytes()
        for path in (folder / MANIFEST, folder / SPEC, folder / AUDIT, *records)
        if path.exists()
    }
    try:
        yield
    except BaseException:
        if _unchanged(folder, before.get(folder / MANIFEST, b"")):
            for path, content in before.items():
                write_text(path, content.decode(errors="replace"))
        elif not before and not any(path.exists() for path in [*records, folder / FILE]):
            remove(folder)
        raise


def _unchanged(folder: Path, manifest: bytes) -> bool:
    """Return whether a world's files match its manifest, apart from its spec."""
    try:
        listed = {
            folder / name: entry["sha256"] for name, entry in json.loads(manifest)["files"].items() if name != SPEC
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        return False
    return all(path.is_file() and file_digest(path) == digest for path, digest in listed.items())


def _is_world(folder: Path) -> bool:
    """Return whether a folder holds a world or the beginning of one."""
    return any((folder / name).exists() for name in (FOLDER, MANIFEST, FILE, EMBEDDINGS))
