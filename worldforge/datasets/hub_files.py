"""Files on the Hub and files to upload, the state of a branch, addresses of datasets."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from worldforge.core.errors import InputError

SCHEME = "hf://"

_NAME = r"\w(?:[\w.-]{0,94}\w)?"
_REPOSITORY = re.compile(rf"(?!datasets/){_NAME}/{_NAME}", re.ASCII)
_ADDRESS = re.compile(r"(?:datasets/)?(?P<repository>[^/@]+/[^/@]+)(?:@(?P<revision>\w[\w./-]*))?", re.ASCII)
_SHOWN = 100  # characters of an address in an error


@dataclass(frozen=True, slots=True)
class Upload:
    """A file on its way: where it goes, where its bytes are, their SHA-256 in hexadecimal and their number."""

    path: str
    source: Path | bytes
    sha256: str
    n_bytes: int


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file in the repository. `digest` is its SHA-256 where it is stored apart from git, else git's SHA-1 of it."""

    n_bytes: int
    digest: str
    is_apart: bool

    def holds(self, upload: Upload) -> bool:
        """Say whether these are the bytes of `upload`."""
        if self.n_bytes != upload.n_bytes:
            return False
        return self.digest == (upload.sha256 if self.is_apart else _git_digest(upload.source))


@dataclass(frozen=True, slots=True)
class BranchState:
    """A branch as it is: the commit at its head, and its files by path."""

    head: str
    files: Mapping[str, RemoteFile]

    def missing(self, uploads: Sequence[Upload]) -> list[Upload]:
        """Give the uploads that are not in the repository as they should be."""
        return [upload for upload in uploads if (file := self.files.get(upload.path)) is None or not file.holds(upload)]


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


def _git_digest(source: Path | bytes) -> str:
    """Return the object id git gives to a file's content (`blob <size>\\0<content>`)."""
    content = source if isinstance(source, bytes) else source.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
