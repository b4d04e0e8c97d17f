"""A client for dataset repositories on the Hugging Face Hub: state, commits, tags, small files.

    hub = Hub("owner/name")
    state = hub.state()
    hub.commit(PushCommit((Upload("sft/train-00000-of-00001.parquet", path, sha256, n_bytes),), (), "Add"), state.head)

Large files go up with `preupload_lfs_files`, which skips those that the server has, and all appear with one
`create_commit`, which names the commit it builds upon (`parent_commit`, the lock against a second writer).

The library retries uploads and listings, but no commit. Here every call is repeated on 429 (after as long as the Hub
asks for), on 408, 425, 500, 502, 503, 504 and lost connections; a commit only after the repository's head said that it
did not land. Any other status is permanent and is not repeated, whether a call or the upload of one file was refused.

Tokens come from `HF_TOKEN` or the login of `hf auth login`, through the library alone. Errors are raised without their
cause, and with the token cut out: a cause may hold signed addresses, and whatever a server said.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import huggingface_hub.utils
from huggingface_hub import (
    CommitOperationAdd,
    CommitOperationDelete,
    HfApi,
    get_token,
    hf_hub_url,
)
from huggingface_hub.errors import (
    HfHubHTTPError,
    HFValidationError,
    OfflineModeIsEnabled,
)
from huggingface_hub.hf_api import RepoFile

from worldforge.core.errors import InputError, WorldForgeError
from worldforge.core.progress import Progress
from worldforge.datasets.hub_files import (
    BranchState,
    PushCommit,
    Upload,
    check_repository,
    read_address,
)

hub_utils: Any = huggingface_hub.utils  # its functions are public, but not marked as exported

_KIND = "dataset"
_WAITS_S = (1, 2, 4, 8, 16)
_LONGEST_WAIT_S = 600
_FILES_AT_ONCE = 64
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_MAY_HAVE_EXPIRED = frozenset({401, 403})  # of a signed upload address: a repetition is given a new one
_OVERTAKEN = 412
_STATUS_BY_XET = re.compile(r"HTTP status \w+ error \((\d{3})\b")  # its errors hold no response, only words
_LIBRARY_ERRORS: tuple[type[Exception], ...] = (*HfHubHTTPError.__bases__, RuntimeError, ValueError)
"""Its own, those of the HTTP client it is built on, and what it makes of answers that it cannot read."""
_SHOWN = 300  # characters of what a server said

Answer = TypeVar("Answer")


def has_token() -> bool:
    """Return whether there is a token for the Hub, in the environment or from a login; it is not checked."""
    return bool(get_token())


class Hub:
    """One dataset repository on the Hub and one branch of it, with the user's own token."""

    def __init__(self, repository: str, branch: str = "main", progress: Progress | None = None) -> None:
        """Raises InputError where `repository` is no `owner/name`, or where the user is not logged in."""
        check_repository(repository)
        self.repository, self.branch = repository, branch
        self._progress = progress or Progress()
        self._api = HfApi(library_name="worldforge")
        _silence()
        if not has_token():
            raise InputError("there is no token for the Hub", "set HF_TOKEN, or run `hf auth login`")

    def is_private(self) -> bool | None:
        """Say whether the repository is private; None where there is none. Learns whether the Hub knows the token."""
        return self._retried(self._find_private)

    def _find_private(self) -> bool | None:
        try:
            return bool(self._api.repo_info(self.repository, repo_type=_KIND).private)
        except HfHubHTTPError as error:
            if _status(error) != 404:
                raise
            return None

    def open(self, *, public: bool) -> bool:
        """Make the repository and the branch where they are missing; return whether the repository is private.

        Raises InputError where the repository is public already and `public` was not said.
        """
        private = self.is_private()
        if private is None:
            self._call(self._api.create_repo, private=not public, exist_ok=True)
            private = self.is_private()
        if not private and not public:
            raise InputError(f"{self.repository} is public", "say `--public` to push to a public repository")
        if self.branch != "main":
            self._call(self._api.create_branch, branch=self.branch, exist_ok=True)
        return bool(private)

    def state(self) -> BranchState:
        """Read the branch's head, and every file at that commit."""
        head = str(self._call(self._api.repo_info, revision=self.branch).sha)
        tree = partial(self._api.list_repo_tree, self.repository, recursive=True, revision=head, repo_type=_KIND)
        entries = self._retried(lambda: list(tree()))
        return BranchState(head, {entry.path: entry for entry in entries if isinstance(entry, RepoFile)})

    def read(self, path: str, revision: str, limit: int) -> bytes:
        """Read a file of at most `limit` bytes at a revision."""
        return self._retried(lambda: _read(self.repository, path, revision, limit))

    def commit(self, commit: PushCommit, parent: str) -> str:
        """Upload and delete in one commit upon the commit `parent`; return the new head.

        Objects that the server has are not uploaded again. Where a commit seems to have failed, the head is read
        before it is tried again: it may have landed. Raises WorldForgeError where another writer was there first.
        """
        additions = [_addition(upload) for upload in commit.uploads]
        self._progress.start("push", len(additions))
        for start in range(0, len(additions), _FILES_AT_ONCE):
            portion = additions[start : start + _FILES_AT_ONCE]
            self._call(self._api.preupload_lfs_files, additions=portion, revision=self.branch, free_memory=False)
            self._progress.advance(len(portion))
        deletions = [CommitOperationDelete(path, is_folder=False) for path in commit.deletions]
        create = partial(
            self._api.create_commit,
            self.repository,
            [*additions, *deletions],
            commit_message=commit.message,
            repo_type=_KIND,
            revision=self.branch,
            parent_commit=parent,
        )
        return self._retried(lambda: create().oid, landed=lambda: self._landed(commit, parent))

    def tags(self) -> dict[str, str]:
        """Return the commit each tag names."""
        return {ref.name: ref.target_commit for ref in self._call(self._api.list_repo_refs).tags}

    def tag(self, name: str, commit: str) -> None:
        """Name a commit. Raises InputError where the name names another."""
        self._call(self._api.create_tag, tag=name, revision=commit, exist_ok=True)
        if self.tags().get(name) != commit:
            raise InputError(f"{self.repository} has another tag `{name}`", "choose another name with `--tag`")

    def _landed(self, commit: PushCommit, parent: str) -> str | None:
        """Return the head where it holds what was to be committed upon `parent`; None where `parent` is the head.

        Raises WorldForgeError where it is neither.
        """
        state = self.state()
        if state.head == parent:
            return None
        if not state.missing(commit.uploads) and not set(commit.deletions) & set(state.files):
            return state.head
        raise WorldForgeError(
            f"another writer changed {self.repository} while this push was under way; nothing was overwritten",
            "look at the repository's history, then run the same command again",
        )

    def _call(self, call: Callable[..., Answer], **arguments: Any) -> Answer:
        return self._retried(lambda: call(self.repository, repo_type=_KIND, **arguments))

    def _retried(self, call: Callable[[], Answer], landed: Callable[[], Answer | None] = lambda: None) -> Answer:
        return _retry(call, self.repository, _WAITS_S, landed, self._progress)


def fetch_text(address: str, path: str, limit: int) -> str:
    """Read a text of at most `limit` bytes from the dataset at an address, `hf://owner/name[@revision]`.

    A token is used where there is one. Whatever goes wrong is an InputError: there, the address is the user's input.
    """
    repository, revision = read_address(address)
    _silence()
    try:
        content = _retry(lambda: _read(repository, path, revision, limit), repository, _WAITS_S[:3])
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{path} of {address} is not UTF-8 text") from None
    except WorldForgeError as error:
        raise InputError(f"{path} of {address} cannot be read: {error.message}", error.hint) from None


def _retry(
    call: Callable[[], Answer],
    repository: str,
    waits_s: Sequence[int],
    landed: Callable[[], Answer | None] = lambda: None,
    progress: Progress | None = None,
) -> Answer:
    """Return the result of `call`, repeated while the Hub is busy or out of reach.

    `landed` is asked after each failure that may hide a success; what it returns is taken for the answer.
    """
    for n_before, wait in enumerate((*waits_s, None)):
        try:
            return call()
        except _LIBRARY_ERRORS as error:
            problem = error
        passing = _is_transient(problem) or (n_before == 0 and _may_have_expired(problem))
        if wait is not None and passing:
            wait_s = max(wait, _requested_wait_s(problem))
            (progress or Progress()).note(f"the Hub is busy or out of reach; again in {wait_s} s")
            time.sleep(wait_s)
        if passing or _status(problem) == _OVERTAKEN:
            answer = landed()
            if answer is not None:
                return answer
        if wait is None or not passing:
            break
    raise _to_error(problem, repository) from None


def _read(repository: str, path: str, revision: str, limit: int) -> bytes:
    url = hf_hub_url(repository, path, repo_type=_KIND, revision=revision)
    content = bytearray()
    with hub_utils.get_session().stream("GET", url, headers=hub_utils.build_hf_headers()) as response:
        hub_utils.hf_raise_for_status(response)
        for portion in response.iter_bytes(1 << 16):
            content += portion
            if len(content) > limit:
                raise InputError(f"{path} of {repository} is larger than {limit >> 20} MiB")
    return bytes(content)


def _addition(upload: Upload) -> CommitOperationAdd:
    addition = CommitOperationAdd(upload.path, upload.source)
    addition.upload_info.sha256 = bytes.fromhex(upload.sha256)  # known: the library need not read the file again
    return addition


def _silence() -> None:
    """Keep the library's bars and warnings from the terminal: progress and errors say the same."""
    hub_utils.disable_progress_bars()
    if not any(os.environ.get(name) for name in ("HF_DEBUG", "HF_HUB_VERBOSITY")):
        hub_utils.logging.set_verbosity(hub_utils.logging.CRITICAL)


def _status(error: BaseException) -> int | None:
    """Return the HTTP status that a call, or the upload of one file in it, was refused with."""
    for one in (error, error.__cause__):
        status = getattr(getattr(one, "response", None), "status_code", None)
        if isinstance(status, int):
            return status
    found = _STATUS_BY_XET.search(str(error))
    return int(found[1]) if found else None


def _may_have_expired(error: BaseException) -> bool:
    """Return whether the upload store refused a signed address, and not the Hub."""
    return not isinstance(error, HfHubHTTPError) and _status(error) in _MAY_HAVE_EXPIRED


def _is_transient(error: BaseException) -> bool:
    """Return whether the same call may succeed later: the Hub is busy, or the connection was lost."""
    if isinstance(error, OfflineModeIsEnabled | HFValidationError):
        return False
    status = _status(error)
    if status is not None:
        return status in _PASSING
    if isinstance(error, OSError):
        return isinstance(error, ConnectionError | TimeoutError)
    return type(error) is RuntimeError or isinstance(error, json.JSONDecodeError | HfHubHTTPError.__bases__[0])


def _requested_wait_s(error: BaseException) -> int:
    """Return the seconds that a 429 or 503 asks to wait (`RateLimit`, `Retry-After`), 0 where it asks for none."""
    headers = getattr(getattr(error, "response", None), "headers", None)
    if headers is None:
        return 0
    limits = hub_utils.parse_ratelimit_headers(headers)
    wait = str(limits.reset_in_seconds) if limits and limits.remaining == 0 else headers.get("Retry-After", "")
    return min(int(wait), _LONGEST_WAIT_S) if wait.isdecimal() else 0


def _to_error(error: BaseException, repository: str) -> WorldForgeError:
    """Return an error message for the user, without token or signed address."""
    message = redacted(
        next(filter(None, (getattr(one, "server_message", None) for one in (error, error.__cause__))), "")
    )
    status, again = _status(error), "run the same command again"
    known = {
        401: ("the Hub does not accept the token", "set HF_TOKEN, or run `hf auth login`"),
        403: (f"the token gives no right to do this in {repository}: {message or 'forbidden'}", "use one that may"),
        404: (f"the Hub has nothing there, in {repository}: {message or 'not found'}", ""),
    }
    if status in known:
        return InputError(*known[status])
    if status in _PASSING or status == _OVERTAKEN:
        return WorldForgeError(f"the Hub answers {status} for {repository}: {message}", again)
    if status is not None:
        kind = InputError if status < 500 else WorldForgeError
        return kind(f"the Hub refuses this for {repository} ({status}): {message or 'no reason given'}")
    if isinstance(error, OfflineModeIsEnabled):
        return InputError("HF_HUB_OFFLINE forbids to ask the Hub", "unset it")
    reason = redacted(str(error.__cause__ or error)) or type(error).__name__
    if _is_transient(error):
        return WorldForgeError(f"the Hub cannot be reached for {repository}: {reason}", again)
    return InputError(f"the Hub refuses this for {repository}: {reason}")


def redacted(text: str) -> str:
    """Cut the token and the signatures of addresses out of a text, and the text to one short line."""
    token = get_token()
    text = text.replace(token, "…") if token else text
    return " ".join(re.sub(r"\?\S+", "?…", text).split())[:_SHOWN]
