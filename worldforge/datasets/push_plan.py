"""Plan a push: which files are uploaded and deleted, in which commits.

Data comes first; the last commit brings card and manifest with the last of the data, and takes away what earlier
manifests of ours listed and this one does not. A push of several commits leaves the list of its files in PENDING until
the last: whoever pushes after a push that was never finished knows which files are leftovers.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from worldforge.core.errors import InputError
from worldforge.datasets.hub_files import BranchState, Upload
from worldforge.datasets.manifest import CARD, MANIFEST, Manifest

PENDING = ".worldforge/pending.json"

FILES_PER_COMMIT = 64
"""The Hub advises 50 to 100 files a commit."""
_FILES_AT_MOST, _PER_FOLDER_AT_MOST, _BYTES_AT_MOST = 100_000, 10_000, 200 * 10**9
_FREE = frozenset({CARD, ".gitattributes"})


@dataclass(frozen=True, slots=True)
class HubCommit:
    """One commit: files that are put, files that are taken away, and what its message says."""

    uploads: tuple[Upload, ...]
    deletions: tuple[str, ...]
    message: str

    @property
    def n_bytes(self) -> int:
        """How many bytes it puts."""
        return sum(upload.n_bytes for upload in self.uploads)


def plan_commits(
    uploads: Sequence[Upload],
    message: str,
    remote: BranchState | None = None,
    ours: Collection[str] = (),
    kept: Collection[str] = (),
) -> list[HubCommit]:
    """Plan the commits after which a repository holds `uploads`: none where it does so already.

    `remote` is the branch as it is (None: empty), `ours` what manifests and unfinished pushes of ours listed there,
    `kept` what is to stay of that beside the uploads: all else of ours goes.
    Raises InputError where the repository holds files of others that a push would overwrite, or that readers of the
    dataset would take for part of it, and where the Hub would not take as many or as large files.
    """
    _check_limits(uploads)
    there = {} if remote is None else remote.files
    wanted = {upload.path for upload in uploads} | set(kept)
    missing = list(uploads) if remote is None else remote.missing(uploads)
    _check_strangers(wanted, missing, set(there) - set(ours))
    gone = sorted((set(ours) - wanted) & set(there))
    if not missing and not gone:
        return []
    data = sorted((upload for upload in missing if upload.path not in (CARD, MANIFEST)), key=lambda upload: upload.path)
    last = [upload for upload in missing if upload.path in (CARD, MANIFEST)]
    portions = [data[start : start + FILES_PER_COMMIT] for start in range(0, len(data), FILES_PER_COMMIT)] or [[]]
    portions[-1] += last
    if len(portions) > 1:
        pending = pending_list(wanted | set(ours) - {PENDING})
        portions[0] += [pending] if remote is None else remote.missing([pending])
        gone = sorted({*gone, PENDING})
    n = len(portions)
    return [
        HubCommit(tuple(portion), tuple(gone) if i == n else (), message if n == 1 else f"{message} ({i}/{n})")
        for i, portion in enumerate(portions, start=1)
    ]


def pending_list(paths: Iterable[str]) -> Upload:
    """Make the file that says which files belong to a push, as long as it is not finished."""
    return upload_of(PENDING, (json.dumps({"files": sorted(paths)}, indent=1) + "\n").encode())


def upload_of(path: str, content: bytes) -> Upload:
    """Make an upload of bytes at hand."""
    return Upload(path, content, hashlib.sha256(content).hexdigest(), len(content))


def read_pending(content: bytes) -> set[str]:
    """Read the paths of a push that was never finished. Raises InputError where the list is not ours."""
    try:
        return {str(path) for path in json.loads(content)["files"]}
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"the repository holds a `{PENDING}` that WorldForge did not write", "remove it") from error


def uploads_of(folder: Path, manifest: Manifest) -> list[Upload]:
    """Make the uploads of the dataset in `folder`: every file that the manifest lists, and the manifest."""
    files = [Upload(path, folder / path, file.sha256, file.bytes) for path, file in manifest.files.items()]
    return [*files, upload_of(MANIFEST, (folder / MANIFEST).read_bytes())]


def _check_strangers(wanted: set[str], missing: Sequence[Upload], strangers: set[str]) -> None:
    """Refuse to overwrite files of others, and to have them read as part of the dataset."""
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


def _check_limits(uploads: Sequence[Upload]) -> None:
    """Refuse what the Hub refuses, before anything is uploaded (its limits as of 2026)."""
    if len(uploads) > _FILES_AT_MOST:
        raise InputError(f"{len(uploads):,} files are more than the Hub takes", "export with larger `--rows-per-file`")
    (folder, n_files), *_ = Counter(upload.path.rpartition("/")[0] for upload in uploads).most_common(1) or [("", 0)]
    if n_files > _PER_FOLDER_AT_MOST:
        raise InputError(f"`{folder}/` has {n_files:,} files, more than the Hub takes", "export larger shards")
    large = [upload.path for upload in uploads if upload.n_bytes > _BYTES_AT_MOST]
    if large:
        raise InputError(f"`{large[0]}` is larger than the Hub takes", "export smaller shards")
