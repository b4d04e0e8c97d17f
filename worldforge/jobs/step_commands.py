"""Turn the steps of a job into `worldforge` commands, with the values of one run filled in.

build_commands(job, template_values("nightly", 7, fire_time, zone, folder), permissions)[0]
    ["build", "--set=seed=7", "--out=output/jobs/nightly/20310630T003000Z-7/world", "--json", "--", "quickstart"]

Placeholders are names in braces: `seed: "{run_number}"`. `{{name}}` stands for the text `{name}`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from worldforge.core.errors import InputError
from worldforge.jobs.jobs_file import Job

TIMESTAMP = "%Y%m%dT%H%M%SZ"
"""How a run's folder is named: by its time in UTC, which no clock change repeats."""
_PLACEHOLDER = re.compile(r"\{\{([a-z_]+)\}\}|\{([a-z_]+)\}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Permissions:
    """What the user allows a jobs.yaml on the command line: commands in hooks, specs that import code."""

    commands: bool = False
    code: bool = False


def template_values(job: str, number: int, due: datetime, zone: ZoneInfo, folder: str) -> dict[str, str]:
    """Return the values of all placeholders for run `number` of a job in `folder`, relative to the jobs.yaml."""
    local = due.astimezone(zone)
    return {
        "job": job,
        "run_number": str(number),
        "date": f"{local:%Y-%m-%d}",
        "day": f"{local:%Y%m%d}",
        "time": f"{local:%H%M}",
        "timestamp": due.astimezone(UTC).strftime(TIMESTAMP),
        "folder": folder,
        "world": f"{folder}/world",
    }


EXAMPLE_VALUES = template_values("job", 1, datetime(2031, 6, 30, tzinfo=UTC), ZoneInfo("UTC"), "output/jobs/job/run")


def fill(value: Any, values: Mapping[str, str]) -> Any:
    """Replace the placeholders in all texts of a value. Raises KeyError for an unknown name."""
    if isinstance(value, str):
        return _PLACEHOLDER.sub(lambda match: "{" + match[1] + "}" if match[1] else values[match[2]], value)
    if isinstance(value, list):
        return [fill(item, values) for item in value]
    if isinstance(value, Mapping):
        return {key: fill(item, values) for key, item in value.items()}
    return value


def placeholders(value: Any) -> Iterator[str]:
    """Yield the names of all placeholders in the texts of a value."""
    if isinstance(value, str):
        yield from (match[2] for match in _PLACEHOLDER.finditer(value) if match[2])
    elif isinstance(value, list | Mapping):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from placeholders(item)


def build_commands(job: Job, values: Mapping[str, str], permissions: Permissions) -> list[list[str]]:
    """Return the steps of a job as arguments of `worldforge`, the verb first."""
    commands = []
    for step in job.steps:
        for verb, options in step.items():
            if verb == "build":
                allow_code = permissions.code and options.get("allow_code", job.allow_code)
                settings = job.set | options.get("set", {})
                options = {"spec": job.spec} | options | {"set": settings, "allow_code": allow_code}
            elif options.get("allow_code"):
                options = options | {"allow_code": permissions.code}
            commands.append(build_command(verb, options, values))
    return commands


def build_command(verb: str, options: Mapping[str, Any], values: Mapping[str, str]) -> list[str]:
    """Return a step as arguments; by default it works on the world of the run.

    `true` sets an option's flag, `false` leaves it out, a list repeats it.
    """
    target_key = {"build": "spec", "score": "answers", "push": "dataset"}.get(verb, "world")
    world_key = {"build": "out", "score": "tasks"}.get(verb, target_key)
    arguments = {world_key: "{world}"} | {key: value for key, value in options.items() if value is not None}
    settings = arguments.pop("set", {}) if verb == "build" else {}
    words = [f"--set={path}={_setting(value, values)}" for path, value in settings.items() if value is not None]
    arguments = fill(arguments, values)
    target = arguments.pop(target_key, None)
    for key, value in arguments.items():
        flag = "--" + key.replace("_", "-")
        if isinstance(value, bool):
            words += [flag] if value else []
        else:
            words += [f"{flag}={item}" for item in (value if isinstance(value, list) else [value])]
    return [verb, *words, "--json", "--", *([str(target)] if target is not None else [])]


def _setting(value: Any, values: Mapping[str, str]) -> str:
    """Return a value for `--set`, which parses YAML: texts stay texts, but for those with a placeholder."""
    if isinstance(value, str) and (filled := str(fill(value, values))) != value:
        return filled
    return json.dumps(fill(value, values), ensure_ascii=False)


def check_permissions(name: str, job: Job, permissions: Permissions) -> None:
    """Raise InputError if a job would run what the user has not allowed on the command line."""
    imports_code = any(options.get("allow_code") for step in job.steps for options in step.values())
    if not permissions.code and (job.allow_code or imports_code):
        message = f"job `{name}` lets its steps import code"
        raise InputError(message, "read that code, then repeat the command with `--allow-code`")
    commands = [hook.command for hook in (*job.hooks.success, *job.hooks.failure) if hook.command is not None]
    if commands and not permissions.commands:
        message = f"job `{name}` runs commands of its own after a run: `{commands[0]}`"
        raise InputError(message, "read them in its hooks, then repeat the command with `--allow-commands`")
