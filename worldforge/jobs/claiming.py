"""Who works on a job, and whether they are still there: one run of a job at a time, wherever its folder is shared.

A holder on this machine is gone when its process is. One elsewhere is gone when its beats have not gone on for a minute
of ours: clocks of machines need not agree. A holder that cannot beat for most of that minute stops by itself.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from worldforge.core.errors import InputError
from worldforge.jobs.ledger import Claim, Ledger, written_moment

BEAT_S = 5.0
GONE_S = 60.0
_ALONE_S = 40.0  # without a beat that reached the ledger; then somebody else may soon take over


def place() -> str:
    """Say where process numbers count: this machine, since it was started, and this space of processes."""
    parts = [socket.gethostname()]
    with contextlib.suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip())
    with contextlib.suppress(OSError):
        parts.append(str(Path("/proc/self/ns/pid").readlink()))
    return "/".join(parts)


def new_claim(job: str) -> Claim:
    """Return a claim of this process on a job; the ledger takes it or not."""
    now = written_moment(datetime.now(UTC))
    return Claim(job, None, secrets.token_hex(8), socket.gethostname(), place(), os.getpid(), 0, now)


class Watch:
    """Tells holders of claims that are gone from those that live, by looking at them more than once."""

    def __init__(self, gone_s: float = GONE_S) -> None:
        self._gone_s = gone_s
        self._seen: dict[str, tuple[str, int, float]] = {}

    def gone(self, claim: Claim) -> bool:
        """Say whether the holder of a claim is gone, as far as can be told by now."""
        if claim.place == place() and not _lives(claim.pid):
            return True
        token, beats, since = self._seen.get(claim.job, ("", -1, 0.0))
        if (token, beats) != (claim.token, claim.beats):
            self._seen[claim.job] = (claim.token, claim.beats, time.monotonic())
            return False
        return time.monotonic() - since >= self._gone_s

    def wait_until_sure(self, ledger: Ledger, job: str, stop: threading.Event) -> Claim | None:
        """Return who lives and works on a job; None where nobody does. That may take a minute."""
        first = ledger.claims().get(job)
        while (claim := ledger.claims().get(job)) is not None and not self.gone(claim):
            here = claim.place == place()
            if here or first is None or (claim.token, claim.beats) != (first.token, first.beats) or stop.is_set():
                return claim
            stop.wait(min(1.0, self._gone_s / 4))
        return None


@contextmanager
def beating(ledger: Ledger, claim: Claim) -> Iterator[threading.Event]:
    """Beat for a claim as long as this is open; the event that is given is set when the claim is lost."""
    lost, over = threading.Event(), threading.Event()

    def beat() -> None:
        reached = time.monotonic()
        while not over.wait(BEAT_S):
            try:
                if not ledger.beat(claim.job, claim.token):
                    lost.set()
                    return
                reached = time.monotonic()
            except InputError:
                if time.monotonic() - reached > _ALONE_S:
                    lost.set()
                    return

    thread = threading.Thread(target=beat, name=f"beats of {claim.job}", daemon=True)
    thread.start()
    try:
        yield lost
    finally:
        over.set()
        thread.join()


def _lives(pid: int) -> bool:
    """Say whether there is such a process. One that has ended does not live, though nobody has waited for it yet."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    with contextlib.suppress(OSError):  # in some containers nobody ever waits: it stays a zombie
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    return True
