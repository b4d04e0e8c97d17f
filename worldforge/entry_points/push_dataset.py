"""Push: a dataset goes to the Hugging Face Hub, whole and once, however often a push is cut short.

    push("output/quickstart", "me/my-world")        ->  a private dataset repository

The folder is proved before anything leaves it: every digest, and every config read by `datasets`. What the repository
holds already is not uploaded again, and what it holds in the end is compared with the manifest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from worldforge.core.errors import InputError, WorldForgeError
from worldforge.core.progress import Progress
from worldforge.datasets.append_batch import AppendedBatch, append_batch
from worldforge.datasets.hub_client import Hub
from worldforge.datasets.hub_files import BranchState, PushCommit, Upload, check_repository, plan_commit, uploads_of
from worldforge.datasets.load_check import check_loads
from worldforge.datasets.manifest import CARD, MANIFEST, Manifest, parse_manifest, verify

_LARGEST_TEXT = 64 << 20  # bytes of a text on the Hub that is read; the manifest of 100,000 files takes 20 MB


@dataclass(frozen=True, slots=True)
class PushPlan:
    """What a push would do with an empty repository: the files it would hold, and the commit that brings them."""

    folder: Path
    repository: str
    files: tuple[Upload, ...]
    commit: PushCommit | None


@dataclass(frozen=True, slots=True)
class PushSummary:
    """A finished push: where to, the commit it made if any, what the dataset holds, and how much of that it brought.

    `batch` is the number of the batch that was appended, None where the dataset was pushed as a whole.
    """

    repository: str
    branch: str
    private: bool
    head: str
    commit: str | None
    n_files: int
    n_bytes: int
    n_files_pushed: int
    n_bytes_pushed: int
    batch: int | None
    tag: str | None


@dataclass(frozen=True, slots=True)
class _PushTarget:
    """What the repository is to hold: files that may have to be uploaded, and the manifest of all."""

    uploads: Sequence[Upload]
    manifest: Manifest
    batch: int | None
    message: str


def plan_push(
    path: str | Path,
    repository: str,
    *,
    append: bool = False,
    message: str | None = None,
    progress: Progress | None = None,
) -> PushPlan:
    """Check the dataset at `path` and plan its push to an empty `repository`: asks no network and needs no token.

    With `append`, as the first batch after a dataset that holds the world alone.
    """
    check_repository(repository)
    folder, manifest = _verify_dataset(Path(path), progress or Progress())
    target = _whole_dataset(folder, manifest)
    if append:
        views = {name: replace(view, n_rows=0, n_bytes=0, files=()) for name, view in manifest.views.items()}
        empty = replace(manifest, runs=(), files={}, views=views)
        appended = append_batch(folder, manifest, empty, (folder / CARD).read_text(encoding="utf-8"))
        target = _target_of(appended, empty)
    commit = plan_commit(target.uploads, message or target.message, BranchState("", {}))
    return PushPlan(folder, repository, tuple(target.uploads), commit)


def push(
    path: str | Path,
    repository: str,
    *,
    public: bool = False,
    branch: str = "main",
    tag: str | None = None,
    append: bool = False,
    message: str | None = None,
    progress: Progress | None = None,
) -> PushSummary:
    """Bring `repository` (`owner/name`) to hold the dataset at `path`: its folder, or a world's with `datasets/` in it.

    The repository is made where it is missing, private unless `public`. With `append`, the dataset becomes a further
    batch of the one that is there. A push that was cut short goes on where it was; one that has nothing to do commits
    nothing. Raises InputError where dataset, repository or token will not do, and WorldForgeError where the Hub stays
    out of reach or another writer was faster.
    """
    progress = progress or Progress()
    hub = Hub(repository, branch, progress)
    hub.is_private()
    folder, manifest = _verify_dataset(Path(path), progress)
    private = hub.open(public=public)
    state = hub.state()
    earlier = _read_manifest(hub, state)
    target = _next_batch(hub, state, folder, manifest, earlier) if append else _whole_dataset(folder, manifest)
    kept = {*target.manifest.files, MANIFEST}
    ours = () if earlier is None else (*earlier.files, MANIFEST)
    planned = plan_commit(target.uploads, message or target.message, state, ours, kept)
    _check_tag(hub, tag, None if planned else state.head)
    made = hub.commit(planned, state.head) if planned else None
    head = made or state.head
    _check_pushed(hub, target)
    if tag is not None:
        hub.tag(tag, head)
    return PushSummary(
        repository,
        branch,
        private,
        head,
        made,
        len(kept),
        sum(file.bytes for file in target.manifest.files.values()),
        len(planned.uploads) if planned else 0,
        planned.n_bytes if planned else 0,
        target.batch,
        tag,
    )


def _verify_dataset(path: Path, progress: Progress) -> tuple[Path, Manifest]:
    """Find the dataset, check its digests, and check that `datasets` reads it."""
    folder = path if (path / MANIFEST).is_file() else path / "datasets"
    if not (folder / MANIFEST).is_file():
        raise InputError(f"{path} holds no dataset: there is no {MANIFEST}", "`worldforge export WORLD` writes one")
    progress.start("check")
    manifest = verify(folder)
    check_loads(folder, manifest.configs)
    return folder, manifest


def _whole_dataset(folder: Path, manifest: Manifest) -> _PushTarget:
    n_rows = sum(view.n_rows for view in manifest.views.values())
    message = f"Push {manifest.world.get('name', 'a world')}: {len(manifest.views)} views, {n_rows:,} rows"
    return _PushTarget(uploads_of(folder, manifest), manifest, None, message)


def _next_batch(hub: Hub, state: BranchState, folder: Path, batch: Manifest, earlier: Manifest | None) -> _PushTarget:
    """Make the dataset a further batch of the one in the repository."""
    if earlier is None:
        raise InputError(f"{hub.repository} holds no dataset to append to", "push it without `--append` first")
    card = hub.read(CARD, state.head, _LARGEST_TEXT).decode("utf-8", "replace")
    appended = append_batch(folder, batch, earlier, card)
    return _target_of(appended, earlier)


def _target_of(appended: AppendedBatch | None, earlier: Manifest) -> _PushTarget:
    if appended is None:
        return _PushTarget((), earlier, None, "")
    return _PushTarget(appended.uploads, appended.manifest, appended.number, f"Append batch {appended.number}")


def _read_manifest(hub: Hub, state: BranchState) -> Manifest | None:
    """Read the manifest that the repository holds; None where there is none."""
    if MANIFEST not in state.files:
        return None
    try:
        return parse_manifest(hub.read(MANIFEST, state.head, _LARGEST_TEXT).decode("utf-8"))
    except ValueError as error:
        raise InputError(
            f"{hub.repository} holds a {MANIFEST} that WorldForge did not write: {error}",
            "push to another repository or `--branch`",
        ) from error


def _check_tag(hub: Hub, tag: str | None, head: str | None) -> None:
    """Refuse a tag that names something else than `head` (None: a commit yet to be made), before anything goes up."""
    named = None if tag is None else hub.tags().get(tag)
    if named is not None and named != head:
        raise InputError(f"{hub.repository} has a tag `{tag}` already, of another state", "choose another with `--tag`")


def _check_pushed(hub: Hub, target: _PushTarget) -> None:
    """Raise WorldForgeError where the repository does not hold what was pushed."""
    state = hub.state()
    wrong = [upload.path for upload in state.missing(target.uploads)]
    for path, file in target.manifest.files.items():
        there = state.files.get(path)
        if there is None or there.size != file.bytes or (there.lfs and there.lfs.sha256 != file.sha256):
            wrong.append(path)
    if wrong:
        raise WorldForgeError(
            f"{hub.repository} does not hold what was pushed: `{wrong[0]}` differs ({len(set(wrong))} such files)",
            "another writer may have been there: look at its history, and run the same command again",
        )
