"""Which steps of a job ranks can do: its builds and its rollouts, and how the command of each is put together.

    for split in splits_of(emitted, forms): split.words, split.ends("worlds/mine")

Ranks have no run: what is worked on is one world, which whoever submits them names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from worldforge.core.errors import InputError
from worldforge.jobs.commands import SAMPLE, Command, commands_of, refuse_code
from worldforge.jobs.emit.units import Emitted, options_of
from worldforge.jobs.forms import Forms
from worldforge.jobs.plan import Job
from worldforge.jobs.templates import unknown_names

_WORLD = "--out="


@dataclass(frozen=True, slots=True)
class Split:
    """A step that ranks do: its verb, its number among those of the verb, its words but for the world, its argument."""

    verb: str
    number: int
    words: tuple[str, ...]
    argument: str

    def ends(self, world: str) -> list[str]:
        """Return what ends the command for `world`: a build writes it, a rollout plays it."""
        return [f"{_WORLD}{world}", "--", self.argument] if self.verb == "build" else ["--", world]


def splits_of(emitted: Emitted, forms: Forms) -> list[Split]:
    """Return the builds of a job, then its rollouts, as ranks do them.

    A build of what moves from run to run is left out where there is a rollout: whoever has a run has the world of it.
    Raises InputError where nothing is left, for a rollout that moves, and for code that is not allowed.
    """
    builds, rollouts = (_of(emitted, verb, forms) for verb in ("build", "rollout"))
    moving = _moving(emitted.job, "rollout") or ("" if rollouts else _moving(emitted.job, "build"))
    if moving:
        raise InputError(f"`{moving}` moves from run to run, and ranks have no run", "write a value that stays")
    if _moving(emitted.job, "build"):
        builds = []
    if not builds and not rollouts:
        raise InputError(f"job `{emitted.name}` has no build and no rollout that ranks could do", "leave out `--ranks`")
    if builds:
        refuse_code(emitted.name, emitted.job, emitted.permits)
    return [*builds, *rollouts]


def _of(emitted: Emitted, verb: str, forms: Forms) -> list[Split]:
    commands = commands_of(emitted.job, SAMPLE, forms, emitted.permits)
    return [_split(command, n) for n, command in enumerate((one for one in commands if one.verb == verb), 1)]


def _split(command: Command, number: int) -> Split:
    words = options_of(command)
    kept = [word for word in words if command.verb != "build" or not word.startswith(_WORLD)]
    return Split(command.verb, number, tuple(kept), command.arguments[-1])


def _moving(job: Job, verb: str) -> str:
    """Return a text of the job's steps of that verb that moves from run to run; empty where none does."""
    steps = [options for step in job.steps for name, options in step.items() if name == verb]
    given: list[Any] = [value for options in steps for key, value in options.items() if key != "out" or verb != "build"]
    given += [job.set, job.spec] if verb == "build" and steps else []
    return next((text for text in _texts(given) if unknown_names(text, {})), "")


def _texts(value: Any) -> Iterator[str]:
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for part in parts:
        yield from _texts(part)
    if not isinstance(value, Mapping | list) and value is not None:
        yield str(value)
