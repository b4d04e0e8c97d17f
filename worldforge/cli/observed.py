"""What a command tells machines, where it was asked to, from the first word to the exit code: its log, its metrics."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from worldforge import __version__
from worldforge.core import events
from worldforge.core.progress import Progress, ProgressGroup
from worldforge.core.redaction import redacted_arguments
from worldforge.observing.metrics import Command, exposed
from worldforge.observing.stages import Stages
from worldforge.observing.usage import cpu_s, peak_rss_bytes


@dataclass(slots=True)
class _Observed:
    """A command that is under way."""

    command: Command
    began: float = field(default_factory=time.perf_counter)
    stages: Stages = field(default_factory=Stages)
    open: ExitStack = field(default_factory=ExitStack)
    error: str = ""


_observed: _Observed | None = None


def begin(verb: str, arguments: Sequence[str], log: str | None, metrics: str | None) -> None:
    """Open the log and the metrics of a command, and say that it begins.

    Raises InputError where one of them cannot be had.
    """
    global _observed
    end(1)
    seen = _Observed(Command(verb, __version__, time.time()))
    if log:
        seen.open.callback(events.stop_logging, events.log_to(log, verb))
    _observed = seen
    told = {"arguments": redacted_arguments(arguments), "version": __version__, "folder": str(Path.cwd())}
    events.emit("command_began", **told, cores=os.cpu_count())
    if metrics:
        seen.open.enter_context(exposed(metrics, seen.stages, seen.command))


@contextmanager
def followed(shown: Progress) -> Iterator[Progress]:
    """Give a progress that tells `shown`, the log and the metrics."""
    if _observed is None:
        yield shown
        return
    with _observed.stages.following() as stages:
        yield ProgressGroup(shown, stages)


def failed(message: str) -> None:
    """Keep what the user is told of a failure, for the last event."""
    if _observed is not None:
        _observed.error = message


def end(exit_code: int) -> None:
    """Say how the command ended, and close what was opened."""
    global _observed
    if _observed is None:
        return
    seen, _observed = _observed, None
    seen.command.exit_code = exit_code
    told = {"exit_code": exit_code, "seconds": round(time.perf_counter() - seen.began, 3), "cpu_s": round(cpu_s(), 3)}
    error = {"error": seen.error} if seen.error else {}
    events.emit("command_ended", **told, peak_rss_bytes=peak_rss_bytes(), **error)
    seen.open.close()
