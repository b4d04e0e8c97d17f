"""Read a jobs.yaml, and report all of its problems at once, each with its place.

Its keys are pydantic models, whose validators look up specs from `root` in the context, and call its `check`, a
`CheckArguments`. It may come from a stranger: reading it runs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from cronsim import CronSim
from pydantic import (
    AfterValidator,
    BeforeValidator,
    ByteSize,
    Field,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)

from worldforge.core.errors import InputError
from worldforge.core.redaction import holds_secret
from worldforge.core.suggestions import did_you_mean
from worldforge.jobs.cron import fire_times, normalize_cron
from worldforge.jobs.step_commands import EXAMPLE_VALUES, Permissions, build_command, fill, template_values
from worldforge.schema.document import read_document
from worldforge.schema.problems import SpecError
from worldforge.schema.shape_errors import validate_document
from worldforge.schema.spec_section import Section
from worldforge.schema.spec_sources import find_spec, read_text

FILE_NAME, LEDGER_FILE = "jobs.yaml", "jobs.sqlite"
VERBS = ("build", "audit", "rollout", "rescore", "score", "export", "push")
"""The commands that can be steps. Each of them takes `--json`, and resumes when it is run again."""
CheckArguments = Callable[[Sequence[str]], str]
"""Checks the arguments of a `worldforge` command by its parser; returns the problem, or an empty text for none."""

_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400, "w": 604_800}
_DURATION = re.compile(r"(\d{1,12}(?:\.\d{1,6})?) ?([a-z]{1,3})", re.ASCII | re.IGNORECASE)


def _parse_duration(value: Any) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e12:
        return float(value)
    match = _DURATION.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None or match[2].lower() not in _SECONDS:
        raise ValueError(f"`{value}` is not a duration: write `30s`, `10m`, `6h` or `2d`")
    return float(match[1]) * _SECONDS[match[2].lower()]


def _check_name(name: str) -> str:
    """Return a job's name if it can also name a folder, and a unit of other schedulers."""
    if not 0 < len(name) <= 80 or len(name.encode()) > 255 or not name.isprintable() or name != name.strip():
        raise ValueError("a job's name has 1 to 80 visible characters on one line, and at most 255 bytes")
    if name[0] in ".-" or "/" in name or "\\" in name or name.startswith(LEDGER_FILE):
        raise ValueError(
            f"a job's name is also a folder's: no `/` or `\\` in it, and no `.`, `-` or `{LEDGER_FILE}` at its start"
        )
    return name


def _check_url(url: str) -> str:
    if not re.fullmatch(r"https?://[^\s/?#@\\]+(?:[/?#]\S*)?", url, re.IGNORECASE):
        raise ValueError("a webhook is an http:// or https:// address without a user or password")
    return url


def _check_variable(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError(f"`{name[:80]}` is not the name of an environment variable")
    return name


def _expand_step(value: Any) -> Any:
    """Return a step as a mapping of its command to its options: `build` is `{build: {}}`."""
    step = {value: {}} if isinstance(value, str) else value
    if isinstance(step, dict) and len(step) != 1:
        raise ValueError("a step is one command with its options: `- build`, or `- rollout: {agent: oracle}`")
    if not isinstance(step, dict) or not all(isinstance(options, dict) for options in step.values()):
        return step
    return {verb: {key.replace("-", "_"): value for key, value in options.items()} for verb, options in step.items()}


def _check_placeholders(value: Any) -> Any:
    try:
        fill(value, EXAMPLE_VALUES)
    except KeyError as error:
        name = error.args[0]
        hint = f"{did_you_mean(name, EXAMPLE_VALUES)}; `{{{{{name}}}}}` is the text `{{{name}}}`"
        raise ValueError(f"there is no placeholder `{{{name}}}`", hint) from error
    return value


def _check_spec(spec: str, info: ValidationInfo) -> str:
    """Check that a spec exists. One with placeholders, or on the Hub, is looked up when it is used."""
    if info.context is not None and "{" not in spec and not spec.startswith("hf://"):
        try:
            find_spec(spec, info.context["root"])
        except InputError as error:
            raise ValueError(error.message, error.hint) from error
    return spec


def _check_step(step: dict[str, dict[str, Any]], info: ValidationInfo) -> dict[str, dict[str, Any]]:
    """Check that a step can run, by the command's own parser."""
    [(verb, options)] = _check_placeholders(step).items()
    if verb not in VERBS:
        raise ValueError(f"`{verb}` cannot be a step", did_you_mean(verb, VERBS))
    for key, value in options.items():
        if verb == "build" and key == "set":
            if not isinstance(value, Mapping):
                raise ValueError("`set` must be a mapping of paths to values")
        elif any(isinstance(item, Mapping | list) for item in (value if isinstance(value, list) else [value])):
            raise ValueError(f"`{key}` must be text, a number or a list of those")
    if verb == "build":
        _check_spec(str(options.get("spec", "{world}")), info)
        options = {"spec": info.data.get("spec", "one that was refused"), **options}
    command = build_command(verb, options, EXAMPLE_VALUES)
    for word in command:
        if "\0" in word:
            raise ValueError("an option contains a character that no command can take")
        if "://" in word and holds_secret(word):
            raise ValueError("an option contains a key or password: name the variable that does, `?api_key_env=MY_KEY`")
    if info.context is not None and (message := info.context["check"](command)):
        raise ValueError(message, f"see `worldforge {verb} --help`")
    return step


_STEP_SCHEMA = {
    "description": "A command, or a command with its options.",
    "anyOf": [
        {"enum": list(VERBS)},
        {"type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": False,
         "properties": {verb: {"type": "object"} for verb in VERBS}},
    ],
}  # fmt: skip
_QUANTITY = WithJsonSchema(
    {"anyOf": [{"type": "number", "minimum": 0}, {"type": "string", "pattern": r"^[0-9.]+ ?[A-Za-z]{1,3}$"}]}
)
Seconds = Annotated[float, BeforeValidator(_parse_duration), _QUANTITY]
"""A duration in seconds, written as `10m`."""
Bytes = Annotated[ByteSize, Field(ge=0, le=10**15), _QUANTITY]
"""A size in bytes, written as `20 GB`."""
Variable = Annotated[str, AfterValidator(_check_variable)]
SpecSource = Annotated[str, Field(min_length=1), AfterValidator(_check_placeholders), AfterValidator(_check_spec)]
Step = Annotated[
    dict[str, dict[str, Any]],
    BeforeValidator(_expand_step), AfterValidator(_check_step), WithJsonSchema(_STEP_SCHEMA),
]  # fmt: skip


class JobSchedule(Section):
    """When a job runs."""

    cron: Annotated[str, BeforeValidator(normalize_cron)] = Field(
        description="Five fields as in a crontab: minute, hour, day of the month, month, day of the week."
    )
    timezone: ZoneInfo = Field(
        default=ZoneInfo("UTC"), description="The time zone of `cron`, by its name in the tz database: `Europe/Berlin`."
    )
    jitter: Seconds = Field(default=0, le=86_400, description="Start each run up to this much later, at random.")
    overlap: Literal["skip", "queue", "latest"] = Field(
        default="skip",
        description="At a fire time while a run is open: skip it, queue it, or queue it in place of those that wait.",
    )
    catch_up: Literal["none", "latest", "all"] = Field(
        default="latest", description="Which fire times that passed while nothing was serving are run late."
    )
    grace: Seconds = Field(
        default=86_400.0, le=31 * 86_400, description="Never run a fire time later than this. At most 31 days."
    )

    def fire_times(self, after: datetime, until: datetime | None = None) -> Iterator[datetime]:
        """Yield the fire times later than `after` and not later than `until`, in UTC, without jitter."""
        return fire_times(self.cron, self.timezone, after, until)

    @property
    def fields(self) -> CronSim:
        """The values of each field of `cron`."""
        return CronSim(self.cron, datetime.min)


class Retries(Section):
    """How a step that failed (exit code 1, or killed) is retried. Wrong input (exit code 2) is not."""

    times: int = Field(default=2, ge=0, le=100, description="How often a step is retried.")
    wait: Seconds = Field(default=60.0, le=86_400, description="The wait before the first retry.")
    factor: float = Field(default=2.0, ge=1, le=100, description="Each further wait is this many times the last.")
    longest: Seconds = Field(default=3600.0, le=86_400, description="The longest wait.")


class RunBudget(Section):
    """What a run may use. A run that exceeds it is stopped, in the state `over budget`."""

    tokens: int | None = Field(default=None, ge=1, description="Tokens read and written by all models.")
    disk: Bytes | None = Field(default=None, description="Size of the run's folder.")
    free_disk: Bytes | None = Field(default=None, description="Space that must stay free on its disk.")


class Keep(Section):
    """Which folders of ended runs are kept. The last good one always is, and those with a file `pinned`."""

    last: int | None = Field(default=None, ge=1, description="The newest N good runs, and the newest N that failed.")
    days: float | None = Field(default=None, gt=0, description="Runs that ended in the last N days.")
    size: Bytes | None = Field(default=None, description="Total size of all folders; the oldest are removed first.")


class Hook(Section):
    """What is called when a run has ended: a shell command, or an address."""

    _errors = (
        (lambda hook: (hook.command is None) == (hook.webhook is None), "a hook has a `command` or a `webhook`"),
    )

    command: str | None = Field(
        default=None, min_length=1, description="For `sh -c`; gets the run's record as JSON on standard input."
    )
    webhook: Annotated[str, AfterValidator(_check_url)] | None = Field(
        default=None, description="An http(s) address to which the run's record is posted as JSON."
    )


class Hooks(Section):
    """What is called when a run has ended."""

    success: list[Hook] = Field(default=[], description="After a run that is done or partial.")
    failure: list[Hook] = Field(default=[], description="After a run that failed, timed out or went over its budget.")


class Resources(Section):
    """What a run needs where another scheduler runs it; `worldforge jobs emit` writes it into its files."""

    gpus: int = Field(default=0, ge=0, le=1024, description="GPUs.")
    cpus: int | None = Field(default=None, ge=1, le=10_000, description="CPU cores.")
    memory: Bytes | None = Field(default=None, gt=0, description="Main memory.")
    environment: dict[Variable, str] = Field(default={}, description="Environment variables, which are not secret.")
    secrets: list[Variable] = Field(
        default=[], description="Names of environment variables whose values the scheduler's own secrets provide."
    )

    @property
    def memory_mib(self) -> int | None:
        """The memory in MiB, rounded up."""
        return None if self.memory is None else -(-self.memory // (1 << 20))

    @model_validator(mode="after")
    def _check_environment(self) -> Resources:
        for name, value in self.environment.items():
            if holds_secret(f"{name}={value}"):
                raise ValueError(f"`{name}` is a secret: put its name under `secrets`, and its value nowhere")
            if not value.isprintable():
                raise ValueError(f"the value of `{name}` has several lines or invisible characters")
        if both := {*self.environment} & {*self.secrets}:
            raise ValueError(f"`{min(both)}` is in `environment` and in `secrets`")
        return self


class Job(Section):
    """A named chain of commands."""

    description: str = Field(default="", description="What it is for.")
    spec: SpecSource | None = Field(
        default=None, description="The spec of `build`: a file, a folder, or a shipped name."
    )
    set: Annotated[dict[str, Any], AfterValidator(_check_placeholders)] = Field(
        default={}, description="Overridden values of the spec, by dotted path."
    )
    allow_code: bool = Field(
        default=False, description="The spec may import code beside it, if the command line allows it too."
    )
    steps: list[Step] = Field(min_length=1, description="Commands in order: `- build`, `- rollout: {agent: oracle}`.")
    schedule: JobSchedule | None = Field(default=None, description="When it runs. Without one: on demand.")
    partial: Literal["continue", "fail"] = Field(
        default="continue", description="What follows a step that set some items aside (exit code 4)."
    )
    time_limit: Seconds | None = Field(default=None, gt=0, description="The longest that a run may take in all.")
    retries: Retries = Field(default=Retries(), description="How failed steps are retried.")
    budget: RunBudget = Field(default=RunBudget(), description="What a run may use.")
    keep: Keep | None = Field(default=None, description="Which folders of runs are kept. Without it: all.")
    hooks: Hooks = Field(default=Hooks(), description="What is called when a run has ended.")
    resources: Resources = Field(default=Resources(), description="What a run needs where another scheduler runs it.")

    @property
    def zone(self) -> ZoneInfo:
        """The time zone of the schedule; UTC without one."""
        return self.schedule.timezone if self.schedule is not None else ZoneInfo("UTC")

    def commands(self, values: Mapping[str, str], permissions: Permissions) -> list[list[str]]:
        """Return the steps as arguments of `worldforge`, the verb first, with the values of placeholders filled in."""
        commands = []
        for verb, options in (item for step in self.steps for item in step.items()):
            if verb == "build":
                settings = {"spec": self.spec, "allow_code": self.allow_code} | options
                options = settings | {"set": self.set | options.get("set", {})}
            if options.get("allow_code"):
                options = options | {"allow_code": permissions.code}
            commands.append(build_command(verb, options, values))
        return commands

    def check_permissions(self, name: str, permissions: Permissions) -> None:
        """Raise InputError if the job `name` would run what the user has not allowed on the command line."""
        imports_code = any(options.get("allow_code") for step in self.steps for options in step.values())
        if not permissions.code and (self.allow_code or imports_code):
            message = f"job `{name}` lets its steps import code"
            raise InputError(message, "read that code, then repeat the command with `--allow-code`")
        commands = [hook.command for hook in (*self.hooks.success, *self.hooks.failure) if hook.command is not None]
        if commands and not permissions.commands:
            message = f"job `{name}` runs commands of its own after a run: `{commands[0]}`"
            raise InputError(message, "read them in its hooks, then repeat the command with `--allow-commands`")


class JobsFile(Section):
    """A whole jobs.yaml."""

    folder: str = Field(
        default="output/jobs", pattern=r"^[^\x00]+$", description="Where runs and the ledger go, relative to this file."
    )
    at_once: int = Field(default=1, ge=1, le=256, description="How many jobs `serve` runs at the same time.")
    jobs: dict[Annotated[str, AfterValidator(_check_name)], Job] = Field(min_length=1, description="The jobs by name.")


@dataclass(frozen=True, slots=True)
class JobsPlan:
    """A jobs.yaml as read: its path and its content."""

    path: Path
    file: JobsFile

    @property
    def root(self) -> Path:
        """The folder of the jobs.yaml, where commands run."""
        return self.path.parent

    @property
    def folder(self) -> Path:
        """The folder of runs and the ledger."""
        return self.root / self.file.folder

    def job(self, name: str, permissions: Permissions | None = None) -> Job:
        """Return a job by name. Raises InputError if there is none, or if it asks for more than `permissions`."""
        if name not in self.file.jobs:
            raise InputError(f"{self.path} has no job `{name}`", did_you_mean(name, self.file.jobs))
        if permissions is not None:
            self.file.jobs[name].check_permissions(name, permissions)
        return self.file.jobs[name]

    def run_values(self, name: str, number: int, due: datetime) -> dict[str, str]:
        """Return the values of placeholders for run `number` of a job."""
        return template_values(name, number, due, self.job(name).zone, self.file.folder)


def read_jobs(path: Path, check: CheckArguments) -> JobsPlan:
    """Read a jobs.yaml, or that of a folder.

    Raises SpecError with all problems, or InputError if there is no such file.
    """
    path = path / FILE_NAME if path.is_dir() else path
    if not path.is_file():
        raise InputError(f"there is no {path}", "`worldforge jobs new` writes one; `--file` names another")
    document, problems = read_document(read_text(path), str(path))
    file, faults = validate_document(document, JobsFile, {"root": path.parent, "check": check})
    problems += [fault.problem for fault in faults]
    if file is None or problems:
        raise SpecError(sorted(problems, key=lambda problem: (problem.line, problem.column)))
    return JobsPlan(path, file)


def jobs_json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a jobs.yaml, for editors."""
    schema = JobsFile.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "jobs.yaml"}
