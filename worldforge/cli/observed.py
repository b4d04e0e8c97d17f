"""What a command tells machines, where it was asked to: its log, from the first word to the exit code."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from worldforge.core import events
from worldforge.core.progress import Progress, Several
from worldforge.core.redaction import redacted_arguments
from worldforge.observing.stages import Stages
from worldforge.observing.usage import cpu_s, peak_rss_bytes


@dataclass(slots=True)
class _Observed:
    """A command that is under way."""

    stages: Stages
    log: events.LineHandler
    began: float
    error: str = ""


_observed: _Observed | None = None


def begin(verb: str, arguments: Sequence[str], log: str) -> None:
    """Open the log of a command, and say that it begins. Raises InputError where the log cannot be written."""
    from worldforge import __version__

    global _observed
    end(1)
    _observed = _Observed(Stages(), events.log_to(log, verb), time.perf_counter())
    told = {"arguments": redacted_arguments(arguments), "version": __version__, "folder": str(Path.cwd())}
    events.emit("command_began", **told, cores=os.cpu_count())


@contextmanager
def followed(shown: Progress) -> Iterator[Progress]:
    """Give a progress that tells `shown`, and the log."""
    if _observed is None:
        yield shown
        return
    with _observed.stages.following() as stages:
        yield Several(shown, stages)


def failed(message: str) -> None:
    """Keep what the user is told of a failure, for the last event."""
    if _observed is not None:
        _observed.error = message


def end(exit_code: int) -> None:
    """Say how the command ended, and close its log."""
    global _observed
    if _observed is None:
        return
    seen, _observed = _observed, None
    told = {"exit_code": exit_code, "seconds": round(time.perf_counter() - seen.began, 3), "cpu_s": round(cpu_s(), 3)}
    events.emit(
        "command_ended", **told, peak_rss_bytes=peak_rss_bytes(), **({"error": seen.error} if seen.error else {})
    )
    events.stop_logging(seen.log)
