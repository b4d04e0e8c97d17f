"""Write the files with which another scheduler runs jobs: systemd, cron, Slurm, Kubernetes, Ray; by name, their text.

The files are those of `templates/`, filled in: `@name` stands for a text, or, alone on a line, for a list of lines.
"""

from __future__ import annotations

import json
import math
import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path, PurePath
from typing import Any

from worldforge.core.errors import InputError
from worldforge.core.files import value_digest
from worldforge.jobs.cron import weekdays
from worldforge.jobs.jobs_file import Job, JobSchedule, JobsPlan, Resources
from worldforge.jobs.step_commands import Permissions
from worldforge.jobs.step_process import MODULE

_COMMAND = (sys.executable, "-P", "-m", MODULE)  # the interpreter of this process: other schedulers have another PATH
_MAX_SLUG = 30
_MAX_CRON_BYTES = 998  # Debian's cron refuses the whole crontab beyond
_EXTRA_MINUTES = 5  # of Slurm's time limit, for a run to end
_MAX_DEADLINE_S = 86_400
_WEEKDAYS = ("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat")
_RAY_WORD = re.compile(r"[A-Za-z0-9_./=+:@,-]+")


@dataclass(frozen=True, slots=True)
class EmitOptions:
    """What the emitted files name of the cluster or machine that they are for.

    `image`, `claim` (of the volume with the jobs.yaml) and `secret` are for Kubernetes, `sbatch` for Slurm;
    `secrets_file` has lines NAME=value, for Slurm and systemd.
    """

    image: str | None = None
    claim: str = "worldforge"
    secret: str = "worldforge"
    secrets_file: Path | None = None
    sbatch: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _EmittedJob:
    """A job to be emitted, with the absolute path of its jobs.yaml."""

    name: str
    job: Job
    path: Path
    permissions: Permissions
    options: EmitOptions

    @property
    def unit(self) -> str:
        """A name of small letters, digits and `-` that no other job has: `worldforge-my-job-1f0c9a3e`."""
        plain = re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")[:_MAX_SLUG].strip("-") or "job"
        return f"worldforge-{plain}" + ("" if plain == self.name else f"-{value_digest(self.name)[:8]}")

    @property
    def title(self) -> str:
        return f"WorldForge job {self.name}"

    @property
    def schedule(self) -> JobSchedule:
        if self.job.schedule is None:
            raise InputError(f"job `{self.name}` has no schedule", "add one, or emit it for slurm or ray")
        return self.job.schedule

    def arguments(self, path: PurePath | None = None, *, when: str = "--scheduled", delayed: bool = False) -> list[str]:
        """Return the arguments of `worldforge`; `when` is `--due` if the scheduler does not know what is due."""
        words = ["jobs", "run", f"--file={path or self.path}"]
        if self.job.schedule is not None:
            words += [when, *(["--delayed"] if delayed and self.job.schedule.jitter else [])]
        words += ["--allow-commands"] if self.permissions.commands else []
        words += ["--allow-code"] if self.permissions.code else []
        return [*words, "--", self.name]


def emit_jobs(
    scheduler: str, plan: JobsPlan, names: Sequence[str], permissions: Permissions, options: EmitOptions
) -> dict[str, str]:
    """Return the files for a scheduler: of the jobs `names`, or of all that it can run.

    Raises InputError if a job cannot be emitted so, or asks for what `permissions` does not allow.
    """
    if scheduler == "kubernetes" and not options.image:
        hint = "name it: `--image registry/worldforge:0.1`"
        raise InputError("Kubernetes needs an image with WorldForge in it", hint)
    by_time = scheduler in ("systemd", "cron", "kubernetes")
    names = names or [name for name, job in plan.file.jobs.items() if job.schedule is not None or not by_time]
    if not names:
        raise InputError(f"no job of {plan.path} has a schedule", 'add one to a job: `schedule: {cron: "0 2 * * *"}`')
    path = plan.path.resolve()
    if not str(path).isprintable():
        raise InputError(f"{str(path)!r} has characters that no scheduler's file can hold", "rename it")
    jobs = [_EmittedJob(name, plan.job(name, permissions), path, permissions, options) for name in dict.fromkeys(names)]
    if scheduler == "cron":
        lines = [line for job in jobs for line in _cron_lines(job)]
        return {"worldforge.crontab": _filled("worldforge.crontab", {"lines": lines})}
    writer = {"systemd": _systemd_units, "slurm": _slurm_script, "kubernetes": _cron_job, "ray": _ray_script}[scheduler]
    return {name: text for job in jobs for name, text in writer(job).items()}


def _filled(template: str, values: Mapping[str, Any]) -> str:
    """Return a template of `templates/` with its values filled in."""

    def value(match: re.Match[str]) -> str:
        found = values[match[1]]
        return found + match[2] if isinstance(found, str) else "".join(f"{line}\n" for line in found)

    text = files("worldforge.jobs").joinpath("templates", template).read_text(encoding="utf-8")
    return re.sub(r"@([a-z_]+)(\n?)", value, text)


# cron: it has the machine's time zone (`CRON_TZ` is unknown to Debian's), and each cron its own way with clock changes.
# So a line only says at which minutes of each hour to look; `--due` goes by the schedule and its time zone.


def _cron_lines(job: _EmittedJob) -> Iterator[str]:
    command = shlex.join([*_COMMAND, *job.arguments(when="--due", delayed=True)])
    command = command.replace("%", "\\%")  # which otherwise ends the line
    if (length := len(command.encode())) > _MAX_CRON_BYTES:
        message = f"cron takes commands of {_MAX_CRON_BYTES} bytes; that of job `{job.name}` has {length}"
        raise InputError(message, "move the jobs.yaml to a folder with a shorter path")
    yield from ("", f"# {job.title}: {job.schedule.cron} {job.schedule.timezone}")
    yield f"{minutes_to_check(job.schedule, datetime.now(UTC))} * * * * {command}"


def minutes_to_check(schedule: JobSchedule, now: datetime) -> str:
    """Return the minutes of this machine's hours at which a schedule may fire, all year.

    Time zones differ by whole hours, except for some that have half an hour or three quarters, perhaps in summer only.
    Numbers are written out: Debian's cron refuses `5/20`.
    """
    days = [now + timedelta(days=n) for n in range(366)]
    offsets = {_offset(day.astimezone()) - _offset(day.astimezone(schedule.timezone)) for day in days}
    minutes = sorted({(minute + offset) % 60 for minute in schedule.fields.minutes for offset in offsets})
    return "*" if len(minutes) == 60 else ",".join(map(str, minutes))


def _offset(time: datetime) -> int:
    return round((time.utcoffset() or timedelta()).total_seconds() / 60)


def portable_cron(schedule: JobSchedule) -> str:
    """Return a cron expression as every cron reads it: Sunday is 0, steps follow `*` only, no names."""
    cron = schedule.fields
    fields = (cron.minutes, cron.hours, cron.days, cron.months, weekdays(cron))
    written = zip(schedule.cron.split(), (",".join(map(str, sorted(values))) for values in fields), strict=True)
    return " ".join(text if text.startswith("*") and "," not in text else numbers for text, numbers in written)


# systemd.service(5), systemd.time(7), systemd.resource-control(5)


def _systemd_units(job: _EmittedJob) -> dict[str, str]:
    schedule, title = job.schedule, job.title.replace("%", "%%")
    command = " ".join(_systemd_word(word) for word in (*_COMMAND, *job.arguments()))
    service = {"title": title, "command": command, "resources": _systemd_resources(job)}
    timer = {
        "title": title,
        "cron": schedule.cron,
        "timezone": str(schedule.timezone),
        "calendar": [f"OnCalendar={event}" for event in calendar_events(schedule)],
        "jitter": f"{schedule.jitter:g}",
        "persistent": "false" if schedule.catch_up == "none" else "true",
    }
    units = {"service": service, "timer": timer}
    return {f"{job.unit}.{kind}": _filled(f"systemd.{kind}", values) for kind, values in units.items()}


def _systemd_resources(job: _EmittedJob) -> list[str]:
    resources, secrets_file = job.job.resources, job.options.secrets_file
    lines = [f"CPUQuota={resources.cpus * 100}%"] if resources.cpus else []
    lines += [f"MemoryMax={resources.memory_mib}M"] if resources.memory_mib else []
    for name, value in resources.environment.items():
        lines.append(f"Environment={_systemd_word(f'{name}={value}').replace('$$', '$')}")  # here `$` is no variable
    return [*lines, *([f"EnvironmentFile={str(secrets_file).replace('%', '%%')}"] if secrets_file is not None else [])]


def _systemd_word(word: str) -> str:
    """Quote a word of ExecStart=, so that systemd replaces nothing in it."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"'


def calendar_events(schedule: JobSchedule) -> list[str]:
    """Return a cron expression as calendar events: two if a day may match by its date or by its weekday."""
    cron = schedule.fields
    months, days = _numbers(cron.months, 12), _numbers(cron.days, 31)
    time = f"{_numbers(cron.hours, 24)}:{_numbers(cron.minutes, 60)}:00 {schedule.timezone}"
    named = ",".join(_WEEKDAYS[day] for day in weekdays(cron)) + " "
    if not cron.day_and:
        return [f"*-{months}-{days} {time}", f"{named}*-{months}-* {time}"]
    return [f"{named if len(weekdays(cron)) < 7 else ''}*-{months}-{days} {time}"]


def _numbers(values: set[int], n_possible: int) -> str:
    return "*" if len(values) == n_possible else ",".join(f"{value:02d}" for value in sorted(values))


# Slurm, Ray


def _slurm_script(job: _EmittedJob) -> dict[str, str]:
    resources, limit, schedule = job.job.resources, job.job.time_limit, job.job.schedule
    options = [f"--time={math.ceil(limit / 60) + _EXTRA_MINUTES}"] if limit is not None else []
    options += [f"--gres=gpu:{resources.gpus}"] if resources.gpus else []
    options += [f"--cpus-per-task={resources.cpus}"] if resources.cpus else []
    options += [f"--mem={resources.memory_mib}M"] if resources.memory_mib else []
    usage = ["# sbatch PATH-OF-THIS-FILE"]
    if schedule is not None:
        usage = [
            f"# on its schedule: scrontab -e, then this line, if the cluster's time zone is {schedule.timezone}",
            f"#   {portable_cron(schedule)} sbatch PATH-OF-THIS-FILE",
        ]
    values = {
        "unit": job.unit,
        "title": job.title,
        "options": [f"#SBATCH {option}" for option in (*options, *job.options.sbatch)],
        "usage": usage,
        "environment": _slurm_environment(resources, job.options.secrets_file),
        "command": shlex.join([*_COMMAND, *job.arguments()]),
    }
    return {f"{job.unit}.sbatch": _filled("slurm.sbatch", values)}


def _slurm_environment(resources: Resources, secrets_file: Path | None) -> list[str]:
    """Return lines that set variables. Secrets come from a file, or from whoever submits; here are their names."""
    lines = [f"export {name}={shlex.quote(value)}" for name, value in resources.environment.items()]
    lines += [f"set -a; . {shlex.quote(str(secrets_file))} || exit; set +a"] if secrets_file is not None else []
    for name in resources.secrets:
        lines.append(f'[ -n "${{{name}:-}}" ] || {{ echo "the secret {name} is not set" >&2; exit 2; }}; export {name}')
    return lines


def _ray_script(job: _EmittedJob) -> dict[str, str]:
    """Return a script. `ray job submit` joins the words of a command for another shell: it must read none."""
    words = ["worldforge", *job.arguments()]
    for word in words:
        if not _RAY_WORD.fullmatch(word):
            hint = "use letters, digits, `_`, `.` and `-` in the names of jobs and folders"
            raise InputError(f"`ray job submit` cannot carry `{word}`", hint)
    values = {"title": job.title, "folder": str(job.path.parent), "command": shlex.join(words)}
    return {f"{job.unit}.sh": _filled("ray.sh", values)}


# Kubernetes


def _cron_job(job: _EmittedJob) -> dict[str, str]:
    """Return the manifest of a CronJob (batch/v1) whose pods mount the jobs.yaml's folder from a shared volume."""
    schedule, resources, options = job.schedule, job.job.resources, job.options
    variables: list[dict[str, Any]] = [
        *({"name": name, "value": _kubernetes_word(value)} for name, value in resources.environment.items()),
        *({"name": n, "valueFrom": {"secretKeyRef": {"name": options.secret, "key": n}}} for n in resources.secrets),
    ]
    memory = {"memory": f"{resources.memory_mib}Mi"} if resources.memory_mib else {}
    requests = ({"cpu": str(resources.cpus)} if resources.cpus else {}) | memory
    limits = memory | ({"nvidia.com/gpu": str(resources.gpus)} if resources.gpus else {})  # never requested alone
    arguments = job.arguments(PurePath("/jobs", job.path.name), delayed=True)
    values = {
        "unit": job.unit,
        "schedule": portable_cron(schedule),
        "timezone": str(schedule.timezone),
        "concurrency": "Forbid" if schedule.overlap == "skip" else "Allow",
    }
    in_json = {
        "claim": options.claim,
        "job": job.name,
        "deadline": round(min(max(schedule.grace, 60), _MAX_DEADLINE_S)),
        "image": options.image,
        "arguments": [_kubernetes_word(word) for word in arguments],
        "environment": variables,
        "resources": {"requests": requests, "limits": limits},
    }
    values |= {name: json.dumps(value, ensure_ascii=False) for name, value in in_json.items()}
    return {f"{job.unit}.yaml": _filled("kubernetes.yaml", values)}


def _kubernetes_word(word: str) -> str:
    """Escape a word, so that Kubernetes replaces no variable in it: `$(NAME)` becomes `$$(NAME)`."""
    return word.replace("$", "$$")
