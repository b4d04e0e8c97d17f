"""What the files for all schedulers share: names that any scheduler takes, and the command that is run."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from worldforge.core.errors import InputError
from worldforge.core.files import value_digest
from worldforge.jobs.cron import Cron
from worldforge.jobs.jobs_file import Job, JobSchedule
from worldforge.jobs.step_commands import Permissions

WORLDFORGE = (sys.executable, "-P", "-m", "worldforge.cli.main")
"""The command, with the interpreter of this process: other schedulers have another PATH."""
_MAX_SLUG = 30
_KUBERNETES_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class EmittedFile:
    """A file to be written: its name and its text."""

    name: str
    text: str


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

    def __post_init__(self) -> None:
        """Raise InputError for values that the files cannot hold."""
        for option in self.sbatch:
            if not option.startswith("-") or not option.isprintable():
                raise InputError(f"`{option}` is not an option of sbatch", "write it as `--sbatch=--partition=gpu`")
        if self.secrets_file is not None:
            check_printable(self.secrets_file)
        for name in (self.claim, self.secret):
            if not _KUBERNETES_NAME.fullmatch(name):
                raise InputError(f"`{name}` is not a name that Kubernetes takes", "use small letters, digits, `-`, `.`")


@dataclass(frozen=True, slots=True)
class EmittedJob:
    """A job to be emitted, with the absolute path of its jobs.yaml."""

    name: str
    job: Job
    path: Path
    permissions: Permissions
    options: EmitOptions

    @property
    def slug(self) -> str:
        """A name of small letters, digits and `-` that no other job has: `nightly`, `my-job-1f0c9a3e`."""
        plain = re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")[:_MAX_SLUG].strip("-")
        return plain if plain == self.name else f"{plain or 'job'}-{value_digest(self.name)[:8]}"

    @property
    def title(self) -> str:
        """A title for people, on one line."""
        return f"WorldForge job {self.name}"

    @property
    def schedule(self) -> JobSchedule:
        """The job's schedule. Raises InputError if it has none."""
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


def portable_cron(schedule: JobSchedule) -> str:
    """Return a cron expression as every cron reads it: Sunday is 0, steps follow `*` only, no names."""
    cron = Cron.parse(schedule.cron)
    fields = zip(cron.text.split(), (cron.minutes, cron.hours, cron.days, cron.months, cron.weekdays), strict=True)
    return " ".join(text if text.startswith("*") and "," not in text else ",".join(map(str, v)) for text, v in fields)


def check_printable(path: Path) -> Path:
    """Return a path. Raises InputError if a file of lines cannot hold it."""
    if not str(path).isprintable():
        raise InputError(f"{str(path)!r} has characters that no scheduler's file can hold", "rename it")
    return path
