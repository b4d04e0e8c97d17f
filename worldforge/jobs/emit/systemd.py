"""systemd: a service that runs the job once, and a timer that starts it (systemd.service(5), systemd.time(7))."""

from __future__ import annotations

from worldforge.jobs.cron import Cron
from worldforge.jobs.emit.needs import mebibytes
from worldforge.jobs.emit.units import Emitted, Unit
from worldforge.jobs.plan import Schedule

_STOP_S = 60  # a step has 20 s to be interrupted


def systemd_units(emitted: Emitted) -> list[Unit]:
    """Return the service and the timer of a job."""
    name, schedule = f"worldforge-{emitted.slug}", emitted.schedule
    command = " ".join(quoted(word) for word in emitted.command(delayed=False))
    needs = "".join(f"{line}\n" for line in _needs(emitted))
    service = f"""\
[Unit]
Description={emitted.title.replace("%", "%%")}
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
ExecStart={command}
{needs}\
# done in part is done
SuccessExitStatus=4
# the run ends its own steps first
KillMode=mixed
TimeoutStopSec={_STOP_S}
"""
    calendar = "\n".join(f"OnCalendar={line}" for line in calendar_lines(schedule))
    timer = f"""\
[Unit]
Description={emitted.title.replace("%", "%%")}, {schedule.cron} {schedule.timezone}

[Timer]
{calendar}
AccuracySec=1s
RandomizedDelaySec={schedule.jitter:g}
Persistent={"false" if schedule.catch_up == "none" else "true"}

[Install]
WantedBy=timers.target
"""
    return [Unit(f"{name}.service", service), Unit(f"{name}.timer", timer)]


def _needs(emitted: Emitted) -> list[str]:
    """Return what limits a run, and its environment (systemd.resource-control(5), systemd.exec(5)); GPUs are free."""
    resources, file = emitted.job.resources, emitted.site.secrets_file
    memory = mebibytes(resources)
    lines = [f"CPUQuota={resources.cpus * 100}%"] if resources.cpus else []
    lines += [f"MemoryMax={memory}M"] if memory else []
    lines += [f"Environment={_assigned(name, value)}" for name, value in resources.environment.items()]
    return [*lines, *([f"EnvironmentFile={str(file).replace('%', '%%')}"] if file is not None else [])]


def _assigned(name: str, value: str) -> str:
    """Write an assignment so that systemd takes it as it is: a `$` stands for itself in Environment=."""
    return quoted(f"{name}={value}").replace("$$", "$")


def quoted(word: str) -> str:
    """Write a word of ExecStart= so that systemd takes it as it is: no specifier, no variable, no escape."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"'


def calendar_lines(schedule: Schedule) -> list[str]:
    """Write a cron expression as calendar events; two, where either of its days will do."""
    cron = Cron.parse(schedule.cron)
    months, days = _numbers(cron.months, 12), _numbers(cron.days, 31)
    time = f"{_numbers(cron.hours, 24)}:{_numbers(cron.minutes, 60)}:00 {schedule.timezone}"
    names = ("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat")
    weekdays = ",".join(names[day] for day in cron.weekdays) + " "
    if cron.either_day:
        return [f"*-{months}-{days} {time}", f"{weekdays}*-{months}-* {time}"]
    return [f"{weekdays if len(cron.weekdays) < len(names) else ''}*-{months}-{days} {time}"]


def _numbers(values: tuple[int, ...], every: int) -> str:
    return "*" if len(values) == every else ",".join(f"{value:02d}" for value in values)
