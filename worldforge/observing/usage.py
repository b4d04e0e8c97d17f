"""What this process and the workers that it has ended have used: CPU seconds, memory."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path

_UNIT = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss, see getrusage(2)


def cpu_s() -> float:
    """Return the CPU seconds of this process and of the workers that it has ended."""
    return sum(os.times()[:4])


def peak_rss_bytes() -> int:
    """Return the most memory that this process, or the largest worker that it has ended, has held until now."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return max(resource.getrusage(who).ru_maxrss for who in whose) * _UNIT


def rss_bytes() -> int:
    """Return the memory that this process holds now; 0 where the system does not say (only Linux does)."""
    try:
        n_pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return n_pages * os.sysconf("SC_PAGE_SIZE")
