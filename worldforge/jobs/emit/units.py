"""What all emitted files share: names that any scheduler takes, the command that is run, the files themselves."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from worldforge.core.errors import InputError
from worldforge.core.files import value_digest
from worldforge.jobs.commands import Command, Permits
from worldforge.jobs.cron import Cron
from worldforge.jobs.emit.needs import Site
from worldforge.jobs.plan import Job, Schedule

_LONGEST_SLUG = 30
WORLDFORGE = (sys.executable, "-P", "-m", "worldforge.cli.main")
"""The command, by the interpreter of this process: other schedulers have another PATH."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A file to be written: its name and its text."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Emitted:
    """A job to be emitted, the absolute path of its jobs.yaml, what the user allows it, and what is where it goes."""

    name: str
    job: Job
    file: Path
    permits: Permits
    site: Site

    @property
    def slug(self) -> str:
        """A name of small letters, digits and `-` that no other job has: `nightly`, `my-job-1f0c9a3e`."""
        plain = re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")[:_LONGEST_SLUG].strip("-")
        return plain if plain == self.name else f"{plain or 'job'}-{value_digest(self.name)[:8]}"

    @property
    def schedule(self) -> Schedule:
        """The job's schedule. Raises InputError where it has none."""
        if self.job.schedule is None:
            raise InputError(f"job `{self.name}` has no schedule", "give it one, or emit it for slurm or ray")
        return self.job.schedule

    @property
    def title(self) -> str:
        """What people read: a name has one line, and nothing hidden in it."""
        return f"WorldForge job {self.name}"

    def command(self, *, delayed: bool, when: str = "--scheduled") -> list[str]:
        """Return the command as arguments, with the interpreter of this process; `delayed` by the jitter."""
        return [*WORLDFORGE, *self.arguments(self.file, delayed=delayed, when=when)]

    def arguments(self, file: Path, *, delayed: bool, when: str = "--scheduled") -> list[str]:
        """Return what follows `worldforge`; `when` is `--due` where the scheduler does not know what is due."""
        words = ["jobs", "run", f"--file={file}"]
        if self.job.schedule is not None:
            words += [when, *(["--delayed"] if delayed and self.job.schedule.jitter else [])]
        words += ["--allow-commands"] if self.permits.commands else []
        words += ["--allow-code"] if self.permits.code else []
        return [*words, "--", self.name]


def options_of(command: Command) -> list[str]:
    """Return a step's verb and options, without what it works on, and with messages for people."""
    return [word for word in command.arguments[: command.arguments.index("--")] if word != "--json"]


def standard(schedule: Schedule) -> str:
    """Write a schedule's expression as every cron reads it: Sunday is 0, steps follow `*` alone, no names."""
    cron = Cron.parse(schedule.cron)
    fields = zip(cron.text.split(), (cron.minutes, cron.hours, cron.days, cron.months, cron.weekdays), strict=True)
    return " ".join(text if text.startswith("*") and "," not in text else ",".join(map(str, v)) for text, v in fields)


def one_line(path: Path) -> Path:
    """Return a path. Raises InputError where a file of lines cannot hold it."""
    if not str(path).isprintable():
        raise InputError(f"{str(path)!r} has characters that no unit can hold", "move the jobs.yaml to another folder")
    return path
