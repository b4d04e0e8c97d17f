"""A process that is told to end, ends what it does first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_ASKED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def stopped_by_signals(stop: threading.Event) -> Iterator[threading.Event]:
    """Set `stop` when the process is asked to end (Ctrl-C, SIGTERM, a terminal that closes), as long as this is open.

    Processes that are started meanwhile hear SIGINT again, also where this one was started deaf to it.
    """

    def hear(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    before = {number: signal.signal(number, hear) for number in _ASKED}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
