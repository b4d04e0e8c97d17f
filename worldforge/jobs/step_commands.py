"""Turn the steps of a job into `worldforge` commands, with the values of one run filled in.

job.commands(template_values("nightly", 7, fire_time, zone, "output/jobs"), permissions)[0]
    ["build", "--set=seed=7", "--out=output/jobs/nightly/20310630T003000Z-7/world", "--json", "--", "quickstart"]

Placeholders are names in braces: `seed: "{run_number}"`. `{{name}}` stands for the text `{name}`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

_PLACEHOLDER = re.compile(r"\{\{([a-z_]+)\}\}|\{([a-z_]+)\}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Permissions:
    """What the user allows a jobs.yaml on the command line: commands in hooks, specs that import code."""

    commands: bool = False
    code: bool = False


def template_values(job: str, number: int, due: datetime, zone: ZoneInfo, folder: str) -> dict[str, str]:
    """Return the values of all placeholders for run `number` of a job, whose folder is in `folder`."""
    local = due.astimezone(zone)
    timestamp = f"{due.astimezone(UTC):%Y%m%dT%H%M%SZ}"  # which no clock change repeats
    run_folder = f"{folder}/{job}/{timestamp}-{number}"
    return {
        "job": job,
        "run_number": str(number),
        "date": f"{local:%Y-%m-%d}",
        "day": f"{local:%Y%m%d}",
        "time": f"{local:%H%M}",
        "timestamp": timestamp,
        "folder": run_folder,
        "world": f"{run_folder}/world",
    }


EXAMPLE_VALUES = template_values("job", 1, datetime(2031, 6, 30, tzinfo=UTC), ZoneInfo("UTC"), "output/jobs")


def fill(value: Any, values: Mapping[str, str]) -> Any:
    """Replace the placeholders in all texts of a value. Raises KeyError for an unknown name."""
    if isinstance(value, str):
        return _PLACEHOLDER.sub(lambda match: "{" + match[1] + "}" if match[1] else values[match[2]], value)
    if isinstance(value, list):
        return [fill(item, values) for item in value]
    if isinstance(value, Mapping):
        return {key: fill(item, values) for key, item in value.items()}
    return value


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
