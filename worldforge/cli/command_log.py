"""Record a command for machines, where it was asked to: its log and its metrics, from its start to its exit code."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from worldforge import __version__
from worldforge.core.progress import Progress, ProgressGroup

if TYPE_CHECKING:
    from worldforge.observing.stage_recorder import StageRecorder


class _Recorder:
    """Records one command."""

    def __init__(self, verb: str, stages: StageRecorder) -> None:
        from worldforge.observing.metrics import CommandState

        self.state, self.stages, self.error = CommandState(verb, __version__, time.time()), stages, ""
        self.start, self.open = time.perf_counter(), ExitStack()


_recorder: _Recorder | None = None


def begin(verb: str, arguments: Sequence[str], log: str | None, metrics: str | None) -> None:
    """Open the log and the metrics of a command. Raises InputError where one of them cannot be written."""
    from worldforge.core import events
    from worldforge.core.redaction import redacted_arguments
    from worldforge.observing.metrics import expose_metrics
    from worldforge.observing.stage_recorder import StageRecorder

    global _recorder
    end(1)
    recorder = _Recorder(verb, StageRecorder())
    if log:
        recorder.open.callback(events.stop_logging, events.log_to(log, verb))
    _recorder = recorder
    about = {"version": __version__, "folder": str(Path.cwd()), "cores": os.cpu_count()}
    events.emit("command_began", arguments=redacted_arguments(arguments), **about)
    if metrics:
        recorder.open.enter_context(expose_metrics(metrics, recorder.stages, recorder.state))


@contextmanager
def recorded(shown: Progress) -> Iterator[Progress]:
    """Yield a progress that forwards to `shown`, the log and the metrics."""
    if _recorder is None:
        yield shown
        return
    with _recorder.stages.logging_stages() as stages:
        yield ProgressGroup(shown, stages)


def failed(message: str) -> None:
    """Keep the message of a failure for the last event."""
    if _recorder is not None:
        _recorder.error = message


def end(exit_code: int) -> None:
    """Record how the command ended, and close what was opened."""
    global _recorder
    if _recorder is None:
        return
    from worldforge.core.events import emit
    from worldforge.observing.usage import cpu_s, peak_rss_bytes

    recorder, _recorder = _recorder, None
    recorder.state.exit_code = exit_code
    usage = {"seconds": round(time.perf_counter() - recorder.start, 3), "cpu_s": round(cpu_s(), 3)}
    error = {"error": recorder.error} if recorder.error else {}
    emit("command_ended", exit_code=exit_code, **usage, peak_rss_bytes=peak_rss_bytes(), **error)
    recorder.open.close()
