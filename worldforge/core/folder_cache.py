"""Folders that work reads, fetched once a machine into a cache, and checked against the SHA-256 of every file.

    folder = InputFolder(path, digest, {"world.json": "5f0…", "pages.parquet": "91c…"}, url="s3://bucket/world")
    cached_folder(folder, url_reader(folder.url))       # -> $WORLDFORGE_CACHE/<digest>

A cached folder stays for later commands; it is replaced when a file in it no longer has its digest. Removing it is safe
while no command runs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any

import fsspec
from filelock import FileLock

from worldforge.core.errors import InputError
from worldforge.core.files import CACHE_VARIABLE, atomic, cache_root, file_digest

CHUNK_BYTES = 32 * 2**20
"""How much of a file is read, or sent to another machine, at a time."""
_DIGEST = re.compile(r"[0-9a-f]{64}")
_PACKAGES = "`pip install s3fs` for s3://, `gcsfs` for gs://; hf:// needs no other"

ReadFile = Callable[[str], Iterable[bytes]]
"""Gives the content of a file, by its path in its folder, in parts."""


@dataclass(frozen=True, slots=True)
class InputFolder:
    """A folder that workers read: `files` has the SHA-256 of each file by its path in it, `digest` identifies all.

    It was opened as `path`, and can be fetched from `url` where that is not None.
    """

    path: Path
    digest: str
    files: Mapping[str, str]
    url: str | None = None


def cached_folder(folder: InputFolder, read: ReadFile, job: str = "") -> Path:
    """Return the cached copy of `folder`, fetched with `read` unless it is there and whole.

    Others of this machine that ask for it wait meanwhile. A copy that was checked for the same `job` is not read again.
    Raises InputError where a file that was fetched has another digest, and OSError where it cannot be written.
    """
    _check_names(folder)
    target, mark = cache_root() / folder.digest, cache_root() / f"{folder.digest}.checked"
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if target.parent.stat().st_uid != os.getuid():
        raise InputError(
            f"the cache {target.parent} belongs to another user", f"set `{CACHE_VARIABLE}` to a folder of yours"
        )
    with FileLock(cache_root() / f"{folder.digest}.lock"):
        is_checked = bool(job) and mark.exists() and mark.read_text() == job and target.is_dir()
        if not is_checked and not _is_whole(target, folder.files):
            with atomic(target) as beside:
                for name, digest in folder.files.items():
                    _fetch(beside / name, digest, read(name))
        mark.write_text(job)
    return target


def _check_names(folder: InputFolder) -> None:
    """Raise InputError for a list of files that would write outside the cache: it may come from anywhere."""
    for name in folder.files:
        parts = PurePosixPath(name).parts
        if not parts or name.startswith("/") or ".." in parts or "\\" in name:
            raise InputError(f"{folder.url or folder.path} lists a file `{name}`", "paths must lie in the folder")
    if not _DIGEST.fullmatch(folder.digest):
        raise InputError(f"{folder.url or folder.path} has no SHA-256 as its digest", "upload the folder again")


def _is_whole(path: Path, files: Mapping[str, str]) -> bool:
    return all((path / name).is_file() and file_digest(path / name) == digest for name, digest in files.items())


def _fetch(target: Path, digest: str, parts: Iterable[bytes]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    found = sha256()
    with target.open("wb") as file:
        for part in parts:
            found.update(part)
            file.write(part)
    if found.hexdigest() != digest:
        raise InputError(
            f"{target.name} was fetched with other content than its folder lists", "upload the folder again"
        )


def folder_of_file_url(url: str) -> Path | None:
    """Return the folder of this machine that a `file://` URL names; None for any other URL."""
    return Path(url.removeprefix("file://")) if url.startswith("file://") else None


def url_reader(url: str) -> ReadFile:
    """Return what reads files of the folder at an fsspec URL.

    Raises InputError, here or as it reads, where the file system's package is missing and where it refuses.
    """
    with explain_url_errors(url):
        system, root = fsspec.core.url_to_fs(url)

    def read(name: str) -> Iterator[bytes]:
        with explain_url_errors(f"{url.rstrip('/')}/{name}"), closing(system.open(f"{root}/{name}")) as file:
            while part := file.read(CHUNK_BYTES):
                yield part

    return read


@contextmanager
def explain_url_errors(url: str) -> Iterator[None]:
    """Raise InputError for whatever a file system raises; FileNotFoundError stays."""
    try:
        yield
    except (FileNotFoundError, InputError):
        raise
    except (ImportError, ValueError) as error:
        raise InputError(f"{url} cannot be opened: {error}", _PACKAGES) from error
    except Exception as error:  # each file system raises exceptions of its own
        raise InputError(
            f"{url} cannot be read or written: {type(error).__name__}: {error}",
            "see whether the address is right, and whether this machine has access to it",
        ) from error


_placed: dict[Path, tuple[Path, Path]] = {}  # in a worker on another node: where a folder is here, and at the driver


def place_folders(driver_folder: Path, places: Mapping[Path, Path]) -> None:
    """Let this process read each folder of the driver, whose current folder is `driver_folder`, at another path."""
    _placed.clear()
    _placed.update({path: (place, driver_folder / path) for path, place in places.items()})


def local_path(path: Path) -> Path:
    """Return where the folder that the driver opened as `path` is for this process."""
    return _placed[path][0] if path in _placed else path


def driver_path(path: Path) -> Path:
    """Return the path that the driver of this process has for `path`; absolute."""
    for place, at_driver in _placed.values():
        if path.is_relative_to(place):
            return at_driver / path.relative_to(place)
    return path.absolute()


def reopen(opener: Callable[..., Any], path: Path, *arguments: Any) -> Any:
    """Return `opener(path, *arguments)` with the path that the folder has here: for `__reduce__`."""
    return opener(local_path(path), *arguments)
