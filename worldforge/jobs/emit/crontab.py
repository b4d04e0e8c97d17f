"""cron: lines for a crontab (crontab(5)).

Cron knows one time zone, the machine's, or with `CRON_TZ`, which Debian's does not read, another; and each has its own
way with clocks that change. So a line does not say when its job is due: it has the job looked at at these minutes of
each hour, and `--due` goes by the schedule and its zone.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from worldforge.core.errors import InputError
from worldforge.jobs.cron import Cron
from worldforge.jobs.emit.units import Emitted, Unit
from worldforge.jobs.plan import Schedule

_LONGEST = 998
"""Bytes of a command: Debian's cron keeps MAX_COMMAND = 1000 with its end, and refuses the whole crontab beyond."""
_HEAD = """\
# Cron has each job looked at at these minutes of each hour. It begins where its own schedule, in its own time zone,
# says that it is due; else nothing is done or told. So the lines mean the same in every cron and every zone.
"""


def crontab(emitted: Sequence[Emitted]) -> list[Unit]:
    """Return the lines of jobs. Raises InputError where a line would be too long for cron."""
    lines = [f"# {each.title}: {each.schedule.cron} {each.schedule.timezone}\n{line(each)}\n" for each in emitted]
    return [Unit("worldforge.crontab", "\n".join([_HEAD, *lines]))]


def line(emitted: Emitted) -> str:
    """Write the line of a job. In a crontab a `%` is the end of a line, unless it is escaped."""
    command = shlex.join(emitted.command(delayed=True, when="--due")).replace("%", "\\%")
    if (length := len(command.encode())) > _LONGEST:
        message = f"cron takes commands of {_LONGEST} bytes; that of job `{emitted.name}` has {length}"
        raise InputError(message, "move the jobs.yaml to a folder with a shorter path")
    return f"{looks(emitted.schedule, datetime.now(UTC))} {command}"


def looks(schedule: Schedule, now: datetime) -> str:
    """Return the minutes of this machine's hours at which a schedule may be due, every hour of every day.

    Zones differ by whole hours, but for those of half an hour and of three quarters, for good or in summer. Numbers are
    written out: to Debian's cron `5/20` is no minute.
    """
    zone, days = ZoneInfo(schedule.timezone), [now + timedelta(days=n) for n in range(366)]
    shifts = {_offset(day.astimezone()) - _offset(day.astimezone(zone)) for day in days}
    minutes = sorted({(minute + shift) % 60 for minute in Cron.parse(schedule.cron).minutes for shift in shifts})
    return f"{'*' if len(minutes) == 60 else ','.join(map(str, minutes))} * * * *"


def _offset(moment: datetime) -> int:
    return round((moment.utcoffset() or timedelta()).total_seconds() / 60)
