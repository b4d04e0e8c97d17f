"""CPU seconds and memory of this process and of its workers that have ended."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path

_UNIT = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss, see getrusage(2)


def cpu_s() -> float:
    """Return the CPU seconds of this process and of its workers that have ended."""
    return sum(os.times()[:4])


def peak_rss_bytes() -> int:
    """Return the peak memory of this process, or of its largest ended worker if that is more."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return max(resource.getrusage(who).ru_maxrss for who in whose) * _UNIT


def rss_bytes() -> int:
    """Return the resident memory of this process now; 0 where the system has no /proc."""
    try:
        n_pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return n_pages * os.sysconf("SC_PAGE_SIZE")
