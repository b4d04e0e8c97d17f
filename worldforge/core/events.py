"""Log events with fields through Python's logging, as JSON lines that several processes append to one file.

    emit("episode_failed", logging.WARNING, episode="task/list-0007#2", reason="…")

Costs nothing without a handler. A command opens a log with `log_to`; the worker processes that it starts write to
the same one (`join_command_log`), and so may other processes: every event is one write to the end of the file.
"""

from __future__ import annotations

import contextlib
import json
import logging
import math
import os
import platform
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from worldforge.core.errors import InputError
from worldforge.core.redaction import redacted, secrets_of

VARIABLE = "WORLDFORGE_LOG"
_COMMAND = "WORLDFORGE_LOG_COMMAND"
"""The command that worker processes work for: its verb and process, `build 4711`."""
STDERR = "-"
_LOGGER = logging.getLogger("worldforge")
_LOGGER.addHandler(logging.NullHandler())  # without a log, warnings are rows and errors, and no words on stderr
_RETRIES = "openai._base_client"
"""The logger that names, at INFO, requests that are sent again."""
_OWN_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK  # a pipe that nobody reads is refused, not awaited


def emit(event: str, level: int = logging.INFO, /, **fields: Any) -> None:
    """Log `event`; `fields` are JSON values."""
    if _LOGGER.isEnabledFor(level):
        _LOGGER.log(level, event, extra={"fields": fields})


def log_to(target: str, verb: str) -> LineHandler:
    """Write events to `target` from now on: a file, or `-` for stderr; so will the workers that are started.

    Raises InputError where it cannot be written.
    """
    target = target if target == STDERR else str(Path(target).absolute())
    handler = LineHandler(target, verb, os.getpid())
    _attach(handler)
    os.environ.update({VARIABLE: target, _COMMAND: f"{verb} {os.getpid()}"})
    return handler


def join_command_log() -> None:
    """Write the events of this worker process to the log of the command that started it, if it has one."""
    target, command = os.environ.get(VARIABLE), os.environ.get(_COMMAND, "")
    verb, _, pid = command.partition(" ")
    if target and pid.isdecimal():
        with contextlib.suppress(InputError):  # the command has said so, or its file has gone since: work goes on
            _attach(LineHandler(target, verb, int(pid)))


def stop_logging(handler: LineHandler) -> None:
    """Write no more events."""
    root = logging.getLogger()
    for other in (handler, *(shown for shown in root.handlers if isinstance(shown, _WarningHandler))):
        root.removeHandler(other)
    for name in (_LOGGER.name, _RETRIES):
        logging.getLogger(name).setLevel(logging.NOTSET)
    for name in (VARIABLE, _COMMAND):
        os.environ.pop(name, None)
    handler.close()


def _attach(handler: LineHandler) -> None:
    """Log our own events, repeated requests to models, and warnings of libraries."""
    root = logging.getLogger()
    if not root.handlers and handler.target != STDERR:
        shown = _WarningHandler()
        shown.setLevel(logging.WARNING)
        root.addHandler(shown)
    root.addHandler(handler)
    for name in (_LOGGER.name, _RETRIES):
        logging.getLogger(name).setLevel(logging.INFO)


class _WarningHandler(logging.StreamHandler[TextIO]):
    """Shows warnings of libraries on stderr, as Python does without any handler."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not _is_own(record)


class LineHandler(logging.Handler):
    """Appends each event as a line to a file that others may be appending to.

    Never raises: a line that cannot be written is lost, and the next line counts it.
    """

    def __init__(self, target: str, verb: str, command: int) -> None:
        super().__init__()
        self.target, self._line_is_cut, self._n_lost = target, False, 0
        self._secrets = secrets_of(os.environ)
        self._origin = {"verb": verb, "pid": os.getpid(), "command": command, "host": platform.node()}
        self._descriptor = _open(target)

    def filter(self, record: logging.LogRecord) -> bool:
        """Accept our own events, warnings of libraries, and repeated requests to models."""
        if _is_own(record):
            return hasattr(record, "fields")
        return record.levelno >= logging.WARNING or _is_retry(record)

    def emit(self, record: logging.LogRecord) -> None:
        """Append one line."""
        try:
            line = json.dumps(self._fields(record), ensure_ascii=False, default=str, allow_nan=False)
            self._append(line.encode("utf-8", "backslashreplace") + b"\n")
        except (OSError, TypeError, ValueError):
            self._n_lost += 1

    def close(self) -> None:
        """Close the file."""
        if self.target != STDERR:
            with contextlib.suppress(OSError):
                os.close(self._descriptor)
        super().close()

    def _append(self, line: bytes) -> None:
        self._reopen_if_moved()
        written = os.write(self._descriptor, b"\n" + line if self._line_is_cut else line)
        self._line_is_cut = written < len(line)  # the disk is full: half a line stands there, and is ended by the next
        if self._line_is_cut:
            raise OSError
        self._n_lost = 0

    def _reopen_if_moved(self) -> None:
        """Open the file anew where it was moved away or removed, as those who rotate logs do."""
        if self.target == STDERR:
            return
        try:
            there = os.stat(self.target)  # noqa: PTH116  as fstat
        except FileNotFoundError:
            there = None
        here = os.fstat(self._descriptor)
        if there is None or (there.st_dev, there.st_ino) != (here.st_dev, here.st_ino):
            opened = os.open(self.target, _OWN_FLAGS, 0o600)
            os.close(self._descriptor)
            self._descriptor, self._line_is_cut = opened, False

    def _fields(self, record: logging.LogRecord) -> dict[str, Any]:
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        level = record.levelname.lower()
        event, fields = record.getMessage(), getattr(record, "fields", None)
        if fields is None:
            fields = {"logger": record.name, "message": event}
            event, level = ("model_retry", "warning") if _is_retry(record) else ("library_warning", level)
        lost = {"n_lost": self._n_lost} if self._n_lost else {}
        return {
            "time": time,
            "level": level,
            "event": event,
            **self._origin,
            **lost,
            **_redact(fields, self._secrets),
        }


def _is_own(record: logging.LogRecord) -> bool:
    return record.name.partition(".")[0] == _LOGGER.name


def _is_retry(record: logging.LogRecord) -> bool:
    return record.name == _RETRIES and str(record.msg).startswith("Retrying request")


def _open(target: str) -> int:
    if target == STDERR:
        return sys.__stderr__.fileno() if sys.__stderr__ is not None else 2
    try:
        return os.open(target, _OWN_FLAGS, 0o600)
    except OSError as error:
        raise InputError(
            f"the log {target} cannot be written: {error.strerror}", "name a file in a folder that is there, or `-`"
        ) from error


def _redact(value: Any, secrets: tuple[str, ...]) -> Any:
    """Return a JSON value without secrets, and with null for numbers that JSON lacks."""
    if isinstance(value, str):
        return redacted(value, secrets)
    if isinstance(value, Mapping):
        return {str(key): _redact(one, secrets) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_redact(one, secrets) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
