"""The commands of a run: a job's steps, with what moves from run to run filled in.

commands_of(job, values_for("nightly", 7, fire, …), forms)[0].arguments
    ("build", "--set=seed=7", "--out=output/jobs/nightly/20310630T003000Z/world", "--json", "--", "quickstart")
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from worldforge.core.errors import InputError
from worldforge.jobs.forms import OWN_KEYS, Forms, defaults_of, key_of, written
from worldforge.jobs.plan import Job
from worldforge.jobs.templates import fill

STAMP = "%Y%m%dT%H%M%SZ"
"""How a fire names a folder: the moment in UTC, which no clock change has twice."""


@dataclass(frozen=True, slots=True)
class Permits:
    """What the user lets a jobs.yaml do: run commands in hooks, let specs import code."""

    commands: bool = False
    code: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """One step as a command: `worldforge`, then `arguments`, of which the first is the verb."""

    arguments: tuple[str, ...]

    @property
    def verb(self) -> str:
        """The verb."""
        return self.arguments[0]


def values_for(job: str, number: int, due: datetime, zone: str, folder: str) -> dict[str, str]:
    """Return what can be filled in: for run `number` of a job, due at a moment, in `folder` (from the jobs.yaml)."""
    local = due.astimezone(ZoneInfo(zone))
    return {
        "job": job,
        "run_number": str(number),
        "date": f"{local:%Y-%m-%d}",
        "day": f"{local:%Y%m%d}",
        "time": f"{local:%H%M}",
        "fire": due.astimezone(UTC).strftime(STAMP),
        "folder": folder,
        "world": f"{folder}/world",
    }


SAMPLE = values_for("job", 1, datetime(2031, 6, 30, tzinfo=UTC), "UTC", "output/jobs/job/run")
"""A value for everything that can be filled in."""


def commands_of(job: Job, values: Mapping[str, str], forms: Forms, permits: Permits) -> tuple[Command, ...]:
    """Write the steps of a job as commands."""
    return tuple(
        _command(job, verb, options, values, forms, permits) for step in job.steps for verb, options in step.items()
    )


def refuse_unpermitted(name: str, job: Job, permits: Permits) -> None:
    """Raise InputError where a job would run what the user has not allowed on the command line."""
    refuse_code(name, job, permits)
    commands = [hook.command for hook in (*job.hooks.success, *job.hooks.failure) if hook.command is not None]
    if commands and not permits.commands:
        message = f"job `{name}` runs commands of its own when a run has ended: `{commands[0]}`"
        raise InputError(message, "read them in its hooks, then repeat the command with `--allow-commands`")


def refuse_code(name: str, job: Job, permits: Permits) -> None:
    """Raise InputError where a job's spec would import code, and the user has not allowed it on the command line."""
    asks = job.allow_code or any(step.get("build", {}).get("allow_code") for step in job.steps)
    if asks and not permits.code:
        message = f"job `{name}` lets its spec import code"
        raise InputError(message, "read that code, then repeat the command with `--allow-code`")


def filled(value: Any, values: Mapping[str, str]) -> Any:
    """Fill in all texts of a value. Raises KeyError with a name that has no value."""
    if isinstance(value, str):
        return fill(value, values)
    if isinstance(value, list):
        return [filled(item, values) for item in value]
    if isinstance(value, dict):
        return {key: filled(item, values) for key, item in value.items()}
    return value


def _command(
    job: Job, verb: str, options: Mapping[str, Any], values: Mapping[str, str], forms: Forms, permits: Permits
) -> Command:
    form = forms[verb]
    given = {key_of(key): filled(value, values) for key, value in options.items() if value is not None}
    given = filled(defaults_of(verb, form), values) | given
    words = []
    if verb == "build":
        settings = job.set | options.get("set", {})
        words += [f"--set={path}={_setting(value, values)}" for path, value in settings.items() if value is not None]
        words += ["--allow-code"] if given.get("allow_code", job.allow_code) and permits.code else []
        argument = given.get("spec", fill(job.spec or "", values))
    else:
        argument = given[form.argument]
    for key, value in given.items():
        if key in form.options and not (verb == "build" and key in OWN_KEYS):
            words += written(form.options[key], value)
    return Command((verb, *words, "--json", "--", str(argument)))


def _setting(value: Any, values: Mapping[str, str]) -> str:
    """Write a value of a spec for `--set`, which reads YAML.

    A text with places is read as what it is once they are filled in: `{run_number}` is a number. Any other stays text.
    """
    if isinstance(value, str) and (read := fill(value, values)) != value:
        return read
    return json.dumps(filled(value, values), ensure_ascii=False)
