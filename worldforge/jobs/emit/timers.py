"""Files for schedulers that start a job at its times: lines of a crontab(5), systemd.service(5) with systemd.time(7).

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


_WEEKDAYS = ("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat")


def systemd_units(job: EmittedJob) -> list[EmittedFile]:
    """Return the service and the timer of a job."""
    name, schedule, description = f"worldforge-{job.slug}", job.schedule, job.title.replace("%", "%%")
    resources = "".join(f"{line}\n" for line in _resources(job))
    calendar = "\n".join(f"OnCalendar={event}" for event in calendar_events(schedule))
    service = f"""\
[Unit]
Description={description}
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
ExecStart={" ".join(_quote(word) for word in (*WORLDFORGE, *job.arguments()))}
{resources}\
# done in part is done
SuccessExitStatus=4
# the run ends its own steps first
KillMode=mixed
TimeoutStopSec=60
"""
    timer = f"""\
[Unit]
Description={description}, {schedule.cron} {schedule.timezone}

[Timer]
{calendar}
AccuracySec=1s
RandomizedDelaySec={schedule.jitter:g}
Persistent={"false" if schedule.catch_up == "none" else "true"}

[Install]
WantedBy=timers.target
"""
    return [EmittedFile(f"{name}.service", service), EmittedFile(f"{name}.timer", timer)]


def _resources(job: EmittedJob) -> list[str]:
    """Return the limits and environment of a run (systemd.resource-control(5), systemd.exec(5)); GPUs have no limit."""
    resources, secrets_file = job.job.resources, job.options.secrets_file
    lines = [f"CPUQuota={resources.cpus * 100}%"] if resources.cpus else []
    lines += [f"MemoryMax={resources.memory_mib}M"] if resources.memory_mib else []
    for name, value in resources.environment.items():
        lines.append(f"Environment={_quote(f'{name}={value}').replace('$$', '$')}")  # here a `$` stands for itself
    return [*lines, *([f"EnvironmentFile={str(secrets_file).replace('%', '%%')}"] if secrets_file is not None else [])]


def _quote(word: str) -> str:
    """Quote a word of ExecStart=, so that systemd replaces nothing in it."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"'


def calendar_events(schedule: JobSchedule) -> list[str]:
    """Return a cron expression as calendar events: two if a day may match by its date or by its weekday."""
    cron = schedule.expression
    months, days = _numbers(cron.months, 12), _numbers(cron.days, 31)
    time = f"{_numbers(cron.hours, 24)}:{_numbers(cron.minutes, 60)}:00 {schedule.timezone}"
    weekdays = ",".join(_WEEKDAYS[day] for day in cron.weekdays) + " "
    if cron.either_day:
        return [f"*-{months}-{days} {time}", f"{weekdays}*-{months}-* {time}"]
    return [f"{weekdays if len(cron.weekdays) < 7 else ''}*-{months}-{days} {time}"]


def _numbers(values: tuple[int, ...], n_possible: int) -> str:
    return "*" if len(values) == n_possible else ",".join(f"{value:02d}" for value in values)
