"""Files on the Hub and files to upload, the commit that a push makes of them, and addresses of datasets."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from worldforge.core.errors import InputError
from worldforge.datasets.manifest import CARD, MANIFEST, Manifest

SCHEME = "hf://"

_NAME = r"\w(?:[\w.-]{0,94}\w)?"
_REPOSITORY = re.compile(rf"(?!datasets/){_NAME}/{_NAME}", re.ASCII)
_ADDRESS = re.compile(r"(?:datasets/)?(?P<repository>[^/@]+/[^/@]+)(?:@(?P<revision>\w[\w./-]*))?", re.ASCII)
_FILES_AT_MOST = 25_000  # in a commit: `create_commit` says so
_FREE = frozenset({CARD, ".gitattributes"})
_SHOWN = 100  # characters of an address in an error


@dataclass(frozen=True, slots=True)
class Upload:
    """A file to upload: its path in the repository, the source of its bytes, their SHA-256 and number."""

    path: str
    source: Path | bytes
    sha256: str
    n_bytes: int


class HubFile(Protocol):
    """A file of a repository, as `huggingface_hub.hf_api.RepoFile` describes it."""

    size: int
    blob_id: str
    lfs: Any


@dataclass(frozen=True, slots=True)
class BranchState:
    """A branch as it is: the commit at its head, and its files by path."""

    head: str
    files: Mapping[str, HubFile]

    def missing(self, uploads: Sequence[Upload]) -> list[Upload]:
        """Give the uploads that are not in the repository as they should be."""
        return [upload for upload in uploads if not _is_same(self.files.get(upload.path), upload)]


@dataclass(frozen=True, slots=True)
class PushCommit:
    """What a push commits: files that are put, files that are taken away, and what its message says."""

    uploads: tuple[Upload, ...]
    deletions: tuple[str, ...]
    message: str

    @property
    def n_bytes(self) -> int:
        """How many bytes it puts."""
        return sum(upload.n_bytes for upload in self.uploads)


def plan_commit(
    uploads: Sequence[Upload], message: str, state: BranchState, ours: Collection[str] = (), kept: Collection[str] = ()
) -> PushCommit | None:
    """Plan the commit that brings a branch to hold `uploads`; None if it does already.

    `ours` is what the manifest there lists, `kept` what is to stay of that beside the uploads: all else of it goes.
    Raises InputError where the repository holds files of others that a push would overwrite, or that readers of the
    dataset would take for part of it, and where a commit cannot have as many files.
    """
    if len(uploads) > _FILES_AT_MOST:
        raise InputError(f"{len(uploads):,} files are more than a commit takes", "export with larger `--rows-per-file`")
    wanted = {upload.path for upload in uploads} | set(kept)
    missing = state.missing(uploads)
    _check_strangers(wanted, missing, set(state.files) - set(ours))
    gone = sorted((set(ours) - wanted) & set(state.files))
    return PushCommit(tuple(missing), tuple(gone), message) if missing or gone else None


def upload_of(path: str, content: bytes) -> Upload:
    """Make an upload of bytes at hand."""
    return Upload(path, content, hashlib.sha256(content).hexdigest(), len(content))


def uploads_of(folder: Path, manifest: Manifest) -> list[Upload]:
    """Make the uploads of the dataset in `folder`: every file that the manifest lists, and the manifest."""
    files = [Upload(path, folder / path, file.sha256, file.bytes) for path, file in manifest.files.items()]
    return [*files, upload_of(MANIFEST, (folder / MANIFEST).read_bytes())]


def check_repository(repository: str) -> None:
    """Raise InputError where `repository` is not `owner/name` in the characters that the Hub allows."""
    odd = any(part in repository for part in ("--", "..")) or repository.endswith(".git")
    if odd or not _REPOSITORY.fullmatch(repository):
        raise InputError(
            f"`{repository[:_SHOWN]}` is no repository: one is called `owner/name`",
            "in letters, digits, `-`, `_` and `.`, as in `me/my-world`",
        )


def read_address(address: str) -> tuple[str, str]:
    """Split `hf://owner/name`, `hf://owner/name@revision` (or with `datasets/` before) into repository and revision."""
    found = _ADDRESS.fullmatch(address.removeprefix(SCHEME))
    if found is None or ".." in address:
        raise InputError(
            f"`{address[:_SHOWN]}` is no address on the Hub", "write `hf://owner/name` or `hf://owner/name@v1`"
        )
    check_repository(found["repository"])
    return found["repository"], found["revision"] or "main"


def _is_same(file: HubFile | None, upload: Upload) -> bool:
    """Say whether a file has the bytes of an upload: by its SHA-256 where it is stored apart from git, else git's."""
    if file is None or file.size != upload.n_bytes:
        return False
    if file.lfs is not None:
        return bool(file.lfs.sha256 == upload.sha256)
    content = upload.source if isinstance(upload.source, bytes) else upload.source.read_bytes()
    return bool(file.blob_id == hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest())


def _check_strangers(wanted: set[str], missing: Sequence[Upload], strangers: set[str]) -> None:
    """Raise InputError for files of others that would be overwritten, or read as part of the dataset."""
    overwritten = {upload.path for upload in missing} & strangers - _FREE
    folders = {path.partition("/")[0] for path in wanted if _is_data(path)}
    mixed = {path for path in strangers - wanted if _is_data(path) and path.partition("/")[0] in folders}
    found = sorted(overwritten | mixed)
    if found:
        raise InputError(
            f"the repository holds `{found[0]}`, which no manifest of WorldForge lists ({len(found)} such files)",
            "remove it there, or push to another repository or `--branch`",
        )


def _is_data(path: str) -> bool:
    return "/" in path and path.endswith((".parquet", ".jsonl"))
