"""What a jobs.yaml holds: named jobs, each a chain of commands, when it runs, what it may take, what becomes of it."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field, model_validator

from worldforge.core.redaction import holds_secret
from worldforge.jobs.cron import Cron
from worldforge.jobs.ledger import FILE
from worldforge.jobs.quantities import Bytes, Seconds
from worldforge.schema.section import Section

_LONGEST_NAME, _MOST_BYTES = 80, 255
_MOST_GRACE_S = 31 * 86_400
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ADDRESS = re.compile(r"https?://[^\s/?#@\\]+(?:[/?#]\S*)?", re.IGNORECASE)


def _cron(text: str) -> str:
    return Cron.parse(text).text


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (OSError, ValueError, KeyError) as error:  # ZoneInfoNotFoundError is a KeyError
        raise ValueError(f"there is no time zone `{name}`: write one of the tz database, `Europe/Berlin`") from error
    return name


def _address(url: str) -> str:
    if not _ADDRESS.fullmatch(url):
        raise ValueError("a webhook is an http:// or https:// address, without a user and password in it")
    return url


def checked_name(name: str) -> str:
    """Return a job's name. Raises ValueError where it cannot also be the name of a folder, or of a unit elsewhere."""
    if not name or len(name) > _LONGEST_NAME or not name.isprintable() or name != name.strip():
        raise ValueError(f"a job's name has 1 to {_LONGEST_NAME} characters on one line, none of them hidden")
    if name[0] in ".-" or "/" in name or "\\" in name:
        raise ValueError(
            "a job's name is also a folder's: it begins with neither `.` nor `-`, and holds no `/` or `\\`"
        )
    if len(name.encode()) > _MOST_BYTES:
        raise ValueError(f"a job's name is also a folder's: it has {_MOST_BYTES} bytes in UTF-8 at most")
    if name.startswith(FILE):
        raise ValueError(f"a job's name is also a folder's, and `{FILE}` is the ledger's: choose another")
    return name


def _variable(name: str) -> str:
    if not _VARIABLE.fullmatch(name):
        raise ValueError(f"`{name[:_LONGEST_NAME]}` is no name of an environment variable")
    return name


def _path(text: str) -> str:
    if "\0" in text:
        raise ValueError("holds a character that no path can have")
    return text


Zone = Annotated[str, AfterValidator(_zone)]


class Schedule(Section):
    """When a job runs."""

    cron: Annotated[str, AfterValidator(_cron)] = Field(
        description="Five fields as in a crontab: minute, hour, day of the month, month, day of the week."
    )
    timezone: Zone = Field(default="UTC", description="The time zone of `cron`, by its name in the tz database.")
    jitter: Seconds = Field(default=0, le=86_400, description="A run begins up to this much later, drawn by chance.")
    overlap: Literal["skip", "queue", "latest"] = Field(
        default="skip",
        description="While a run is under way, a fire is passed over; or waits; or waits in place of any that waits.",
    )
    catch_up: Literal["none", "latest", "all"] = Field(
        default="latest", description="Which fires that passed while nothing was serving are made up for."
    )
    grace: Seconds = Field(
        default=86_400.0, le=_MOST_GRACE_S, description="A fire older than this is never made up for. 31 days at most."
    )


class Retries(Section):
    """What follows a step that failed (exit code 1, or killed). What is wrong with the input is not tried again."""

    times: int = Field(default=2, ge=0, le=100, description="How often a step is tried again.")
    wait: Seconds = Field(default=60.0, le=86_400, description="The wait before the first of them.")
    factor: float = Field(default=2.0, ge=1, le=100, description="Each further wait is this many times the one before.")
    longest: Seconds = Field(default=3600.0, le=86_400, description="No wait is longer.")


class Budget(Section):
    """What a run may take; it is stopped beyond, and stands as over its budget."""

    tokens: int | None = Field(default=None, ge=1, description="Tokens read and written by all models.")
    disk: Bytes | None = Field(default=None, description="Bytes that the run's folder may hold.")
    free_disk: Bytes | None = Field(default=None, description="Bytes that must stay free on its disk.")


class Keep(Section):
    """Which folders of finished runs stay. The last good one always does, and those that hold a file `pinned`."""

    last: int | None = Field(
        default=None, ge=1, description="So many of the newest good runs, and of the newest that failed."
    )
    days: float | None = Field(default=None, gt=0, description="Runs that ended in the last days.")
    size: Bytes | None = Field(default=None, description="Bytes of all folders together; the oldest go first.")


class Hook(Section):
    """What is told of a run that ended: a command of yours, or an address that the record is posted to."""

    command: str | None = Field(
        default=None, min_length=1, description="For `sh -c`; the run's record comes as JSON on its standard input."
    )
    webhook: Annotated[str, AfterValidator(_address)] | None = Field(
        default=None, description="An http(s) address that the run's record is posted to as JSON."
    )

    @model_validator(mode="after")
    def _one(self) -> Hook:
        if (self.command is None) == (self.webhook is None):
            raise ValueError("a hook has either a `command` or a `webhook`")
        return self


class Hooks(Section):
    """What is called when a run has ended."""

    success: list[Hook] = Field(default=[], description="When all steps are done, some in part perhaps.")
    failure: list[Hook] = Field(default=[], description="When it failed, ran out of time, or over its budget.")


class Resources(Section):
    """What a run needs where another scheduler runs it: `worldforge jobs emit` writes it down for that one."""

    gpus: int = Field(default=0, ge=0, le=1024, description="GPUs.")
    cpus: int | None = Field(default=None, ge=1, le=10_000, description="CPU cores.")
    memory: Bytes | None = Field(default=None, gt=0, description="Main memory.")
    environment: dict[Annotated[str, AfterValidator(_variable)], str] = Field(
        default={}, description="Environment variables with their values, which are no secrets."
    )
    secrets: list[Annotated[str, AfterValidator(_variable)]] = Field(
        default=[], description="Names of environment variables whose values the scheduler's own secrets give."
    )

    @model_validator(mode="after")
    def _no_secret_in_plain_words(self) -> Resources:
        for name, value in self.environment.items():
            if holds_secret(f"{name}={value}"):
                raise ValueError(f"`{name}` is a secret: name it under `secrets`, and write its value nowhere")
            if not value.isprintable():
                raise ValueError(f"the value of `{name}` has several lines, or hidden characters")
        if twice := {*self.environment} & {*self.secrets}:
            raise ValueError(f"`{min(twice)}` is in `environment` and in `secrets`")
        return self


class Job(Section):
    """A chain of commands with a name."""

    description: str = Field(default="", description="What it is for.")
    spec: str | None = Field(
        default=None, min_length=1, description="The spec that `build` takes: a file, a folder, or a shipped name."
    )
    set: dict[str, Any] = Field(default={}, description="Values of the spec that are overridden, by dotted path.")
    allow_code: bool = Field(
        default=False, description="Let the spec import code beside it, where the command line allows that too."
    )
    steps: list[dict[str, dict[str, Any]]] = Field(
        min_length=1, description="Commands, one after the other: `- build`, `- rollout: {agent: oracle}`."
    )
    schedule: Schedule | None = Field(default=None, description="When it runs. Without, when it is told to.")
    partial: Literal["continue", "fail"] = Field(
        default="continue", description="What follows a step that ended with some items set aside (exit code 4)."
    )
    time_limit: Seconds | None = Field(default=None, gt=0, description="The longest that a run may take, in all.")
    retries: Retries = Field(default=Retries(), description="How steps that failed are tried again.")
    budget: Budget = Field(default=Budget(), description="What a run may take.")
    keep: Keep | None = Field(default=None, description="Which folders of runs stay. Without, all do.")
    hooks: Hooks = Field(default=Hooks(), description="What is called when a run has ended.")
    resources: Resources = Field(default=Resources(), description="What a run needs where another scheduler runs it.")


class JobsFile(Section):
    """A whole jobs.yaml."""

    folder: Annotated[str, AfterValidator(_path)] = Field(
        default="output/jobs", min_length=1, description="Where runs and the ledger go, from the file's own folder."
    )
    at_once: int = Field(default=1, ge=1, le=256, description="Runs of different jobs under way at once in `serve`.")
    jobs: dict[str, Job] = Field(min_length=1, description="The jobs, by name.")
