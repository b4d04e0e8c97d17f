"""Call hooks when a run has ended: shell commands of the user, and webhooks to which its record is posted.

A hook that fails changes nothing of the run; its message goes to the log.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from urllib.parse import urlsplit

from worldforge.core.processes import kill_group
from worldforge.core.redaction import without_secrets
from worldforge.jobs.jobs_file import Hook

_COMMAND_TIMEOUT_S = 300.0
_MAX_OUTPUT_BYTES, _MAX_SHOWN = 1 << 16, 300
_POST_TIMEOUT_S, _POST_ATTEMPTS, _POST_WAIT_S = 15.0, 3, 2.0
_VARIABLES = ("job", "number", "state", "folder", "message", "trigger", "fire_time", "world_digest")


def call_hooks(hooks: Sequence[Hook], record: Mapping[str, Any], root: Path, allow_commands: bool) -> Iterator[str]:
    """Call hooks in order with a run's record; yield a line on each.

    A command gets the record on standard input and its main parts as WORLDFORGE_JOB and so on, so that no text of a
    run becomes part of a shell command. Without `allow_commands` no command is run.
    """
    for hook in hooks:
        if hook.webhook is not None:
            yield _post(hook.webhook, record)
        elif hook.command is not None and allow_commands:
            yield _run_command(hook.command, record, root)


def _run_command(command: str, record: Mapping[str, Any], root: Path) -> str:
    environment = dict(os.environ)
    if environment.get("PYTHONSAFEPATH") == "worldforge":  # ours: a hook may import from the folder that it runs in
        del environment["PYTHONSAFEPATH"]
    environment |= {f"WORLDFORGE_{n.upper()}": "" if record[n] is None else str(record[n]) for n in _VARIABLES}
    try:
        with TemporaryFile() as output:  # a background process would keep a pipe open
            process = subprocess.Popen(
                ["/bin/sh", "-c", command], stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT, cwd=root,
                env=environment, start_new_session=True,
            )  # fmt: skip
            try:
                process.communicate(json.dumps(record, ensure_ascii=False).encode(), _COMMAND_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                kill_group(process)
                return f"hook `{command}` took longer than {_COMMAND_TIMEOUT_S:g} s, and was killed"
            output.seek(max(0, output.seek(0, os.SEEK_END) - _MAX_OUTPUT_BYTES))
            text = without_secrets(output.read().decode("utf-8", "replace"))[-_MAX_SHOWN:].strip()
    except (OSError, ValueError) as error:  # a null byte in the environment is a ValueError
        return f"hook `{command}` cannot be run: {error}"
    return f"hook `{command}` ended with exit code {process.returncode}" + (f": {text}" if text else "")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follow no redirection: only the address that the user wrote gets the record."""

    def redirect_request(self, *_arguments: Any, **_more: Any) -> None:
        """Follow none."""


def _post(url: str, record: Mapping[str, Any]) -> str:
    shown = f"webhook {urlsplit(url).scheme}://{urlsplit(url).netloc}"  # a path or query may hold a secret
    body = json.dumps(record, ensure_ascii=False).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})  # noqa: S310  http(s): checked
    outcome = ""
    for attempt in range(_POST_ATTEMPTS):
        time.sleep(_POST_WAIT_S if attempt else 0)
        try:
            with urllib.request.build_opener(_NoRedirects).open(request, timeout=_POST_TIMEOUT_S) as answer:
                return f"{shown} answered {answer.status}"
        except urllib.error.HTTPError as error:
            outcome = f"answered {error.code}"
            if error.code < 500:
                break
        except (OSError, HTTPException, ValueError) as error:
            outcome = f"cannot be reached: {error}"
    return f"{shown} {outcome}"
