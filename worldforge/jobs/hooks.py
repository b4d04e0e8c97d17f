"""What is called when a run has ended: commands of the user's own, and addresses that its record is posted to.

A hook that fails changes nothing of the run; what it said goes to the log.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any
from urllib.parse import urlsplit

from worldforge.core.redaction import without_secrets
from worldforge.jobs.plan import Hook

_COMMAND_S = 300.0
_SHOWN = 300  # characters of what a command said
_READ = 1 << 16  # bytes of it
_POST_S = 15.0
_TRIES = 3
_PAUSE_S = 2.0
_TOLD = ("job", "number", "state", "folder", "message", "why", "fire", "world_digest")


def call_hooks(hooks: Sequence[Hook], record: Mapping[str, Any], root: Path, commands: bool) -> Iterator[str]:
    """Call hooks one after the other with a run's record; give a line on each.

    A command finds the record on its standard input, and its main parts as WORLDFORGE_JOB and the like: texts of a run
    never become part of what a shell reads. Without `commands` none is run.
    """
    for hook in hooks:
        if hook.webhook is not None:
            yield _post(hook.webhook, record)
        elif hook.command is not None and commands:
            yield _run(hook.command, record, root)


def _run(command: str, record: Mapping[str, Any], root: Path) -> str:
    told = {f"WORLDFORGE_{name.upper()}": "" if record[name] is None else str(record[name]) for name in _TOLD}
    try:
        with TemporaryFile() as given, TemporaryFile() as said:  # not pipes: a child left behind would hold those open
            given.write(json.dumps(record, ensure_ascii=False).encode())
            given.seek(0)
            process = subprocess.Popen(
                ["/bin/sh", "-c", command],
                stdin=given,
                stdout=said,
                stderr=subprocess.STDOUT,
                cwd=root,
                env=_own_environment() | told,
                start_new_session=True,
            )
            try:
                code = process.wait(_COMMAND_S)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return f"hook `{command}` took longer than {_COMMAND_S:g} s, and was killed"
            words = _end_of(said)
    except (OSError, ValueError) as error:  # a text with a null byte is no environment
        return f"hook `{command}` cannot be run: {error}"
    return f"hook `{command}` ended with exit code {code}{': ' * bool(words)}{words}"


def _own_environment() -> dict[str, str]:
    """Return the environment as the user has it: hooks may import from the folder that they run in."""
    ours = os.environ.get("PYTHONSAFEPATH") == "worldforge"
    return {name: value for name, value in os.environ.items() if not (ours and name == "PYTHONSAFEPATH")}


def _end_of(said: IO[bytes]) -> str:
    """Return the end of what was said. Secrets are taken out before it is cut, so that no part of one is left."""
    said.seek(max(0, said.seek(0, os.SEEK_END) - _READ))
    return without_secrets(said.read().decode("utf-8", "replace"))[-_SHOWN:].strip()


class _Straight(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: the address that the user wrote is the one that is told."""

    def redirect_request(self, *_arguments: Any, **_more: Any) -> None:
        """Follow none."""


def _post(url: str, record: Mapping[str, Any]) -> str:
    shown = f"webhook {urlsplit(url).scheme}://{urlsplit(url).netloc}"  # a path or query may hold a secret
    opener = urllib.request.build_opener(_Straight)
    body = json.dumps(record, ensure_ascii=False).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})  # noqa: S310  http(s): checked
    said = ""
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(_PAUSE_S)
        try:
            with opener.open(request, timeout=_POST_S) as answer:
                return f"{shown} answered {answer.status}"
        except urllib.error.HTTPError as error:
            said = f"answered {error.code}"
            if error.code < 500:
                break
        except (OSError, HTTPException, ValueError) as error:
            said = f"cannot be reached: {error}"
    return f"{shown} {said}"
