"""cron: lines for a crontab (crontab(5)).

Cron has the machine's time zone (`CRON_TZ` is unknown to Debian's), and each cron its own way with clock changes. So a
line only says at which minutes of each hour to look; `--due` goes by the schedule and its time zone.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from worldforge.core.errors import InputError
from worldforge.jobs.emit.emitted_job import WORLDFORGE, EmittedFile, EmittedJob
from worldforge.jobs.jobs_file import JobSchedule

_MAX_COMMAND_BYTES = 998  # Debian's cron refuses the whole crontab beyond
_HEAD = """\
# At these minutes of each hour cron checks whether a job is due by its own schedule and time zone. If not, nothing is
# run or printed.
"""


def crontab(jobs: Sequence[EmittedJob]) -> EmittedFile:
    """Return the lines of jobs. Raises InputError if a line would be too long for cron."""
    lines = [f"# {job.title}: {job.schedule.cron} {job.schedule.timezone}\n{_line(job)}\n" for job in jobs]
    return EmittedFile("worldforge.crontab", "\n".join([_HEAD, *lines]))


def _line(job: EmittedJob) -> str:
    command = shlex.join([*WORLDFORGE, *job.arguments(when="--due", delayed=True)])
    command = command.replace("%", "\\%")  # which otherwise ends the line
    if (length := len(command.encode())) > _MAX_COMMAND_BYTES:
        message = f"cron takes commands of {_MAX_COMMAND_BYTES} bytes; that of job `{job.name}` has {length}"
        raise InputError(message, "move the jobs.yaml to a folder with a shorter path")
    return f"{minutes_to_check(job.schedule, datetime.now(UTC))} * * * * {command}"


def minutes_to_check(schedule: JobSchedule, now: datetime) -> str:
    """Return the minutes of this machine's hours at which a schedule may fire, all year.

    Time zones differ by whole hours, except for some that have half an hour or three quarters, perhaps in summer only.
    Numbers are written out: Debian's cron refuses `5/20`.
    """
    days = [now + timedelta(days=n) for n in range(366)]
    offsets = {_offset(day.astimezone()) - _offset(day.astimezone(schedule.zone)) for day in days}
    minutes = sorted({(minute + offset) % 60 for minute in schedule.expression.minutes for offset in offsets})
    return "*" if len(minutes) == 60 else ",".join(map(str, minutes))


def _offset(time: datetime) -> int:
    return round((time.utcoffset() or timedelta()).total_seconds() / 60)
