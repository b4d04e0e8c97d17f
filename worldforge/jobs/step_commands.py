"""Turn the steps of a job into `worldforge` commands, with the values of one run filled in.

build_commands(job, template_values("nightly", 7, fire_time, zone, folder), permissions)[0]
    ["build", "--set=seed=7", "--out=output/jobs/nightly/20310630T003000Z/world", "--json", "--", "quickstart"]

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
    return [
        _build_command(job, verb, options, values, permissions) for step in job.steps for verb, options in step.items()
    ]


def _build_command(
    job: Job, verb: str, options: Mapping[str, Any], values: Mapping[str, str], permissions: Permissions
) -> list[str]:
    given = {option_key(key): value for key, value in options.items() if value is not None}
    words = []
    if verb == "build":
        given = {"spec": job.spec, "allow_code": job.allow_code} | given
        settings = job.set | given.pop("set", {})
        words = [f"--set={path}={_setting(value, values)}" for path, value in settings.items() if value is not None]
    given = fill(step_defaults(verb) | given, values)
    if not permissions.code:
        given.pop("allow_code", None)
    target = given.pop(argument_key(verb))
    words += [word for key, value in given.items() for word in option_words(key, value)]
    return [verb, *words, "--json", "--", str(target)]


def step_defaults(verb: str) -> dict[str, Any]:
    """Return the options of a step that does not give them: it works on the world of the run."""
    if verb in ("build", "score"):
        return {"out": "{world}"} if verb == "build" else {"tasks": "{world}"}
    return {argument_key(verb): "{world}"}


def argument_key(verb: str) -> str:
    """Return the key of a command's argument, what it works on."""
    return {"build": "spec", "score": "answers", "push": "dataset"}.get(verb, "world")


def option_key(key: str) -> str:
    """Return the key of an option: `max-steps` and `max_steps` are the same."""
    return key.replace("-", "_")


def option_words(key: str, value: Any) -> list[str]:
    """Return an option as arguments: `true` sets a flag, `false` leaves it out, a list repeats it."""
    flag = "--" + key.replace("_", "-")
    if isinstance(value, bool):
        return [flag] if value else []
    return [f"{flag}={item}" for item in (value if isinstance(value, list) else [value])]


def _setting(value: Any, values: Mapping[str, str]) -> str:
    """Return a value for `--set`, which parses YAML: texts stay texts, but for those with a placeholder."""
    if isinstance(value, str) and (filled := str(fill(value, values))) != value:
        return filled
    return json.dumps(fill(value, values), ensure_ascii=False)


def check_permissions(name: str, job: Job, permissions: Permissions) -> None:
    """Raise InputError if a job would run what the user has not allowed on the command line."""
    if not permissions.code and (job.allow_code or any(step.get("build", {}).get("allow_code") for step in job.steps)):
        message = f"job `{name}` lets its spec import code"
        raise InputError(message, "read that code, then repeat the command with `--allow-code`")
    commands = [hook.command for hook in (*job.hooks.success, *job.hooks.failure) if hook.command is not None]
    if commands and not permissions.commands:
        message = f"job `{name}` runs commands of its own after a run: `{commands[0]}`"
        raise InputError(message, "read them in its hooks, then repeat the command with `--allow-commands`")
