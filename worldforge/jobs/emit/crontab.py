"""cron: lines for a crontab (crontab(5))."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from worldforge.jobs.emit.units import Emitted, Unit

_HEAD = """\
# CRON_TZ is cronie's (Fedora, Arch, Alpine's dcron is without): where cron does not know it, as Debian's, times are the
# machine's. Put these lines after your own: CRON_TZ holds for all that follow.
"""


def crontab(emitted: Sequence[Emitted]) -> list[Unit]:
    """Return the lines of jobs, each with its time zone."""
    lines = [f"# {each.title}\nCRON_TZ={each.schedule.timezone}\n{line(each)}\n" for each in emitted]
    return [Unit("worldforge.crontab", _HEAD + "\n".join(lines))]


def line(emitted: Emitted) -> str:
    """Write the line of a job. In a crontab a `%` is the end of a line, unless it is escaped."""
    command = shlex.join(emitted.command(delayed=True)).replace("%", "\\%")
    return f"{emitted.schedule.cron} {command}"
