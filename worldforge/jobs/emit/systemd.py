"""systemd: a service that runs the job once, and a timer that starts it (systemd.service(5), systemd.time(7))."""

from __future__ import annotations

from worldforge.jobs.emit.emitted_job import WORLDFORGE, EmittedFile, EmittedJob
from worldforge.jobs.jobs_file import JobSchedule

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
